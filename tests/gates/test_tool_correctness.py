"""The gate `tool_correctness`: the contract's cases, and slow plain references for its fast arithmetic."""

import json
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from toolgrade.gates.gate import ScoringConditions, score_gate
from toolgrade.gates.gate_result import GateResult
from toolgrade.gates.tool_correctness import ToolCorrectness, ToolCorrectnessBlock, make_default_expectation
from toolgrade.gates.trace import Call, Trace

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "conformance" / "correctness.json").read_text(encoding="utf-8")
)
MODES = [(False, False), (True, False), (False, True), (True, True)]

IDS = st.sampled_from(["get", "a.get", "b.get", "b.a.get", "put", "a.put"])
EXPECTED = st.lists(IDS, min_size=1, max_size=5)
NAMES = st.sampled_from(["get", "put", "a.get"])
CALLS = st.builds(Call, NAMES, st.sampled_from([None, "a", "b", "c"]))
RUN = st.lists(CALLS, max_size=5)


def verdict(expected: list[str], runs: list[list[Call]], is_exact: bool, is_ordered: bool) -> GateResult:
    gate = ToolCorrectness(tuple(expected), (make_default_expectation(0.5),), is_exact, is_ordered)
    return score_gate(gate, [Trace(tuple(calls)) for calls in runs], ScoringConditions("score"))


def score_of(expected: list[str], calls: list[Call], is_exact: bool, is_ordered: bool) -> int:
    values = msgspec.to_builtins(verdict(expected, [calls], is_exact, is_ordered).values)
    return values["tool_correctness.score"]


def fits(call: Call, tool: str) -> bool:
    return call.status != "malformed" and tool in (call.name, f"{call.server}.{call.name}")


def most_filled(expected: list[str], calls: list[Call]) -> int:
    """Every way to give calls to places, and the best of them."""
    short, long = sorted([range(len(expected)), range(len(calls))], key=len)
    is_flipped = len(expected) > len(calls)
    ways = (zip(short, way, strict=True) for way in permutations(long, len(short)))
    pairs = ([(b, a) if is_flipped else (a, b) for a, b in way] for way in ways)
    return max(sum(fits(calls[call], expected[place]) for place, call in way) for way in pairs)


def longest_in_order(expected: list[str], calls: list[Call]) -> int:
    """Every subsequence of both, and the longest that fits."""
    for size in range(min(len(expected), len(calls)), 0, -1):
        for tools in combinations(expected, size):
            for chosen in combinations(calls, size):
                if all(map(fits, chosen, tools)):
                    return size
    return 0


def reference(expected: list[str], calls: list[Call], is_exact: bool, is_ordered: bool) -> int:
    if is_exact and is_ordered:
        return 100 * (len(calls) == len(expected) and all(map(fits, calls, expected)))
    if is_exact:
        all_expected = all(any(fits(call, tool) for tool in expected) for call in calls)
        return 100 * (all_expected and all(any(fits(call, tool) for call in calls) for tool in expected))
    count = longest_in_order if is_ordered else most_filled
    return 100 * count(expected, calls) // len(expected)


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_the_contract_holds(case: dict[str, Any]) -> None:
    fields = {key: case[key] for key in ("expected_tools", "exact_match", "check_ordering") if key in case}
    gate = ToolCorrectnessBlock.model_validate(fields).resolve()
    trace = Trace(tuple(Call(name) for name in case["tools_called"]))
    result = msgspec.to_builtins(score_gate(gate, [trace], ScoringConditions("score")))
    assert result["values"] == {"tool_correctness.score": case["score"]}
    assert result["status"] == ("passed" if case["score"] >= 50 else "failed")


@pytest.mark.parametrize(("is_exact", "is_ordered"), MODES)
@given(expected=EXPECTED, calls=RUN)
def test_every_mode_equals_its_slow_reference(
    is_exact: bool, is_ordered: bool, expected: list[str], calls: list[Call]
) -> None:
    actual = score_of(expected, calls, is_exact, is_ordered)
    assert actual == reference(expected, calls, is_exact, is_ordered)


@pytest.mark.parametrize(("is_exact", "is_ordered"), MODES)
@given(expected=EXPECTED, runs=st.lists(RUN, min_size=1, max_size=3))
def test_what_a_run_saw_does_not_change_how_the_next_is_scored(
    is_exact: bool, is_ordered: bool, expected: list[str], runs: list[list[Call]]
) -> None:
    alone = [verdict(expected, [calls], is_exact, is_ordered).counts for calls in runs]
    together = msgspec.to_builtins(verdict(expected, runs, is_exact, is_ordered).counts)
    assert together == {
        key: sum(msgspec.to_builtins(counts)[key] for counts in alone) for key in ("matched", "expected")
    }


@pytest.mark.parametrize(("is_exact", "is_ordered"), MODES)
@given(expected=EXPECTED, calls=st.lists(CALLS, min_size=1, max_size=5))
def test_a_malformed_call_is_never_a_hit(
    is_exact: bool, is_ordered: bool, expected: list[str], calls: list[Call]
) -> None:
    malformed = [msgspec.structs.replace(call, status="malformed") for call in calls]
    result = msgspec.to_builtins(verdict(expected, [malformed], is_exact, is_ordered))
    assert result["values"] == {"tool_correctness.score": 0}
    assert {tool["hit_runs"] for tool in result["expected_tools"]} == {0}


@given(EXPECTED, RUN, st.randoms(use_true_random=False))
def test_without_ordering_the_order_of_calls_changes_nothing(
    expected: list[str], calls: list[Call], random: Any
) -> None:
    shuffled = random.sample(calls, len(calls))
    for is_exact in (False, True):
        assert verdict(expected, [shuffled], is_exact, False) == verdict(expected, [calls], is_exact, False)


def test_a_call_leaves_the_bare_name_to_the_call_that_has_nothing_else() -> None:
    qualified, other = Call("get", "a"), Call("get", "b")
    assert score_of(["get", "a.get"], [qualified, other], False, False) == 100
    assert score_of(["get", "a.get"], [other, other], False, False) == 50


def test_a_long_list_of_rivals_is_matched_without_recursion() -> None:
    expected = ["get"] * 1500 + ["a.get"]
    assert score_of(expected, [Call("get", "a")] * 1600, False, False) == 100


def test_the_verdict_names_the_tools_that_were_reached_and_under_exact_match_the_rest() -> None:
    runs = [[Call("get"), Call("rm"), Call("rm")], [Call("rm")]]
    exact = msgspec.to_builtins(verdict(["get", "put"], runs, True, False))
    assert exact["expected_tools"] == (
        {"tool": "get", "hit_runs": 1, "runs": 2},
        {"tool": "put", "hit_runs": 0, "runs": 2},
    )
    assert exact["unexpected_tools"] == ({"tool": "rm", "calls": 3},)
    assert "unexpected_tools" not in msgspec.to_builtins(verdict(["get", "put"], runs, False, False))


@pytest.mark.parametrize(
    ("threshold", "calls", "status"),
    [
        (0.5, 1, "passed"),
        (0.51, 1, "failed"),
        (1, 2, "passed"),
        (1.0, 1, "failed"),
        (0, 0, "passed"),
        (0.29, 0, "failed"),
    ],
)
def test_the_threshold_is_a_share_of_one(threshold: float, calls: int, status: str) -> None:
    block = {"expected_tools": ["a", "b"], "threshold": threshold}
    gate = ToolCorrectnessBlock.model_validate(block).resolve()
    trace = Trace((Call("a"), Call("b"))[:calls])
    assert score_gate(gate, [trace], ScoringConditions("score")).status == status


@pytest.mark.parametrize(("threshold", "percent"), [(0.29, 29), (0.58, 58), (1, 100), (0.125, 12.5)])
def test_a_threshold_becomes_the_percent_a_person_meant(threshold: float, percent: float) -> None:
    assert make_default_expectation(threshold).matcher == {">=": percent}


@pytest.mark.parametrize(
    ("fields", "where", "word"),
    [
        ({"expected_tools": []}, ("expected_tools",), "exact_match: true"),
        ({"expected_tools": [], "exact_match": True, "check_ordering": True}, ("expected_tools",), "exact_match"),
        ({}, ("expected_tools",), "required"),
        ({"expected_tools": ["a", 1]}, ("expected_tools", 1), "string"),
        ({"expected_tools": ["a"], "threshold": 50}, ("threshold",), "fraction from 0 to 1, not 50"),
        ({"expected_tools": ["a"], "threshold": -0.1}, ("threshold",), "fraction"),
        ({"expected_tools": ["a"], "threshold": True}, ("threshold",), "not true"),
        ({"expected_tools": ["a"], "threshold": "0.5"}, ("threshold",), 'not "0.5"'),
        ({"expected_tools": ["a"], "threshold": float("nan")}, ("threshold",), "not nan"),
        ({"expected_tools": ["a"], "exact_match": "yes"}, ("exact_match",), "boolean"),
        ({"expected_tools": ["a"], "exact": True}, ("exact",), "not permitted"),
        (
            {"expected_tools": ["a"], "threshold": 0.5, "expect": [{"tool_correctness.score": {">=": 50}}]},
            ("threshold",),
            "no effect beside an assertion",
        ),
    ],
)
def test_a_wrong_block_is_found_where_it_is_wrong(
    fields: dict[str, Any], where: tuple[str | int, ...], word: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        ToolCorrectnessBlock.model_validate(fields)
    (line,) = caught.value.errors()
    assert line["loc"] == where
    assert word in line["msg"]
