"""A test's page: the gates with their margins, the classes by run, and the traces side by side."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from ...gates.gate_result import AssertionResult, ClassResult, GateResult
from ...runners.cell_result import ScoredCall
from ..history.commit_summary import CommitSummary, GradedScore
from ..report.comparison_model import Identity
from ..report.report_model import SuiteReport, TestReport
from ..report.reproduce_command import format_cell_command
from ..report.status_reasons import REASON_WORDS
from ..report.test_runs import Run, list_test_classes, make_test_runs
from .commit_view import CommitView
from .efficiency import Efficiency, measure_test_efficiency
from .overview import find_live_commit
from .suite import MOST_ROWS, TestRow, compute_test_score
from .wording import cut_page_text, format_arguments, format_matcher, format_target_name, format_value

_MOST_RUNS = 12
_MOST_CALLS = 60
_RAIL_AROUND = 12


@dataclass(frozen=True, slots=True)
class AssertionView:
    """One assertion in words."""

    target: str
    asked: str
    found: str | None
    status: str
    reason: str | None
    where: str | None


@dataclass(frozen=True, slots=True)
class GateView:
    """A gate and its assertions."""

    name: str
    status: str
    reason: str | None
    checks: tuple[AssertionView, ...]
    uncalled: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class CallView:
    """A call of a run."""

    tool: str
    outcome: str
    told: str
    status: str | None
    args: str | None
    is_redacted: bool
    starts_turn: int | None


@dataclass(frozen=True, slots=True)
class RunView:
    """The calls of a run and the classes that it missed."""

    number: int
    f1: int | None
    calls: tuple[CallView, ...]
    left_out: int
    missed: tuple[ClassResult, ...]
    reached: dict[str, str]
    unexpected: tuple[str, ...]
    answer: str | None


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """The result of the test at a commit.

    `href` leads to its row on that commit's suite page, which remains when test pages are removed.
    """

    summary: CommitSummary
    status: str | None
    score: GradedScore | None
    href: str | None


@dataclass(frozen=True, slots=True)
class TestPage:
    """The values of the page."""

    row: TestRow
    test: TestReport
    suite: SuiteReport
    commit: CommitSummary
    before: GradedScore | None
    verdict: str
    rail: tuple[TestRow, ...]
    gates: tuple[GateView, ...]
    classes: tuple[ClassResult, ...]
    runs: tuple[RunView, ...]
    runs_left_out: int
    strip: tuple[CommitOutcome, ...]
    efficiency: Efficiency
    live: CommitSummary | None
    command: str


def make_test_page(view: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], at: int, root: str) -> TestPage:
    """Return the values of the page of the test in row `at`."""
    test = rows[at].test
    key: Identity = (suite.name, test.name, test.model or "")
    runs = make_test_runs(test)
    return TestPage(
        row=rows[at],
        test=test,
        suite=suite,
        commit=view.summary,
        before=compute_test_score(view.tests_before.get(key)),
        verdict=_describe_verdict(test),
        rail=list_nearby_tests(rows, at),
        gates=tuple(_make_gate_view(gate, test.runs) for gate in test.gates),
        classes=list_test_classes(test),
        runs=tuple(_make_run_view(run) for run in runs[:_MOST_RUNS]),
        runs_left_out=max(0, len(runs) - _MOST_RUNS),
        strip=tuple(_list_recent_outcomes(view, key, rows[at].anchor, root)),
        efficiency=measure_test_efficiency(view.live_tests.get(key)),
        live=find_live_commit(view),
        command=format_cell_command(suite.file, test, view.report.mode, {}),
    )


def list_nearby_tests(rows: tuple[TestRow, ...], at: int) -> tuple[TestRow, ...]:
    """Return the tests around one, so that a page does not grow with the suite."""
    # At both ends the window is shifted, so it always has the same length.
    start = max(0, min(at - _RAIL_AROUND, len(rows) - 2 * _RAIL_AROUND - 1))
    return rows[start : start + 2 * _RAIL_AROUND + 1]


def _describe_verdict(test: TestReport) -> str:
    """Return in a few words why the test failed, or how many gates passed."""
    if test.status == "error":
        return cut_page_text(test.reason or "stopped", 160)
    for gate in test.gates:
        for found in gate.assertions or ():
            if found.status == "failed":
                actual = f" {format_value(found.actual, 40)}" if _has_value(found.actual) else " absent"
                return f"{format_target_name(found.target)}{actual}, needs {format_matcher(found.matcher)}"
    ran = sum(gate.status != "skipped" for gate in test.gates)
    return "no gate ran" if not ran else f"{ran} gate{'' if ran == 1 else 's'} met"


def _make_gate_view(gate: GateResult, runs: int) -> GateView:
    uncalled = tuple((tool.tool, tool.runs - tool.hit_runs, tool.runs) for tool in gate.expected_tools or ())
    checks = tuple(_make_assertion_view(found, runs) for found in gate.assertions or ())
    return GateView(gate.gate, gate.status, gate.reason or None, checks, uncalled)


def _make_assertion_view(found: AssertionResult, runs: int) -> AssertionView:
    where = None
    if isinstance(found.held_runs, int) and isinstance(found.runs, int) and found.runs > 1:
        where = f"held in {found.held_runs} of {found.runs} runs"
    elif isinstance(found.run, int) and runs > 1:
        where = f"run {found.run}"
    return AssertionView(
        target=format_target_name(found.target),
        asked=format_matcher(found.matcher),
        found=format_value(found.actual, 160) if _has_value(found.actual) else None,
        status=found.status,
        reason=found.reason or None,
        where=where,
    )


def _has_value(actual: object) -> bool:
    return actual is not UNSET


def _make_run_view(run: Run) -> RunView:
    return RunView(
        number=run.number,
        f1=run.counts.f1 if run.counts else None,
        calls=tuple(_make_call_views(run.calls[:_MOST_CALLS])),
        left_out=max(0, len(run.calls) - _MOST_CALLS),
        missed=run.missed,
        reached=run.reached,
        unexpected=tuple(dict.fromkeys(run.unexpected)),
        answer=cut_page_text(run.answer) if run.answer is not None else None,
    )


def _make_call_views(calls: tuple[ScoredCall, ...]) -> Iterator[CallView]:
    turn: int | None = None
    for call in calls:
        now = call.turn if isinstance(call.turn, int) else None
        yield CallView(
            tool=call.id,
            outcome=call.outcome or "plain",
            told=_describe_call(call),
            status=call.status if isinstance(call.status, str) and call.status != "ok" else None,
            args=format_arguments(call.args) if _has_value(call.args) else None,
            is_redacted=call.redacted,
            starts_turn=now if now != turn else None,
        )
        turn = now


def _describe_call(call: ScoredCall) -> str:
    names = ", ".join(call.classes or ((call.class_,) if isinstance(call.class_, str) else ()))
    told = {
        "hit": f"matches {names}",
        "repeat": f"{names} again" if names else "of a class, and not counted",
        "unexpected": f"unexpected: {REASON_WORDS[call.reason]}" if call.reason else "unexpected",
    }
    return told.get(call.outcome or "", "called")


def _list_recent_outcomes(view: CommitView, key: Identity, anchor: str, root: str) -> Iterator[CommitOutcome]:
    for summary, tests in view.recent:
        test = tests.get(key)
        suite = next((found for found in summary.suites if found.name == key[0]), None)
        # Rows beyond the limit of a suite's page have no anchor to lead to.
        row = f"#{anchor}" if suite and suite.verdicts.tests <= MOST_ROWS else ""
        href = f"{root}c/{summary.sha}/{suite.id}/index.html{row}" if test and suite else None
        yield CommitOutcome(summary, test.status if test else None, compute_test_score(test), href)
