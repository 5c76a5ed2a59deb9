"""A report as text: worst first, and for each test what was missed, what was unexpected and what failed."""

from collections.abc import Container

from .compiler.diagnostic_output import Paint, apply_no_style
from .console import format_counted_noun
from .foundations.untrusted_text import make_visible
from .site.report.report_model import SEVERITY, Report, SelectionCounts, TestReport, find_graded_counts
from .site.report.status_reasons import list_status_reasons

_STYLES = {"failed": "error", "xpassed": "error", "passed": "good"}
_NONE = "-"
_INDENT = " " * 32


def format_scorecard(report: Report, paint: Paint = apply_no_style, statuses: Container[str] = SEVERITY) -> str:
    """Return the table of the tests with one of these statuses, and the summary of all."""
    rows = [(suite.name, test) for suite in report.suites for test in suite.tests if test.status in statuses]
    rows.sort(key=lambda row: (-SEVERITY[row[1].status], _get_f1(row[1])))
    has_many = len(report.suites) > 1
    lines = ["grade   F1    P    R  status   test"]
    for suite, test in rows:
        lines.append(_format_row(suite if has_many else None, test, paint))
        counted = test.warnings if report.mode == "score" else ()  # a run tells its warnings on stderr
        lines += [f"{_INDENT}{line}" for line in (*map(make_visible, counted), *list_status_reasons(test))]
    return "\n".join([*lines, "", _format_summary(report), ""])


def _format_row(suite: str | None, test: TestReport, paint: Paint) -> str:
    counts = find_graded_counts(test.gates)
    numbers = [f"{n:>3}" for n in (counts.f1, counts.precision, counts.recall)] if counts else [f"{_NONE:>3}"] * 3
    grade = next((gate.grade for gate in test.gates if isinstance(gate.grade, str)), _NONE)
    name = " · ".join(make_visible(part) for part in (suite, test.name, test.model) if isinstance(part, str))
    status = paint(f"{test.status:<7}", _STYLES.get(test.status, "warning"))
    return f"  {grade}    {'  '.join(numbers)}  {status}  {name}"


def _format_summary(report: Report) -> str:
    found = report.summary
    verdict = ", ".join(f"{number:,} {word}" for number, word in found.list_counts() if number)
    grade = ""
    if isinstance(found.selection, SelectionCounts):
        grade = f"; grade {found.grade}, F1 {found.selection.f1}"
    skipped = f"; {format_counted_noun(found.skipped_gates, 'gate')} skipped" if found.skipped_gates else ""
    return f"{format_counted_noun(found.tests, 'test')}: {verdict}{grade}{skipped}"


def _get_f1(test: TestReport) -> int:
    counts = find_graded_counts(test.gates)
    # Above the best there is: a test without counts comes last among equals.
    return counts.f1 if counts else 101
