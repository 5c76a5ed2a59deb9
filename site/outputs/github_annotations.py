"""A report as GitHub workflow commands, which show each failure beside the gate in the suite file."""

from collections.abc import Callable

from ...compiler.diagnostic_output import format_github_annotation
from ...compiler.suite_locations import SuiteLocations
from ...foundations.untrusted_text import escape_untrusted_text
from ..report.report_model import SEVERITY, Report, SuiteReport, TestReport
from ..report.status_reasons import find_failed_gate, list_status_reasons

MAX_SHOWN = 10
"""GitHub shows no more annotations of a kind for one step; what it would drop is counted in the last."""


def render_annotations(report: Report, locations: SuiteLocations, from_root: Callable[[str], str] = str) -> str:
    """Return an annotation for each test that failed, errors first; `from_root` maps a path to the checkout."""
    found = [(suite, test) for suite in report.suites for test in suite.tests if test.is_broken]
    # Stable: tests of equal status stay in the order of the report.
    found.sort(key=lambda pair: -SEVERITY[pair[1].status])
    # The last of the ten says how many tests were left out.
    fits = found if len(found) <= MAX_SHOWN else found[: MAX_SHOWN - 1]
    lines = [_render_annotation(suite, test, locations, from_root) for suite, test in fits]
    if len(found) > len(fits):
        more = f"and {len(found) - len(fits):,} more tests that did not pass"
        lines.append(format_github_annotation("error", None, "toolgrade", more))
    return "".join(lines)


def _render_annotation(
    suite: SuiteReport, test: TestReport, locations: SuiteLocations, from_root: Callable[[str], str]
) -> str:
    location = locations.find_test(suite.name, test.name, find_failed_gate(test))
    names = [name for name in (suite.name, test.name, test.model) if isinstance(name, str)]
    title = " · ".join(escape_untrusted_text(name) for name in names)
    where = (from_root(location.file), location.line, location.column)
    return format_github_annotation(
        "error", where, title, "\n".join([f"{test.status}: {title}", *list_status_reasons(test)])
    )
