"""Which runs pass a gate by themselves, and what is asserted on all of them together."""

from typing import Any

import pytest
from pydantic import ValidationError

from toolgrade.gates.equal_function_sets import EqualFunctionSetsBlock
from toolgrade.gates.expect import Expect, ExpectBlock
from toolgrade.gates.gate import Gate, ScoringConditions, score_gate
from toolgrade.gates.gate_result import GateResult
from toolgrade.gates.tool_correctness import ToolCorrectnessBlock
from toolgrade.gates.trace import Call, Trace

CLASSES = [{"name": "search", "members": ["search"]}, {"name": "fetch", "members": ["fetch"]}]


def score(gate: Gate | None, *runs: str, answers: tuple[str, ...] = ()) -> GateResult:
    """Score runs that are given as the names of the tools they call."""
    assert gate is not None
    said = answers or ("",) * len(runs)
    traces = [
        Trace(tuple(Call(name) for name in run.split()), final_response=answer)
        for run, answer in zip(runs, said, strict=True)
    ]
    return score_gate(gate, traces, ScoringConditions("score"))


def selection(*expect: Any, **more: Any) -> Gate:
    return EqualFunctionSetsBlock.model_validate({"classes": CLASSES, "expect": list(expect), **more}).resolve()


def test_a_run_passes_by_what_the_gate_asserts() -> None:
    runs = ("search fetch", "search", "shell", "search fetch")
    assert score(selection(), *runs).runs_passed == 3
    assert score(selection({"tool_selection.f1": {"==": 100}}), *runs).runs_passed == 2
    assert score(selection({"tool_selection.pass_rate": {">=": 50}}), *runs).runs_passed == 3


def test_run_expect_decides_what_a_run_has_to_meet() -> None:
    gate = selection(
        {"tool_selection.f1": {">=": 10}},
        {"tool_selection.pass_rate": {">=": 60}},
        run_expect=[{"tool_selection.recall": {"==": 100}}],
    )
    result = score(gate, "search fetch", "search", "search fetch shell")
    assert (result.runs_passed, result.status) == (2, "passed")
    assert result.values == {
        "tool_selection.f1": 83, "tool_selection.precision": 83, "tool_selection.recall": 83,
        "tool_selection.pass_rate": 66,
    }  # fmt: skip


def test_run_targets_are_values_only_if_they_are_asserted() -> None:
    expect = [{"tool_selection.pass^2": {">=": 50}}, {"tool_selection.lower_95": {">=": 20}}]
    result = score(selection(*expect), "search fetch", "search fetch", "shell")
    assert result.values
    assert {name: value for name, value in result.values.items() if "f1" not in name} == {
        "tool_selection.precision": 80, "tool_selection.recall": 66,
        "tool_selection.pass^2": 33, "tool_selection.lower_95": 20,
    }  # fmt: skip
    assert result.status == "failed"


def test_a_target_of_more_runs_than_there_are_fails_as_absent() -> None:
    result = score(selection({"tool_selection.pass^3": {">=": 0}}), "search fetch", "search fetch")
    assert result.assertions
    assert (result.status, result.assertions[0].reason) == ("failed", "absent")
    assert "tool_selection.pass^3" not in dict(result.values or {})


def test_a_single_run_has_no_count_of_passed_runs() -> None:
    assert not isinstance(score(selection(), "search").runs_passed, int)


def correctness(**fields: Any) -> Gate:
    return ToolCorrectnessBlock.model_validate({"expected_tools": ["a", "b", "c"], **fields}).resolve()


@pytest.mark.parametrize(("threshold", "status"), [(0.333, "passed"), (0.334, "failed"), (0.33, "passed")])
def test_a_threshold_is_compared_with_the_exact_share(threshold: float, status: str) -> None:
    result = score(correctness(threshold=threshold), "a")
    assert (result.status, dict(result.values or {})) == (status, {"tool_correctness.score": 33})


def test_an_assertion_on_the_score_is_of_whole_percents() -> None:
    assert score(correctness(expect=[{"tool_correctness.score": {">=": 33.3}}]), "a").status == "failed"


def test_correctness_has_run_targets_over_its_score() -> None:
    expect = [{"tool_correctness.pass_rate": {">=": 60}}]
    result = score(correctness(expect=expect, threshold=0.666), "a b", "a", "a b c")
    assert (result.runs_passed, result.status) == (2, "passed")
    assert dict(result.values or {}) == {"tool_correctness.score": 66, "tool_correctness.pass_rate": 66}


@pytest.mark.parametrize(
    "fields",
    [
        {"expect": [{"tool_correctness.score": {">=": 50}}]},
        {"run_expect": [{"tool_correctness.score": {">=": 50}}]},
        {"expect": [{"target": "tool_correctness.score", "matcher": {">=": 50}}]},
    ],
)
def test_a_threshold_without_effect_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="no effect"):
        correctness(threshold=0.4, **fields)


def plain(*expect: Any) -> Expect | None:
    return ExpectBlock.model_validate(list(expect)).resolve()


@pytest.mark.parametrize(("percent", "status"), [(75, "passed"), (75.1, "failed"), (100, "failed")])
def test_an_assertion_may_hold_in_some_of_the_runs(percent: float, status: str) -> None:
    entry = {"target": "final_response", "matcher": {"contains": "yes"}, "in_runs": percent}
    result = score(plain(entry), "a", "a", "a", "a", answers=("yes", "no", "yes", "yes"))
    assert result.assertions
    (assertion,) = result.assertions
    assert (result.status, result.runs_passed, assertion.held_runs, assertion.in_runs) == (status, 3, 3, percent)
    assert (assertion.run, assertion.actual) == ((1, "yes") if status == "passed" else (2, "no"))
