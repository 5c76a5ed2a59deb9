"""A report as text: worst first, and for each test what was missed, what was unexpected and what failed."""

from collections.abc import Container

from .compiler.render import Paint, plain
from .console import counted
from .foundations.outside_text import make_visible
from .site.report.reasons import reasons
from .site.report.report_model import Report, Selection, TestReport, graded_counts

_ORDER = {"error": 0, "failed": 1, "passed": 2, "skipped": 3}
_NONE = "-"
_INDENT = " " * 32


def scorecard(report: Report, paint: Paint = plain, statuses: Container[str] = _ORDER) -> str:
    """The table of the tests that stand so, and the summary of all."""
    rows = [(suite.name, test) for suite in report.suites for test in suite.tests if test.status in statuses]
    rows.sort(key=lambda row: (_ORDER[row[1].status], _f1(row[1])))
    has_many = len(report.suites) > 1
    lines = ["grade   F1    P    R  status   test"]
    for suite, test in rows:
        lines.append(_row(suite if has_many else None, test, paint))
        lines += [f"{_INDENT}{line}" for line in reasons(test)]
    return "\n".join([*lines, "", _summary(report), ""])


def _row(suite: str | None, test: TestReport, paint: Paint) -> str:
    counts = graded_counts(test.gates)
    numbers = [f"{n:>3}" for n in (counts.f1, counts.precision, counts.recall)] if counts else [f"{_NONE:>3}"] * 3
    grade = next((gate.grade for gate in test.gates if isinstance(gate.grade, str)), _NONE)
    name = " · ".join(make_visible(part) for part in (suite, test.name, test.model) if isinstance(part, str))
    status = paint(f"{test.status:<7}", {"failed": "error", "passed": "good"}.get(test.status, "warning"))
    return f"  {grade}    {'  '.join(numbers)}  {status}  {name}"


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
