"""Tests that are expected to fail, in the report and in every format of it."""

from xml.etree import ElementTree as ET

import msgspec
import pytest

from toolgrade.compiler.compilation import compile_text
from toolgrade.compiler.suite_locations import SuiteLocations
from toolgrade.foundations.canonical_json import to_json
from toolgrade.gates.trace import Call
from toolgrade.runners.scoring import score_traces
from toolgrade.runners.trace_file import RecordedRun, TraceFileEntry
from toolgrade.scorecard import format_scorecard
from toolgrade.site.outputs.agent_line import render_agent_line
from toolgrade.site.outputs.github_annotations import render_annotations
from toolgrade.site.outputs.junit import render_junit
from toolgrade.site.outputs.markdown_summary import render_markdown_summary
from toolgrade.site.report.report_file import read_report
from toolgrade.site.report.report_model import Report, make_report
from toolgrade.site.report.reproduce_command import Reproducer

SUITE = b"""
tests:
  - name: finds it
    xfail: no description says "quarterly"
    tool_correctness: {expected_tools: [search]}
  - name: answers
    xfail: {reason: too small, models: [small]}
    models: [small, large]
    tool_correctness: {expected_tools: [search]}
"""
COMPILATION = compile_text(SUITE, "shop.yml")
PLACES = SuiteLocations(COMPILATION)


def score(**tools: str) -> Report:
    """Score a run of each test, given as the tool that it calls."""
    assert COMPILATION.plan is not None
    calls = [("finds it", None, "a"), ("answers", "small", "b"), ("answers", "large", "c")]
    runs = [
        RecordedRun(tool_calls=(Call(tools.get(key, "search")),), test=test, model=model) for test, model, key in calls
    ]
    entries = [TraceFileEntry("run", number, run, None) for number, run in enumerate(runs, 1)]
    return make_report(COMPILATION.plan, score_traces(COMPILATION.plan, entries), "score")


FAILING = score(a="other", b="other")
PASSING = score(b="other")


def test_each_test_is_in_one_sum_of_the_summary() -> None:
    found = FAILING.summary
    assert (found.passed, found.failed, found.xfailed, found.xpassed) == (1, 0, 2, msgspec.UNSET)
    found = PASSING.summary
    assert (found.passed, found.failed, found.xfailed, found.xpassed) == (1, 0, 1, 1)
    assert (FAILING.summary.has_failed, PASSING.summary.has_failed) == (False, True)
    assert read_report(to_json(PASSING)) == PASSING


def test_models_that_are_not_named_are_expected_to_pass() -> None:
    assert [test.status for suite in FAILING.suites for test in suite.tests] == ["xfailed", "xfailed", "passed"]
    assert (
        "xfailed" not in to_json(score(a="other", c="other")).decode().partition('"answers"')[0].partition("summary")[2]
    )
    assert score(a="other", b="other", c="other").summary.failed == 1


def test_the_table_says_why_it_fails_and_what_to_do_if_it_passes() -> None:
    assert 'expected to fail: no description says "quarterly"' in format_scorecard(FAILING)
    assert "3 tests: 1 passed, 2 xfailed" in format_scorecard(FAILING)
    table = format_scorecard(PASSING)
    assert 'passed, and was expected to fail: no description says "quarterly"; remove `xfail`' in table
    assert "3 tests: 1 passed, 1 xpassed, 1 xfailed" in table


def test_in_junit_an_expected_failure_is_skipped_and_an_unexpected_pass_fails() -> None:
    root = ET.fromstring(render_junit(PASSING, Reproducer(PLACES, PASSING)))
    assert (root.get("failures"), root[0].get("failures"), root[0].get("skipped")) == ("1", "1", "1")
    cases = {f"{case.get('name')}": case for case in root.iter("testcase")}
    skipped = cases["answers [small]"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "expected to fail: too small"
    assert cases["finds it"].find("failure") is not None


@pytest.mark.parametrize(("report", "verdict"), [(FAILING, "passed"), (PASSING, "failed")])
def test_markdown_annotations_and_the_line_for_agents_follow(report: Report, verdict: str) -> None:
    assert f"### toolgrade: {verdict}" in render_markdown_summary(report)
    assert bool(render_annotations(report, PLACES)) == (verdict == "failed")
    line = render_agent_line(report, Reproducer(PLACES, report))
    assert line.startswith("PASS 1 of 3 tests, 2 xfailed" if verdict == "passed" else "FAIL 1 of 3 tests")
