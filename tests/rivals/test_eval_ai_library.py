"""The same traces scored by eval-ai-library's own metric and by `tool_correctness`: where they agree, and where not.

Both are in an environment of their own: `pip install -e . eval-ai-library pydantic-evals hypothesis pytest`.
"""

import asyncio
import os
import warnings
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from toolgrade.gates.gate import ScoringConditions, score_gate
from toolgrade.gates.gate_result import GateResult
from toolgrade.gates.tool_correctness import ToolCorrectnessBlock
from toolgrade.gates.trace import Call, Trace

pytestmark = pytest.mark.rivals

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # its import fetches a price list otherwise
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    metrics: Any = pytest.importorskip(
        "eval_lib.agent_metrics.tools_correctness_metric.tool_correctness",
        reason="eval-ai-library cannot be imported: make bench-rivals installs it",
        exc_type=ImportError,
    )
    schemas: Any = pytest.importorskip("eval_lib.testcases_schema")

TOOLS = st.sampled_from(["search", "book", "get", "http.get", "a.b.c"])
EXPECTED = st.lists(TOOLS, min_size=1, max_size=6)
CALLED = st.lists(TOOLS, max_size=8)


def theirs(expected: list[str], called: list[str] | None, **mode: Any) -> dict[str, Any]:
    case = schemas.EvalTestCase(input="-", actual_output="-", tools_called=called, expected_tools=expected)
    return asyncio.run(metrics.ToolCorrectnessMetric(**mode).evaluate(case))


def ours(expected: list[str], calls: list[Call], **mode: Any) -> GateResult:
    gate = ToolCorrectnessBlock.model_validate({"expected_tools": expected, **mode}).resolve()
    return score_gate(gate, [Trace(tuple(calls))], ScoringConditions("score"))


def our_score(expected: list[str], called: list[str], **mode: Any) -> int:
    result = ours(expected, [Call(name) for name in called], **mode)
    return msgspec.to_builtins(result.values)["tool_correctness.score"]


def their_percent(expected: list[str], called: list[str], **mode: Any) -> int:
    """Their float back as the count it came from, so that no rounding of theirs decides."""
    share = theirs(expected, called, **mode)["score"]
    matched = round(share * len(expected))
    assert share == matched / len(expected)
    return 100 * matched // len(expected)


@given(EXPECTED, CALLED)
def test_the_share_of_expected_tools_agrees(expected: list[str], called: list[str]) -> None:
    assert our_score(expected, called) == their_percent(expected, called)


@given(EXPECTED, CALLED)
def test_the_longest_common_subsequence_agrees(expected: list[str], called: list[str]) -> None:
    mode = {"check_ordering": True}
    assert our_score(expected, called, **mode) == their_percent(expected, called, **mode)


@given(EXPECTED, st.data())
def test_their_exact_match_is_our_exact_match_with_ordering(expected: list[str], data: st.DataObject) -> None:
    called = data.draw(st.one_of(CALLED, st.just(expected), st.permutations(expected)))
    our_mode = {"exact_match": True, "check_ordering": True}
    for is_ordered in (False, True):
        share = theirs(expected, called, exact_match=True, check_ordering=is_ordered)["score"]
        assert our_score(expected, called, **our_mode) == 100 * share


@given(EXPECTED, st.data())
def test_what_they_call_exact_is_exact_for_us_too(expected: list[str], data: st.DataObject) -> None:
    called = data.draw(st.one_of(st.just(expected), st.permutations(expected)))
    if theirs(expected, called, exact_match=True)["score"] == 1.0:
        assert our_score(expected, called, exact_match=True) == 100


@pytest.mark.parametrize("called", [["book", "search"], ["search", "search", "book"]])
def test_difference_exact_match_alone_compares_lists_there_and_sets_here(called: list[str]) -> None:
    # Theirs looks at positions even with check_ordering off; ours leaves order and repeats to check_ordering.
    expected = ["search", "book"]
    assert theirs(expected, called, exact_match=True)["score"] == 0.0
    assert our_score(expected, called, exact_match=True) == 100


@pytest.mark.parametrize("mode", [{}, {"check_ordering": True}])
def test_difference_nothing_expected_is_perfect_there_and_refused_here(mode: dict[str, bool]) -> None:
    # A test that cannot fail checks nothing; to assert that no tool is called there is exact_match.
    assert theirs([], ["shell"], **mode)["score"] == 1.0
    with pytest.raises(ValidationError, match="exact_match"):
        ours([], [Call("shell")], **mode)
    assert our_score([], ["shell"], exact_match=True) == theirs([], ["shell"], exact_match=True)["score"] == 0


def test_difference_two_thirds_is_a_float_there_and_66_percent_here() -> None:
    # The score is floored before it is compared, as the report shows it: what reads 66 does not pass 66.5.
    expected, called, threshold = ["a", "b", "c"], ["a", "b"], 0.665
    assert theirs(expected, called, threshold=threshold)["success"] is True
    assert ours(expected, [Call(name) for name in called], threshold=threshold).status == "failed"
    assert our_score(expected, called) == 66


def test_difference_a_bare_name_matches_on_any_server_here_and_only_its_own_text_there() -> None:
    # Theirs has names and no servers: whoever records `http.get` has to expect `http.get`.
    assert theirs(["get"], ["http.get"])["score"] == 0.0
    assert ours(["get"], [Call("get", "http")]).status == "passed"
    assert theirs(["http.get"], ["http.get"])["score"] == 1.0
    assert ours(["http.get"], [Call("get", "http")]).status == "passed"


def test_difference_a_malformed_call_counts_there_and_not_here() -> None:
    # Theirs sees names alone, so a call whose arguments could not be read looks like any other.
    assert theirs(["get"], ["get"])["score"] == 1.0
    assert ours(["get"], [Call("get", status="malformed")]).status == "failed"


def test_difference_a_trace_without_calls_is_empty_there_and_an_error_here() -> None:
    # A recorder that lost the calls must not look like an agent that made none.
    assert theirs(["get"], None)["score"] == theirs(["get"], [])["score"] == 0.0
    assert theirs([], None, exact_match=True)["success"] is True
    with pytest.raises(msgspec.ValidationError, match="tool_calls"):
        msgspec.json.decode(b"{}", type=Trace)
