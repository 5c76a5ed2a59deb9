"""A report as JUnit XML for GitHub, GitLab and Jenkins: a `testsuite` per suite, a `testcase` per cell."""

from xml.etree import ElementTree as ET

from ...foundations.untrusted_text import escape_untrusted_text
from ..report.report_model import Report, SuiteReport, TestReport
from ..report.reproduce_command import Reproducer
from ..report.status_reasons import list_status_reasons

MAX_LINES = 50
_LINE = 1_000
# JUnit knows no expected failure: one is a skip to CI, and an unexpected pass is a failure.
_TAGS = {"failed": "failure", "xpassed": "failure", "error": "error", "skipped": "skipped", "xfailed": "skipped"}
_ATTRIBUTES = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render_junit(report: Report, reproducer: Reproducer) -> bytes:
    """Return XML 1.0 in UTF-8. It holds no times, so equal results are equal bytes."""
    counts = report.summary
    root = ET.Element(
        "testsuites", name="toolgrade", tests=str(counts.tests), failures=str(counts.failed + (counts.xpassed or 0))
    )
    root.set("errors", str(counts.errors))
    for suite in report.suites:
        root.append(_make_suite_element(suite, reproducer))
    ET.indent(root)
    # typeshed gives `tostring` the type Any.
    written: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return written + b"\n"


def _make_suite_element(suite: SuiteReport, reproducer: Reproducer) -> ET.Element:
    statuses = [test.status for test in suite.tests]
    element = ET.Element(
        "testsuite",
        name=escape_untrusted_text(suite.name),
        tests=str(len(statuses)),
        file=escape_untrusted_text(suite.file),
    )
    for tag, attribute in _ATTRIBUTES.items():
        element.set(attribute, str(sum(_TAGS.get(status) == tag for status in statuses)))
    if isinstance(suite.grade, str):
        properties = ET.SubElement(element, "properties")
        ET.SubElement(properties, "property", name="grade", value=escape_untrusted_text(suite.grade))
    for test in suite.tests:
        element.append(_make_case_element(suite, test, reproducer))
    return element


def _make_case_element(suite: SuiteReport, test: TestReport, reproducer: Reproducer) -> ET.Element:
    model = f" [{escape_untrusted_text(test.model)}]" if isinstance(test.model, str) else ""
    case = ET.Element(
        "testcase", classname=escape_untrusted_text(suite.name), name=f"{escape_untrusted_text(test.name)}{model}"
    )
    if test.status in _TAGS:
        # A reason can quote a whole answer; it is cut so that the file stays small.
        lines = [line[:_LINE] for line in list_status_reasons(test, lambda text: escape_untrusted_text(text, _LINE))]
        outcome = ET.SubElement(case, _TAGS[test.status], type=test.status, message=lines[0] if lines else test.status)
        # A test that was skipped or failed as expected needs no command that repeats it.
        if _TAGS[test.status] != "skipped":
            more = [f"and {len(lines) - MAX_LINES:,} more"] if len(lines) > MAX_LINES else []
            command = reproducer.format_command(suite, test)
            outcome.text = "\n".join(
                ["", *lines[:MAX_LINES], *more, f"reproduce: {escape_untrusted_text(command, _LINE)}", ""]
            )
    return case
