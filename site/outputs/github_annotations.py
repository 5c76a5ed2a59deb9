"""A report as GitHub annotations: workflow commands that put each failure beside the gate it is about."""

from collections.abc import Callable

from ...compiler.places import Places
from ...compiler.render import annotation
from ...foundations.outside_text import shown
from ..report.reasons import failed_gate, reasons
from ..report.report_model import Report, SuiteReport, TestReport

MAX_SHOWN = 10
"""GitHub shows no more annotations of a kind for one step; what it would drop is counted in the last."""


def render_annotations(report: Report, places: Places, from_root: Callable[[str], str] = str) -> str:
    """A line for each test that did not pass, worst first; `from_root` names a file from the repository's root."""
    found = [(suite, test) for suite in report.suites for test in suite.tests if test.status in ("error", "failed")]
    found.sort(key=lambda pair: pair[1].status != "error")
    fits = found if len(found) <= MAX_SHOWN else found[: MAX_SHOWN - 1]
    lines = [_annotation(suite, test, places, from_root) for suite, test in fits]
    if len(found) > len(fits):
        more = f"and {len(found) - len(fits):,} more tests that did not pass"
        lines.append(annotation("error", None, "toolgrade", more))
    return "".join(lines)


def _annotation(suite: SuiteReport, test: TestReport, places: Places, from_root: Callable[[str], str]) -> str:
    place = places.of(suite.name, test.name, failed_gate(test))
    names = [name for name in (suite.name, test.name, test.model) if isinstance(name, str)]
    title = " · ".join(shown(name) for name in names)
    where = (from_root(place.file), place.line, place.column)
    return annotation("error", where, title, "\n".join([f"{test.status}: {title}", *reasons(test)]))
