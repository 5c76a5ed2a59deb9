"""The diff of two reports, on reports of any shape."""

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from toolgrade.foundations.canonical_json import to_json
from toolgrade.foundations.fault import BadInput
from toolgrade.gates.gate_result import (
    AssertionResult,
    ClassResult,
    Counts,
    ExpectedTool,
    GateResult,
    MissedClass,
    Status,
    UnexpectedTool,
)
from toolgrade.gates.grade import letter_grade
from toolgrade.runners.cell_result import TestStatus as Standing
from toolgrade.site.outputs.comparison_text import (
    format_inline_code,
    render_comparison_markdown,
    render_comparison_text,
)
from toolgrade.site.report import report_file
from toolgrade.site.report import report_model as site_report
from toolgrade.site.report.change_causes import ChangeCause
from toolgrade.site.report.comparison import diff
from toolgrade.site.report.comparison_model import ChangedTest, Diff, ExactResult
from toolgrade.site.report.report_file import InvalidReport, NewerReportSchema, read_report
from toolgrade.site.report.report_model import filter_report

HOSTILE = [
    "a|b",
    "`tick`",
    "two\nlines",
    "@octocat",
    "<img src=x onerror=alert(1)>",
    "\x1b[31m",
    "a\\|b",
    "",
    " ",
    "[x](y)",
]
NAMES = st.sampled_from(["search", "fetch", "mail", *HOSTILE])
PAIRS = {
    "class_missed": "class_reached", "class_added": "class_removed", "tool_uncalled": "tool_called",
    "tool_added": "tool_removed", "unexpected_more": "unexpected_fewer", "assertion_failed": "assertion_held",
    "assertion_added": "assertion_removed", "gate_skipped": "gate_ran", "gate_added": "gate_removed",
    "test_stopped": "test_ran", "test_skipped": "test_unskipped", "class_changed": "class_changed",
}  # fmt: skip
MIRROR = PAIRS | {there: here for here, there in PAIRS.items()}


@st.composite
def assertions(draw: st.DrawFn) -> tuple[AssertionResult, ...]:
    targets = draw(st.lists(st.tuples(NAMES, st.integers(0, 2)), max_size=3, unique=True))
    return tuple(
        AssertionResult(target, {">=": bound}, "passed", actual=100)
        if draw(st.booleans())
        else AssertionResult(
            target, {">=": bound}, "failed", actual=draw(st.none() | st.floats(-1, 1)), reason=draw(NAMES)
        )
        for target, bound in targets
    )


@st.composite
def selection_gates(draw: st.DrawFn, name: str, runs: int) -> GateResult:
    classes = tuple(
        ClassResult(found, ("x",), hits, runs, {"x": hits} if hits else {})
        for found in draw(st.lists(NAMES, max_size=4, unique=True))
        for hits in [draw(st.integers(0, runs))]
    )
    called = draw(st.dictionaries(NAMES, st.integers(1, 4), max_size=2))
    tp = sum(found.hit_runs for found in classes)
    counts = Counts(tp, sum(called.values()), runs * len(classes) - tp)
    return GateResult(
        name,
        draw(st.sampled_from(["passed", "failed"])),
        grade=letter_grade(counts.f1),
        counts=msgspec.structs.asdict(counts),
        values={"tool_selection.f1": counts.f1, "cost": "0.10", "ratio": 1.5},
        classes=classes,
        missed_classes=tuple(MissedClass(c.name, runs - c.hit_runs) for c in classes if c.hit_runs < runs),
        unexpected_tools=tuple(UnexpectedTool(tool, calls) for tool, calls in called.items()),
        assertions=draw(assertions()),
    )


@st.composite
def gates(draw: st.DrawFn, name: str, runs: int) -> GateResult:
    if draw(st.integers(0, 4)) == 0:
        return GateResult(name, "skipped", reason=draw(NAMES))
    if name in ("equal_function_sets", "token_efficiency"):
        return draw(selection_gates(name, runs))
    status: Status = draw(st.sampled_from(["passed", "failed"]))
    tools = draw(st.lists(NAMES, max_size=3, unique=True))
    expected = tuple(ExpectedTool(tool, draw(st.integers(0, runs)), runs) for tool in tools)
    return GateResult(name, status, expected_tools=expected, assertions=draw(assertions()))


@st.composite
def cells(draw: st.DrawFn, name: str, model: str) -> site_report.TestReport:
    runs = draw(st.integers(1, 3))
    kinds = draw(st.lists(st.sampled_from(["equal_function_sets", "token_efficiency", "expect"]), unique=True))
    status: Standing = draw(st.sampled_from(["passed", "failed", "error", "skipped"]))
    found = tuple(draw(gates(kind, runs)) for kind in kinds)
    return site_report.TestReport(name, runs, status, found, model=model or UNSET)


@st.composite
def reports(draw: st.DrawFn) -> site_report.Report:
    names = st.tuples(st.sampled_from(["one", "a|b"]), NAMES, st.sampled_from(["", "lexical", "@n"]))
    by_suite: dict[str, list[site_report.TestReport]] = {}
    for suite, name, model in draw(st.lists(names, max_size=6, unique=True)):
        by_suite.setdefault(suite, []).append(draw(cells(name, model)))
    suites = tuple(site_report.SuiteReport(name, "s.yml", tuple(found)) for name, found in by_suite.items())
    return make_report(suites, draw(st.sampled_from(["sha256:a", "sha256:b"])))


def make_report(suites: tuple[site_report.SuiteReport, ...], plan: str = "sha256:a") -> site_report.Report:
    statuses = [test.status for suite in suites for test in suite.tests]
    counts = [statuses.count(status) for status in ("passed", "failed", "error", "skipped")]
    summary = site_report.ReportSummary(len(statuses), *counts, skipped_gates=0)
    return site_report.Report(site_report.SCHEMA, "score", plan, summary, suites)


def one_test(
    status: Standing, f1: tuple[int, int, int] | None = None, model: str = "lexical", **more: Any
) -> site_report.Report:
    counts = msgspec.structs.asdict(Counts(*f1)) if f1 else UNSET
    gate = GateResult("equal_function_sets", "passed", counts=counts)
    test = site_report.TestReport("picks search", 1, status, (gate,), model=model, **more)
    return make_report((site_report.SuiteReport("research", "s.yml", (test,)),))


def verdicts(found: Diff) -> Mapping[tuple[str, str, str | UnsetType], str]:
    return {(change.suite, change.test, change.model): change.verdict for change in found.changes}


def mirrored(cause: ChangeCause) -> tuple[object, ...]:
    return (MIRROR[cause.kind], cause.gate, cause.name, cause.new, cause.old)


def told(cause: ChangeCause) -> tuple[object, ...]:
    return (cause.kind, cause.gate, cause.name, cause.old, cause.new)


@given(reports())
def test_a_report_does_not_differ_from_itself(report: site_report.Report) -> None:
    found = diff(report, report)
    assert found.changes == ()
    assert found.tally.unchanged == sum(len(suite.tests) for suite in report.suites)
    assert render_comparison_text(found).count("\n") == render_comparison_markdown(found).count("\n") == 3


@given(reports(), reports())
def test_swapping_the_reports_swaps_the_verdicts_and_the_causes(
    old: site_report.Report, new: site_report.Report
) -> None:
    there, back = diff(old, new), diff(new, old)
    swap = {"regressed": "improved", "improved": "regressed", "added": "removed", "removed": "added"}
    assert verdicts(back) == {key: swap.get(verdict, verdict) for key, verdict in verdicts(there).items()}
    assert there.tally.unchanged == back.tally.unchanged
    causes = {(c.suite, c.test, c.model): {mirrored(cause) for cause in c.causes} for c in there.changes}
    assert {(c.suite, c.test, c.model): {told(cause) for cause in c.causes} for c in back.changes} == causes


@given(reports(), reports())
def test_every_test_is_counted_once(old: site_report.Report, new: site_report.Report) -> None:
    keys = {(suite.name, test.name, test.model) for r in (old, new) for suite in r.suites for test in suite.tests}
    assert sum(msgspec.structs.astuple(diff(old, new).tally)) == len(keys)


@given(reports(), reports(), st.randoms())
def test_the_order_of_suites_and_tests_changes_nothing(
    old: site_report.Report, new: site_report.Report, random: Random
) -> None:
    suites = [msgspec.structs.replace(s, tests=tuple(random.sample(s.tests, len(s.tests)))) for s in new.suites]
    random.shuffle(suites)
    shuffled = msgspec.structs.replace(new, suites=tuple(suites))
    assert to_json(diff(old, new)) == to_json(diff(old, shuffled))


@given(reports(), reports())
def test_regressions_stand_first_and_allowing_all_of_them_leaves_none(
    old: site_report.Report, new: site_report.Report
) -> None:
    found = diff(old, new)
    regressed = [change for change in found.changes if change.verdict == "regressed"]
    assert list(found.changes[: len(regressed)]) == regressed
    allowed = diff(old, new, [change.test for change in regressed])
    assert (allowed.tally.regressed, allowed.tally.allowed) == (0, len(regressed))
    assert all(change.is_allowed == (change.verdict == "regressed") for change in allowed.changes)


@given(reports())
def test_a_report_is_read_back_to_the_same_bytes(report: site_report.Report) -> None:
    data = to_json(report)
    with patch.object(report_file, "find_contradictions", return_value=()):  # drawn figures do not fit together
        assert to_json(read_report(data)) == data


@given(reports(), reports())
def test_a_row_of_the_table_has_its_five_cells_whatever_the_names(
    old: site_report.Report, new: site_report.Report
) -> None:
    found = diff(old, new)
    rows = [line for line in render_comparison_markdown(found).splitlines() if line.startswith("|")]
    assert len(rows) == (len(found.changes) + 2 if found.changes else 0)
    assert {row.count("|") for row in rows} <= {6}


@given(st.text())
def test_code_is_inert_in_markdown(text: str) -> None:
    written = format_inline_code(text)
    if written.startswith("<code>"):
        inner = written.removeprefix("<code>").removesuffix("</code>")
        assert not re.search(r"[<>|`@*\[\]\\]", inner)
    else:
        assert re.fullmatch(r"`[^`|\\\n\r]*[^`|\\\s][^`|\\\n\r]*`", written)


@given(reports(), reports())
def test_text_holds_nothing_that_steers_a_terminal(old: site_report.Report, new: site_report.Report) -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", render_comparison_text(diff(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("passed", "failed", "regressed"), ("passed", "error", "regressed"), ("passed", "skipped", "asked_differently"),
        ("skipped", "failed", "asked_differently"), ("failed", "error", "regressed"), ("failed", "passed", "improved"),
        ("error", "failed", "improved"), ("xfailed", "xpassed", "improved"), ("xpassed", "xfailed", "regressed"),
    ],
)  # fmt: skip
def test_status_decides(old: Standing, new: Standing, verdict: str) -> None:
    (change,) = diff(one_test(old, (1, 1, 1)), one_test(new, (1, 1, 1))).changes
    assert change.verdict == verdict


def test_other_arguments_answers_prompts_and_costs_are_no_change() -> None:
    data = (Path(__file__).parents[2] / "golden/replay/several-runs-and-servers/report.json").read_bytes()
    for old, new in (
        (b'"force": true', b'"force": false'),
        (b"The last commit.", b"Something else."),
        (b"0.006", b"9.9"),
    ):
        assert old in data
        found = diff(read_report(data), read_report(data.replace(old, new)))
        assert (found.tally.unchanged, found.changes) == (1, ())


def test_at_the_same_status_a_lower_f1_is_a_regression() -> None:
    (change,) = diff(one_test("passed", (2, 0, 0)), one_test("passed", (1, 1, 1))).changes
    assert change.verdict == "regressed"


def test_status_decides_where_f1_says_the_opposite() -> None:
    (change,) = diff(one_test("passed", (1, 1, 1)), one_test("failed", (2, 0, 0))).changes
    assert change.verdict == "regressed"


def test_without_an_f1_on_one_side_the_same_status_is_unchanged() -> None:
    assert diff(one_test("passed", (1, 0, 0)), one_test("passed")).changes == ()


@pytest.mark.parametrize("name", ["picks search", "research/picks search", "research/picks search@lexical"])
def test_a_test_is_allowed_by_each_of_its_names(name: str) -> None:
    found = diff(one_test("passed"), one_test("failed"), [name])
    assert (found.tally.regressed, found.tally.allowed) == (0, 1)


@pytest.mark.parametrize("name", ["picks serch", "reserch/picks search", "research/picks search@n"])
def test_an_allowed_name_of_no_test_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(BadInput, match="no such test in either report") as caught:
        diff(one_test("passed"), one_test("failed"), [name])
    assert "did you mean" in str(caught.value.help)


def test_a_class_missed_in_as_many_of_fewer_runs_is_missed_more() -> None:
    old, new = (class_report(hits, runs) for hits, runs in ((3, 4), (1, 2)))
    (change,) = diff(old, new).changes
    assert change.verdict == "within_noise"
    assert [cause.kind for cause in change.causes] == ["class_missed"]


def class_report(hits: int, runs: int, member: str = "http.get") -> site_report.Report:
    found = ClassResult("fetch", (member,), hits, runs, {})
    counts = {"tp": hits, "fp": 0, "fn": runs - hits}
    gate = GateResult("equal_function_sets", "passed", counts=counts, classes=(found,))
    test = site_report.TestReport("t", runs, "passed", (gate,))
    return make_report((site_report.SuiteReport("s", "s.yml", (test,)),))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "it is empty"),
        (b"{", "not JSON"),
        (b'{"schema": "\xff"}', "not UTF-8"),
        (b'{"later": ' + b"[" * 100_000, "nested too deeply"),
        (b'{\n<<<<<<< HEAD\n"schema": 1}', "merge conflict"),
        (b"[]", "not a report"),
        (b"{}", "missing required field `schema`"),
        (b'{"schema": "toolgrade.plan/1"}', "its schema is `toolgrade.plan/1`"),
        (b'{"schema": "toolgrade.report/0"}', "its schema is"),
        (b'{"schema": "toolgrade.report/1"}', "missing required field `mode`"),
    ],
)
def test_what_is_no_report_is_refused_with_the_reason(data: bytes, says: str) -> None:
    with pytest.raises(InvalidReport, match=re.escape(says)):
        read_report(data)


def test_a_newer_report_asks_for_an_upgrade() -> None:
    with pytest.raises(NewerReportSchema, match="newer toolgrade") as caught:
        read_report(b'{"schema": "toolgrade.report/2", "shape": "unknown"}')
    assert "upgrade" in str(caught.value.help)


@pytest.mark.parametrize("counts", [{"tp": 1, "zz": 2}, {"tp": -1, "fp": 0, "fn": 0}])
def test_counts_that_make_no_grade_are_refused(counts: dict[str, int]) -> None:
    test = site_report.TestReport("t", 1, "passed", (GateResult("equal_function_sets", "passed", counts=counts),))
    with pytest.raises(InvalidReport, match="`counts` of `equal_function_sets` in `t`"):
        read_report(to_json(make_report((site_report.SuiteReport("s", "s.yml", (test,)),))))


def test_a_report_with_a_test_twice_is_refused() -> None:
    (suite,) = one_test("passed").suites
    with pytest.raises(InvalidReport, match="`picks search` of `research` stands in it twice"):
        read_report(to_json(make_report((suite, suite))))


def test_a_key_of_a_later_version_is_ignored() -> None:
    report = filter_report(one_test("passed", (1, 0, 0)), lambda _suite, _test: True)
    data = to_json(report).replace(b'"mode"', b'"later": [1], "mode"')
    assert read_report(data) == report


def test_a_test_that_an_error_stopped_says_so_and_nothing_of_its_gates() -> None:
    test = site_report.TestReport("picks search", 0, "error", (), model="lexical", reason="the server is gone")
    new = make_report((site_report.SuiteReport("research", "s.yml", (test,)),))
    (change,) = diff(one_test("passed"), new).changes
    assert [(cause.kind, cause.reason) for cause in change.causes] == [("test_stopped", "the server is gone")]


def test_more_causes_than_fit_are_counted() -> None:
    causes = tuple(ChangeCause("class_missed", "g", f"class {number}") for number in range(9))
    change = ChangedTest("regressed", "s", "t", causes=causes)
    found = msgspec.structs.replace(diff(one_test("passed"), one_test("failed")), changes=(change,))
    assert "and 3 more" in render_comparison_text(found)
    assert "class 8" not in render_comparison_text(found)


def run_report(passed: int, runs: int = 10, model: str = "claude", prompt: str = "Find it.") -> site_report.Report:
    """A report of one test with a gate of plain assertions; `passed` of its runs passed."""
    gate = GateResult("expect", "passed" if passed == runs else "failed")
    status: Standing = gate.status
    test = site_report.TestReport("t", runs, status, (gate,), model=model, prompt=prompt, runs_passed=passed)
    return make_report((site_report.SuiteReport("s", "s.yml", (test,)),))


def test_a_flip_of_a_model_is_noise_and_says_how_many_would_have_counted() -> None:
    found = diff(run_report(10), run_report(9))
    (change,) = found.changes
    assert (change.verdict, found.has_regressed, found.overall.verdict) == ("within_noise", False, "within_noise")
    assert change.exact == ExactResult(p="1/2", direction="fall", unit="runs", smallest=5)
    assert "p 0.50; a fall of 5 passed runs would have counted" in render_comparison_text(found)
    assert "1 test: 1 within noise" in render_comparison_text(found)


def test_a_fall_that_chance_does_not_explain_is_a_regression() -> None:
    found = diff(run_report(10), run_report(5))
    assert (found.tally.regressed, found.overall.verdict, found.has_regressed) == (1, "regressed", True)
    assert diff(run_report(5), run_report(10)).tally.improved == 1


def test_a_strict_comparison_counts_every_fall() -> None:
    found = diff(run_report(10), run_report(9), is_strict=True)
    assert (found.tally.regressed, found.has_regressed) == (1, True)


def test_the_level_can_be_chosen() -> None:
    assert diff(run_report(10), run_report(6)).tally.within_noise == 1
    assert diff(run_report(10), run_report(6), alpha=Fraction(1, 5)).tally.regressed == 1


def test_an_allowed_fall_does_not_fail_the_whole() -> None:
    found = diff(run_report(10), run_report(5), ["t"])
    assert (found.tally.allowed, found.has_regressed) == (1, False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (run_report(10), run_report(5, prompt="Find it now.")),
        (one_test("passed"), one_test("failed", xfail="known")),
    ],
)
def test_a_test_that_asks_something_else_is_neither_better_nor_worse(
    old: site_report.Report, new: site_report.Report
) -> None:
    found = diff(old, new)
    assert (found.tally.asked_differently, found.has_regressed, found.newly_failed) == (1, False, 1)
    assert "1 asked differently (1 from passed to failed)" in render_comparison_text(found)
    assert diff(old, new, is_strict=True).has_regressed


def test_other_members_of_a_class_are_another_question() -> None:
    old, new = class_report(2, 2), class_report(2, 2, "http.fetch")
    (change,) = diff(old, new).changes
    assert (change.verdict, change.causes[0].kind) == ("asked_differently", "class_changed")


def test_one_run_a_side_is_seen_in_the_comparison_as_a_whole() -> None:
    sides = [
        make_report((site_report.SuiteReport("s", "s.yml", tuple(single_run(number, status) for number in range(6))),))
        for status in ("passed", "failed")
    ]
    found = diff(sides[0], sides[1])
    assert (found.tally.regressed, found.tally.within_noise) == (0, 6)
    assert (found.overall.verdict, found.overall.p, found.has_regressed) == ("regressed", "1/64", True)
    assert "as a whole: worse than chance explains, p 0.016" in render_comparison_text(found)


def single_run(number: int, status: Standing) -> site_report.TestReport:
    return site_report.TestReport(f"t{number}", 1, status, (GateResult("expect", "passed"),), model="claude")


def test_runs_that_a_report_does_not_tell_apart_are_never_a_regression() -> None:
    found = diff(class_report(4, 4), class_report(0, 4))
    assert (found.tally.within_noise, found.overall.tests) == (1, 0)
    assert diff(class_report(4, 4), class_report(0, 4), is_strict=True).tally.regressed == 1
