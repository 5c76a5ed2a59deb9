"""Compares two reports: which tests got better or worse, and why."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ...foundations.canonical_json import digest_json
from ...foundations.fault import BadInput
from ...foundations.suggestion import format_suggestion
from ...gates.gate import Mode
from ...gates.gate_result import AssertionResult, GateResult
from ...runners.cell_result import TestStatus
from .report_model import SEVERITY, Report, SelectionCounts, TestReport, find_graded_counts

SCHEMA = "toolgrade.diff/1"
Verdict = Literal["regressed", "improved", "unchanged", "added", "removed"]
CauseKind = Literal[
    "class_missed", "class_reached", "class_added", "class_removed",
    "tool_uncalled", "tool_called", "tool_added", "tool_removed",
    "unexpected_more", "unexpected_fewer",
    "assertion_failed", "assertion_held", "assertion_added", "assertion_removed",
    "gate_skipped", "gate_ran", "gate_added", "gate_removed",
    "test_stopped", "test_ran",
]  # fmt: skip
Identity = tuple[str, str, str]
"""Suite, test and model; a test without a model has an empty one."""

_ORDER: tuple[Verdict, ...] = ("regressed", "removed", "added", "improved")
_GOOD = (
    "class_reached", "tool_called", "unexpected_fewer", "assertion_held", "assertion_removed", "gate_ran", "test_ran",
)  # fmt: skip


class Frequency(msgspec.Struct, frozen=True):
    """In how many runs a class was missed, or how often a tool was called."""

    count: int
    runs: int

    def is_more_frequent_than(self, other: "Frequency") -> bool:
        """Return whether the share is greater, although the two reports may have different numbers of runs."""
        # Cross-multiplied, so that no float decides a verdict.
        return self.count * max(other.runs, 1) > other.count * max(self.runs, 1)


class ChangeCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reason for a change; `name` is that of the class, tool, target, gate or test."""

    kind: CauseKind
    gate: str | UnsetType
    name: str
    old: Frequency | UnsetType = UNSET
    new: Frequency | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class ReportedOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The status of a test in one report, and its F1 if it is graded."""

    status: TestStatus
    f1: int | UnsetType = UNSET


class ChangedTest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A test that differs between the two reports."""

    verdict: Verdict
    suite: str
    test: str
    model: str | UnsetType = UNSET
    is_allowed: bool = msgspec.field(default=False, name="allowed")
    old: ReportedOutcome | UnsetType = UNSET
    new: ReportedOutcome | UnsetType = UNSET
    causes: tuple[ChangeCause, ...] = ()


class ComparedReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The totals of one of the two reports."""

    mode: Mode
    plan: str
    tests: int
    grade: str | UnsetType = UNSET
    f1: int | UnsetType = UNSET


class ChangeCounts(msgspec.Struct, frozen=True):
    """The number of tests by verdict; regressions that `--allow` names are counted apart."""

    regressed: int
    allowed: int
    improved: int
    added: int
    removed: int
    unchanged: int


class Diff(msgspec.Struct, frozen=True):
    """The comparison of two reports, with the worst changes first."""

    schema: str
    old: ComparedReport
    new: ComparedReport
    tally: ChangeCounts
    changes: tuple[ChangedTest, ...]


def diff(old: Report, new: Report, allowed: Iterable[str] = ()) -> Diff:
    """Compare two reports; `allowed` names the tests that may regress.

    Raise `BadInput` if a name in `allowed` is that of no test.
    """
    before, after = index_tests(old), index_tests(new)
    # A misspelt `--allow` would silently accept nothing.
    names = _check_allowed(allowed, [*before, *after])
    pairs = [_compare_test(key, before.get(key), after.get(key), names) for key in {**before, **after}]
    changes = sorted((change for change in pairs if change.verdict != "unchanged"), key=_rank_change)
    return Diff(SCHEMA, _make_compared_report(old), _make_compared_report(new), _count_changes(pairs), tuple(changes))


def list_test_spellings(key: Identity) -> tuple[str, ...]:
    """Return the names that a user may give a test: `test`, `suite/test` and `suite/test@model`."""
    suite, test, model = key
    return (test, f"{suite}/{test}", *([f"{suite}/{test}@{model}"] if model else []))


def _check_allowed(allowed: Iterable[str], keys: Iterable[Identity]) -> frozenset[str]:
    names = frozenset(allowed)
    known = dict.fromkeys(chain.from_iterable(list_test_spellings(key) for key in keys))
    for name in sorted(names - known.keys()):
        help_ = format_suggestion(name, known) or "a test is named `test`, `suite/test` or `suite/test@model`"
        raise BadInput(f"--allow `{name}`: no such test in either report", help_)
    return names


def index_tests(report: Report) -> dict[Identity, TestReport]:
    """Return the tests of a report by suite, test and model."""
    return {(suite.name, test.name, test.model or ""): test for suite in report.suites for test in suite.tests}


def _make_compared_report(report: Report) -> ComparedReport:
    found = report.summary
    f1 = found.selection.f1 if isinstance(found.selection, SelectionCounts) else UNSET
    return ComparedReport(report.mode, report.plan, found.tests, found.grade, f1)


def _count_changes(changes: list[ChangedTest]) -> ChangeCounts:
    verdicts = [change.verdict for change in changes]
    allowed = sum(change.is_allowed for change in changes)
    # An allowed regression is counted once, as allowed.
    counts = {verdict: verdicts.count(verdict) for verdict in ("improved", "added", "removed", "unchanged")}
    return ChangeCounts(regressed=verdicts.count("regressed") - allowed, allowed=allowed, **counts)


def _rank_change(change: ChangedTest) -> tuple[object, ...]:
    """Sort regressions first, allowed ones after the others; then by status, by the loss of F1, and by name."""
    (new, new_f1), (old, old_f1) = _rank_outcome(change.new), _rank_outcome(change.old)
    rank = (_ORDER.index(change.verdict), change.is_allowed, -new, old, new_f1 - old_f1)
    return (*rank, change.suite, change.test, change.model or "")


def _rank_outcome(side: ReportedOutcome | UnsetType) -> tuple[int, int]:
    if isinstance(side, UnsetType):
        return 0, 0
    return SEVERITY[side.status], side.f1 or 0


def _compare_test(
    key: Identity, old: TestReport | None, new: TestReport | None, allowed: frozenset[str]
) -> ChangedTest:
    before, after = _make_outcome(old), _make_outcome(new)
    verdict = _decide_verdict(before, after)
    causes = tuple(_find_causes(old, new)) if old and new and verdict != "unchanged" else ()
    return ChangedTest(
        verdict=verdict,
        suite=key[0],
        test=key[1],
        model=key[2] or UNSET,
        # An allowed test that improves is no longer marked, so that its `--allow` is seen to be obsolete.
        is_allowed=verdict == "regressed" and not allowed.isdisjoint(list_test_spellings(key)),
        old=before,
        new=after,
        # The sort is stable: causes that agree with the verdict come first, in the order of the gates.
        causes=tuple(sorted(causes, key=lambda cause: (cause.kind in _GOOD) == (verdict == "regressed"))),
    )


def _make_outcome(test: TestReport | None) -> ReportedOutcome | UnsetType:
    if test is None:
        return UNSET
    counts = find_graded_counts(test.gates)
    return ReportedOutcome(test.status, counts.f1 if counts else UNSET)


def _decide_verdict(old: ReportedOutcome | UnsetType, new: ReportedOutcome | UnsetType) -> Verdict:
    """Compare by status; if the status is the same, by F1."""
    if isinstance(old, UnsetType):
        return "added"
    if isinstance(new, UnsetType):
        return "removed"
    worse = SEVERITY[new.status] - SEVERITY[old.status]
    if not worse and isinstance(old.f1, int) and isinstance(new.f1, int):
        worse = old.f1 - new.f1
    return "regressed" if worse > 0 else "improved" if worse else "unchanged"


def _find_causes(old: TestReport, new: TestReport) -> Iterator[ChangeCause]:
    # A test that an error stopped has gates from part of its runs, so they explain nothing.
    if "error" in (old.status, new.status):
        if old.status != new.status:
            kind: CauseKind = "test_stopped" if new.status == "error" else "test_ran"
            yield ChangeCause(kind, UNSET, new.name, reason=new.reason)
        return
    before, after = ({gate.gate: gate for gate in test.gates} for test in (old, new))
    for name in {**after, **before}:
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            yield ChangeCause("gate_removed" if now is None else "gate_added", name, name)
        elif "skipped" in (was.status, now.status):
            if was.status != now.status:
                is_skipped = now.status == "skipped"
                yield ChangeCause("gate_skipped" if is_skipped else "gate_ran", name, name, reason=now.reason)
            continue
        # A gate on one side alone is compared with one that found nothing, so its failures are causes too.
        empty = GateResult(name, "passed")
        yield from _find_gate_causes(was or empty, now or empty, (old.runs, new.runs))


def _find_gate_causes(was: GateResult, now: GateResult, runs: tuple[int, int]) -> Iterator[ChangeCause]:
    if was.classes is not UNSET and now.classes is not UNSET:
        yield from _compare_frequencies(now.gate, _count_class_misses(was), _count_class_misses(now), _CLASS)
    if was.expected_tools is not UNSET and now.expected_tools is not UNSET:
        yield from _compare_frequencies(now.gate, _count_uncalled_tools(was), _count_uncalled_tools(now), _TOOL)
    calls = [_count_unexpected_calls(gate, count) for gate, count in zip((was, now), runs, strict=True)]
    for name in {**calls[1], **calls[0]}:
        old, new = (found.get(name, Frequency(0, count)) for found, count in zip(calls, runs, strict=True))
        if new.is_more_frequent_than(old) or old.is_more_frequent_than(new):
            yield ChangeCause(
                "unexpected_more" if new.is_more_frequent_than(old) else "unexpected_fewer", now.gate, name, old, new
            )
    yield from _find_assertion_causes(was, now)


_CLASS: tuple[CauseKind, ...] = ("class_missed", "class_reached", "class_added", "class_removed")
_TOOL: tuple[CauseKind, ...] = ("tool_uncalled", "tool_called", "tool_added", "tool_removed")


def _compare_frequencies(
    gate: str, before: Mapping[str, Frequency], after: Mapping[str, Frequency], kinds: tuple[CauseKind, ...]
) -> Iterator[ChangeCause]:
    more, fewer, added, removed = kinds
    for name in {**after, **before}:
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield ChangeCause(removed if new is None else added, gate, name, old or UNSET, new or UNSET)
        elif new.is_more_frequent_than(old) or old.is_more_frequent_than(new):
            yield ChangeCause(more if new.is_more_frequent_than(old) else fewer, gate, name, old, new)


def _count_class_misses(gate: GateResult) -> dict[str, Frequency]:
    return {found.name: Frequency(found.runs - found.hit_runs, found.runs) for found in gate.classes or ()}


def _count_uncalled_tools(gate: GateResult) -> dict[str, Frequency]:
    return {found.tool: Frequency(found.runs - found.hit_runs, found.runs) for found in gate.expected_tools or ()}


def _count_unexpected_calls(gate: GateResult, runs: int) -> dict[str, Frequency]:
    return {found.tool: Frequency(found.calls, runs) for found in gate.unexpected_tools or ()}


def _find_assertion_causes(was: GateResult, now: GateResult) -> Iterator[ChangeCause]:
    """Compare assertions by target and matcher: an assertion with another threshold is a new one."""
    before, after = ({_make_assertion_key(found): found for found in gate.assertions or ()} for gate in (was, now))
    for key in {**after, **before}:
        old, new = before.get(key), after.get(key)
        if new and new.status == "failed" and (old is None or old.status == "passed"):
            yield ChangeCause("assertion_failed" if old else "assertion_added", now.gate, new.target, reason=new.reason)
        elif old and old.status == "failed" and (new is None or new.status == "passed"):
            kind: CauseKind = "assertion_held" if new else "assertion_removed"
            yield ChangeCause(kind, now.gate, old.target, reason=old.reason)


def _make_assertion_key(assertion: AssertionResult) -> tuple[str, str]:
    # A matcher is a mapping and cannot be a key itself.
    return assertion.target, digest_json(assertion.matcher)
