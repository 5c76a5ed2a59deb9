"""A report as text: worst first, and for each test what was missed, what was unexpected and what failed."""

from collections.abc import Iterator

from msgspec import UnsetType

from .compiler.render import Paint, plain, visible
from .console import counted
from .gates.result import GateResult
from .site.report import Report, Selection, TestReport, graded_counts

_ORDER = {"error": 0, "failed": 1, "passed": 2, "skipped": 3}
_SHOWN = 5
_NONE = "-"


def scorecard(report: Report, paint: Paint = plain) -> str:
    """The table and its summary."""
    rows = [(suite.name, test) for suite in report.suites for test in suite.tests]
    rows.sort(key=lambda row: (_ORDER[row[1].status], _f1(row[1])))
    has_many = len(report.suites) > 1
    lines = ["grade   F1    P    R  status   test"]
    for suite, test in rows:
        lines.append(_row(suite if has_many else None, test, paint))
        lines += [f"                       {'':7}  {line}" for line in _details(test)]
    return "\n".join([*lines, "", _summary(report), ""])


def _row(suite: str | None, test: TestReport, paint: Paint) -> str:
    counts = graded_counts(test.gates)
    numbers = [f"{n:>3}" for n in (counts.f1, counts.precision, counts.recall)] if counts else [f"{_NONE:>3}"] * 3
    grade = next((gate.grade for gate in test.gates if isinstance(gate.grade, str)), _NONE)
    name = " · ".join(visible(part) for part in (suite, test.name, test.model) if isinstance(part, str))
    status = paint(f"{test.status:<7}", {"failed": "error", "passed": "good"}.get(test.status, "warning"))
    return f"  {grade}    {'  '.join(numbers)}  {status}  {name}"


def _details(test: TestReport) -> Iterator[str]:
    for gate in test.gates:
        if gate.status == "skipped" and isinstance(gate.reason, str):
            yield f"{gate.gate} skipped: {gate.reason}"
        yield from _missed(gate, test.runs)
        yield from _unexpected(gate)
        yield from _uncalled(gate)
        for assertion in gate.assertions if not isinstance(gate.assertions, UnsetType) else ():
            if assertion.status == "failed":
                where = f" (run {assertion.run})" if isinstance(assertion.run, int) and test.runs > 1 else ""
                yield f"{visible(assertion.target)}{where}: {visible(str(assertion.reason))}"


def _missed(gate: GateResult, runs: int) -> Iterator[str]:
    if not isinstance(gate.missed_classes, UnsetType) and gate.missed_classes:
        yield _listed("missed", [f"{m.name}{_in_runs(m.runs, runs)}" for m in gate.missed_classes])


def _unexpected(gate: GateResult) -> Iterator[str]:
    if not isinstance(gate.unexpected_tools, UnsetType) and gate.unexpected_tools:
        tools = [f"{u.tool}{f' x{u.calls}' if u.calls > 1 else ''}" for u in gate.unexpected_tools]
        yield _listed("unexpected", tools)


def _uncalled(gate: GateResult) -> Iterator[str]:
    if not isinstance(gate.expected_tools, UnsetType):
        tools = [f"{t.tool}{_in_runs(t.runs - t.hit_runs, t.runs)}" for t in gate.expected_tools if t.hit_runs < t.runs]
        if tools:
            yield _listed("never called" if gate.status == "failed" else "not called", tools)


def _in_runs(some: int, runs: int) -> str:
    return f" in {some:,} of {runs:,} runs" if runs > 1 else ""


def _listed(word: str, items: list[str]) -> str:
    more = [f"{len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
    return f"{word} {', '.join(visible(item) for item in [*items[:_SHOWN], *more])}"


def _summary(report: Report) -> str:
    found = report.summary
    counts = ((found.passed, "passed"), (found.failed, "failed"), (found.errors, "errors"), (found.skipped, "skipped"))
    verdict = ", ".join(f"{number:,} {word}" for number, word in counts if number)
    grade = ""
    if isinstance(found.selection, Selection):
        grade = f"; grade {found.grade}, F1 {found.selection.f1}"
    skipped = f"; {counted(found.skipped_gates, 'gate')} skipped" if found.skipped_gates else ""
    return f"{counted(found.tests, 'test')}: {verdict}{grade}{skipped}"


def _f1(test: TestReport) -> int:
    counts = graded_counts(test.gates)
    return counts.f1 if counts else 101
