"""A report in one line for coding agents: the verdict, and a reason and a command for each failure."""

from ...foundations.untrusted_text import escape_untrusted_text
from ..report.report_model import Report, SelectionCounts, SuiteReport, TestReport
from ..report.reproduce_command import Reproducer
from ..report.status_reasons import list_status_reasons

MAX_SHOWN = 5


def render_agent_line(report: Report, reproducer: Reproducer) -> str:
    """Return `PASS …` or `FAIL …`; reasons are shortened, commands never are."""
    found = report.summary
    failures = [(suite, test) for suite in report.suites for test in suite.tests if test.is_broken]
    grade = f", grade {found.grade}, F1 {found.selection.f1}" if isinstance(found.selection, SelectionCounts) else ""
    if not failures:
        others = [f", {number:,} {word}" for number, word in found.list_counts()[1:] if number]
        return f"PASS {found.passed:,} of {found.tests:,} tests{''.join(others)}{grade}\n"
    lines = [_format_failure(suite, test, reproducer) for suite, test in failures[:MAX_SHOWN]]
    if len(failures) > MAX_SHOWN:
        lines.append(f"and {len(failures) - MAX_SHOWN:,} more")
    return " | ".join([f"FAIL {len(failures):,} of {found.tests:,} tests{grade}", *lines]) + "\n"


def _format_failure(suite: SuiteReport, test: TestReport, reproducer: Reproducer) -> str:
    model = f"@{escape_untrusted_text(test.model)}" if isinstance(test.model, str) else ""
    why = escape_untrusted_text("; ".join(list_status_reasons(test)))
    name = f"{escape_untrusted_text(suite.name)}/{escape_untrusted_text(test.name)}{model}"
    # A command that is cut would select another test, so only the reason is shortened.
    return f"{name}: {why} => {reproducer.format_command(suite, test)}"
