"""A report in one line, for coding agents: the verdict, and for each failure why and the command that shows it."""

from ...foundations.outside_text import shown
from ..report.reasons import reasons
from ..report.report_model import Report, Selection, SuiteReport, TestReport
from ..report.reproduce import Reproducer

MAX_SHOWN = 5


def render_agent_line(report: Report, reproducer: Reproducer) -> str:
    """`PASS …` or `FAIL …`; what a failure says is cut, its command never."""
    found = report.summary
    failures = [(suite, test) for suite in report.suites for test in suite.tests if test.status in ("error", "failed")]
    grade = f", grade {found.grade}, F1 {found.selection.f1}" if isinstance(found.selection, Selection) else ""
    if not failures:
        skipped = f", {found.skipped:,} skipped" if found.skipped else ""
        return f"PASS {found.passed:,} of {found.tests:,} tests{skipped}{grade}\n"
    shown_ones = [_failure(suite, test, reproducer) for suite, test in failures[:MAX_SHOWN]]
    if len(failures) > MAX_SHOWN:
        shown_ones.append(f"and {len(failures) - MAX_SHOWN:,} more")
    return " | ".join([f"FAIL {len(failures):,} of {found.tests:,} tests{grade}", *shown_ones]) + "\n"


def _failure(suite: SuiteReport, test: TestReport, reproducer: Reproducer) -> str:
    model = f"@{shown(test.model)}" if isinstance(test.model, str) else ""
    why = shown("; ".join(reasons(test)))
    return f"{shown(suite.name)}/{shown(test.name)}{model}: {why} => {reproducer.command(suite, test)}"
