"""The gate `equal_function_sets`: the contract's cases, and what must not change its verdict."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from toolgrade.gates.equal_function_sets import EqualFunctionSets, EqualFunctionSetsBlock
from toolgrade.gates.gate import ScoringConditions, score_gate
from toolgrade.gates.gate_result import Counts, GateResult
from toolgrade.gates.tool_selection import ToolClass
from toolgrade.gates.trace import Call, Trace

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "conformance" / "selection.json").read_text(encoding="utf-8")
)
CONDITIONS = ScoringConditions("score")

NAMES = st.sampled_from(["search", "get", "a.get", "exec"])
SERVERS = st.sampled_from([None, "a", "b", "b.a"])
CALLS = st.builds(Call, NAMES, SERVERS, status=st.sampled_from([None, "ok", "error", "malformed"]))
RUNS = st.lists(st.lists(CALLS, max_size=6), min_size=1, max_size=4)
MEMBERS = st.sampled_from(["search", "get", "a.get", "b.a.get", "a.search", "b.exec", "b.search"])
CLASSES = st.lists(st.lists(MEMBERS, min_size=1, max_size=3, unique=True), max_size=4)


def gate_of(members: list[list[str]]) -> EqualFunctionSets:
    return EqualFunctionSets(tuple(ToolClass(f"class {i}", tuple(ids)) for i, ids in enumerate(members)))


def verdict(gate: EqualFunctionSets, runs: list[list[Call]]) -> GateResult:
    return score_gate(gate, [Trace(tuple(calls)) for calls in runs], CONDITIONS)


def in_one_order(result: GateResult) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(result)
    classes = {one["name"]: {**one, "members": sorted(one["members"])} for one in plain["classes"]}
    return {**plain, "classes": classes, "missed_classes": {one["name"]: one for one in plain["missed_classes"]}}


def counts_of(result: GateResult) -> Counts:
    assert result.selection is not None
    return result.selection


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_the_contract_holds(case: dict[str, Any]) -> None:
    block = EqualFunctionSetsBlock.model_validate({"classes": case["classes"]})
    traces = [msgspec.convert(run, Trace) for run in case["runs"]]
    result = msgspec.to_builtins(score_gate(block.resolve(), traces, CONDITIONS))
    assert {
        **result["counts"],
        **{target.removeprefix("tool_selection."): value for target, value in result["values"].items()},
        "grade": result["grade"],
        "missed": {missed["name"]: missed["runs"] for missed in result["missed_classes"]},
        "unexpected": {tool["tool"]: tool["calls"] for tool in result["unexpected_tools"]},
    } == case["expected"]


@given(CLASSES.filter(bool), RUNS, CALLS)
def test_another_call_never_lowers_recall_and_a_wrong_one_never_raises_precision(
    members: list[list[str]], runs: list[list[Call]], more: Call
) -> None:
    gate = gate_of(members)
    before, after = verdict(gate, runs), verdict(gate, [[*runs[0], more], *runs[1:]])
    is_wrong = counts_of(after).fp > counts_of(before).fp
    assert counts_of(after).recall >= counts_of(before).recall
    assert not is_wrong or counts_of(after).precision <= counts_of(before).precision
    assert not is_wrong or counts_of(after).tp == counts_of(before).tp


@given(CLASSES, RUNS, st.data())
def test_repeating_a_right_call_changes_nothing(
    members: list[list[str]], runs: list[list[Call]], data: st.DataObject
) -> None:
    gate = gate_of(members)
    right = [
        (run, call) for run, calls in enumerate(runs) for call in calls if counts_of(verdict(gate, [[call]])).fp == 0
    ]
    for run, call in data.draw(st.lists(st.sampled_from(right), max_size=3)) if right else []:
        place = data.draw(st.integers(0, len(runs[run])))
        repeated = [*runs[run][:place], call, *runs[run][place:]]
        assert verdict(gate, [*runs[:run], repeated, *runs[run + 1 :]]) == verdict(gate, runs)


@given(CLASSES, RUNS, st.randoms(use_true_random=False))
def test_the_order_of_calls_and_of_runs_changes_nothing(
    members: list[list[str]], runs: list[list[Call]], random: Any
) -> None:
    shuffled = [random.sample(calls, len(calls)) for calls in random.sample(runs, len(runs))]
    assert verdict(gate_of(members), shuffled) == verdict(gate_of(members), runs)


@given(CLASSES, RUNS, st.randoms(use_true_random=False))
def test_the_order_of_classes_and_members_changes_only_the_order_they_are_shown_in(
    members: list[list[str]], runs: list[list[Call]], random: Any
) -> None:
    gate = gate_of(members)
    classes = [ToolClass(one.name, tuple(random.sample(one.members, len(one.members)))) for one in gate.classes]
    random.shuffle(classes)
    before, after = verdict(gate, runs), verdict(EqualFunctionSets(tuple(classes)), runs)
    assert [one["name"] for one in msgspec.to_builtins(after)["classes"]] == [one.name for one in classes]
    assert in_one_order(after) == in_one_order(before)


@given(CLASSES, RUNS)
def test_several_runs_are_the_sum_of_each(members: list[list[str]], runs: list[list[Call]]) -> None:
    gate = gate_of(members)
    alone = [counts_of(verdict(gate, [calls])) for calls in runs]
    assert counts_of(verdict(gate, runs)) == sum(alone, Counts())


@given(CLASSES, RUNS)
def test_a_malformed_call_is_never_a_hit(members: list[list[str]], runs: list[list[Call]]) -> None:
    malformed = [[msgspec.structs.replace(call, status="malformed") for call in calls] for calls in runs]
    counts = counts_of(verdict(gate_of(members), malformed))
    assert counts == Counts(0, sum(map(len, runs)), len(members) * len(runs))


@given(CLASSES, RUNS)
def test_a_call_that_failed_is_still_a_selection(members: list[list[str]], runs: list[list[Call]]) -> None:
    ok, failed = (
        [[msgspec.structs.replace(call, status=status) for call in calls] for calls in runs]
        for status in ("ok", "error")
    )
    assert verdict(gate_of(members), failed) == verdict(gate_of(members), ok)


@pytest.mark.parametrize(("expect", "status"), [([], "passed"), ([{"tool_selection.f1": {">": 50}}], "failed")])
def test_without_an_expectation_an_f1_of_50_passes(expect: list[Any], status: str) -> None:
    classes = [{"name": "a", "members": ["a"]}, {"name": "b", "members": ["b"]}]
    gate = EqualFunctionSetsBlock.model_validate({"classes": classes, "expect": expect}).resolve()
    result = verdict(gate, [[Call("a"), Call("x")]])
    assert (counts_of(result).f1, result.status) == (50, status)


def test_every_expectation_has_to_hold() -> None:
    expect = [{"tool_selection.recall": {">=": 100}}, {"target": "tool_selection.precision", "matcher": {">": 50}}]
    block = {"classes": [{"name": "a", "members": ["a"]}], "expect": expect}
    result = verdict(EqualFunctionSetsBlock.model_validate(block).resolve(), [[Call("a"), Call("x")]])
    found = msgspec.to_builtins(result.assertions)
    assert result.status == "failed"
    assert [one["status"] for one in found] == ["passed", "failed"]
    assert (found[1]["actual"], found[1]["reason"]) == (50, "50 is not > 50")


@pytest.mark.parametrize(
    ("block", "where"),
    [({}, ("classes",)), ({"classes": None}, ("classes",)), ({"classes": [], "class": []}, ("class",))],
)
def test_a_wrong_block_is_found_where_it_is_wrong(block: dict[str, Any], where: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        EqualFunctionSetsBlock.model_validate(block)
    assert [line["loc"] for line in caught.value.errors()] == [where]
