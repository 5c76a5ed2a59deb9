"""A report as JUnit XML, which GitHub, GitLab and Jenkins read: a suite each, a case for each test with a model."""

from xml.etree import ElementTree as ET

from ...foundations.outside_text import shown
from ..report.reasons import reasons
from ..report.report_model import Report, SuiteReport, TestReport
from ..report.reproduce import Reproducer

MAX_LINES = 50
_LINE = 1_000
_TAGS = {"failed": "failure", "error": "error", "skipped": "skipped"}


def render_junit(report: Report, reproducer: Reproducer) -> bytes:
    """XML 1.0 in UTF-8. It holds no times, so that equal results are equal bytes."""
    counts = report.summary
    root = ET.Element("testsuites", name="toolgrade", tests=str(counts.tests), failures=str(counts.failed))
    root.set("errors", str(counts.errors))
    for suite in report.suites:
        root.append(_suite(suite, reproducer))
    ET.indent(root)
    written: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return written + b"\n"


def _suite(suite: SuiteReport, reproducer: Reproducer) -> ET.Element:
    statuses = [test.status for test in suite.tests]
    element = ET.Element("testsuite", name=shown(suite.name), tests=str(len(statuses)), file=shown(suite.file))
    for status, attribute in (("failed", "failures"), ("error", "errors"), ("skipped", "skipped")):
        element.set(attribute, str(statuses.count(status)))
    if isinstance(suite.grade, str):
        properties = ET.SubElement(element, "properties")
        ET.SubElement(properties, "property", name="grade", value=shown(suite.grade))
    for test in suite.tests:
        element.append(_case(suite, test, reproducer))
    return element


def _case(suite: SuiteReport, test: TestReport, reproducer: Reproducer) -> ET.Element:
    model = f" [{shown(test.model)}]" if isinstance(test.model, str) else ""
    case = ET.Element("testcase", classname=shown(suite.name), name=f"{shown(test.name)}{model}")
    if test.status in _TAGS:
        lines = [line[:_LINE] for line in reasons(test, lambda text: shown(text, _LINE))]
        outcome = ET.SubElement(case, _TAGS[test.status], type=test.status, message=lines[0] if lines else test.status)
        if test.status != "skipped":
            more = [f"and {len(lines) - MAX_LINES:,} more"] if len(lines) > MAX_LINES else []
            command = reproducer.command(suite, test)
            outcome.text = "\n".join(["", *lines[:MAX_LINES], *more, f"reproduce: {shown(command, _LINE)}", ""])
    return case
