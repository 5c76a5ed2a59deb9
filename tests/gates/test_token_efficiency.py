"""The gate `token_efficiency`: live only, exact fractions, and no number where none was measured."""

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from toolgrade.gates.gate import Mode, ScoringConditions, score_gate
from toolgrade.gates.gate_result import GateResult
from toolgrade.gates.token_efficiency import TokenEfficiencyBlock
from toolgrade.gates.trace import Call, Trace

CLASSES = [{"name": name, "members": [name]} for name in ("a", "b", "c")]
ABC = (Call("a"), Call("b"), Call("c"))


def verdict(
    traces: list[Trace], expect: list[Any] | None = None, surface: int | None = 1000, mode: Mode = "live"
) -> GateResult:
    gate = TokenEfficiencyBlock.model_validate({"classes": CLASSES, "expect": expect or []}).resolve()
    return score_gate(gate, traces, ScoringConditions(mode, surface))


def values(result: GateResult) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(result)["values"]
    return {target.removeprefix("token_efficiency."): value for target, value in found.items()}


def costing(*costs: str | None, calls: tuple[Call, ...] = ABC) -> list[Trace]:
    return [Trace(calls, cost=None if cost is None else Decimal(cost)) for cost in costs]


@pytest.mark.parametrize(
    ("mode", "surface", "reason"),
    [
        ("replay", 1000, "replay has no live tool surface"),
        ("replay", None, "replay has no live tool surface"),
        ("score", 1000, "a recorded trace has no live tool surface"),
        ("live", None, "the tool surface was not measured"),
    ],
)
def test_without_a_live_surface_the_gate_is_skipped_and_says_nothing_but_why(
    mode: Mode, surface: int | None, reason: str
) -> None:
    result = verdict(costing("0.5"), surface=surface, mode=mode)
    assert msgspec.to_builtins(result) == {"gate": "token_efficiency", "status": "skipped", "reason": reason}
    assert result.selection is None


def test_a_live_run_has_every_value() -> None:
    result = verdict(costing("0.10", "0.20"))
    assert values(result) == {
        "f1": 100,
        "tool_surface_tokens": 1000,
        "correct_selections": 6,
        "tokens_per_correct": 166.6667,
        "cost": "0.3",
        "cost_per_correct": "0.05",
    }
    assert (result.status, result.grade) == ("passed", "A")


def test_a_surface_of_no_tokens_is_measured_too() -> None:
    found = values(verdict(costing(None), surface=0))
    assert (found["tool_surface_tokens"], found["tokens_per_correct"]) == (0, 0)


@pytest.mark.parametrize("costs", [[None], ["0.1", None], [None, "0.1"], ["0"], ["0", "0.00"]])
def test_the_cost_is_absent_where_a_run_lacks_it_or_the_runs_were_free(costs: list[str | None]) -> None:
    found = values(verdict(costing(*costs)))
    assert "cost" not in found
    assert "cost_per_correct" not in found
    assert "tokens_per_correct" in found


def test_with_none_correct_nothing_is_divided() -> None:
    found = values(verdict(costing("0.5", calls=(Call("x"),))))
    assert found == {"f1": 0, "tool_surface_tokens": 1000, "correct_selections": 0, "cost": "0.5"}


@pytest.mark.parametrize(
    ("matcher", "status"),
    [
        ({"<=": 333.3333}, "failed"),
        ({"<=": 333.3334}, "passed"),
        ({"==": 333.3333}, "failed"),
        ({"schema": {"maximum": 333.3333}}, "failed"),
        ({"schema": {"maximum": 333.3334}}, "passed"),
        ({"between": [333.3333, 333.3334]}, "passed"),
        ({">": 333.3333}, "passed"),
    ],
)
def test_a_thousand_thirds_is_compared_as_a_fraction(matcher: dict[str, Any], status: str) -> None:
    result = verdict(costing("0.1"), [{"token_efficiency.tokens_per_correct": matcher}])
    assert values(result)["tokens_per_correct"] == 333.3333
    assert result.status == status


def test_a_near_miss_does_not_read_as_a_number_above_itself() -> None:
    result = verdict(costing("0.1"), [{"token_efficiency.tokens_per_correct": {"<=": 333.3333}}])
    (assertion,) = msgspec.to_builtins(result.assertions)
    assert assertion["reason"] == "1000/3 is not <= 333.3333"
    assert assertion["actual"] == 333.3333


@pytest.mark.parametrize(
    ("matcher", "status"), [({"<=": 0.3}, "passed"), ({"<": 0.3}, "failed"), ({"exact": 0.3}, "passed")]
)
def test_ten_cents_and_twenty_are_thirty(matcher: dict[str, Any], status: str) -> None:
    result = verdict(costing("0.1", "0.2"), [{"token_efficiency.cost": matcher}])
    assert (result.status, values(result)["cost"]) == (status, "0.3")


@pytest.mark.parametrize(
    ("cost", "text", "each"),
    [
        ("1.50", "1.5", "0.5"),
        ("0.0000021", "0.0000021", "0.0000007"),
        ("1E+2", "100", "33.3333"),
        ("0.00001", "0.00001", "0.0000033"),
    ],
)
def test_dollars_are_decimal_text(cost: str, text: str, each: str) -> None:
    found = values(verdict(costing(cost)))
    assert (found["cost"], found["cost_per_correct"]) == (text, each)


@pytest.mark.parametrize("target", ["cost", "cost_per_correct"])
def test_an_absent_target_fails_and_says_absent(target: str) -> None:
    result = verdict(costing(None), [{f"token_efficiency.{target}": {">=": 0}}])
    (assertion,) = msgspec.to_builtins(result.assertions)
    assert (result.status, assertion["status"], assertion["reason"]) == ("failed", "failed", "absent")
    assert "actual" not in assertion


def test_tokens_per_correct_is_absent_with_none_correct() -> None:
    expect = [{"token_efficiency.tokens_per_correct": {"<=": 10**9}}]
    result = verdict(costing("0.5", calls=()), expect)
    assert [one["reason"] for one in msgspec.to_builtins(result.assertions)] == ["absent"]
    assert result.status == "failed"


def test_without_an_expectation_an_f1_of_50_passes_and_one_below_fails() -> None:
    half, third = (Call("a"), Call("x")), (Call("a"), Call("x"), Call("x"))
    assert [verdict(costing(None, calls=calls)).status for calls in (ABC, half, third)] == [
        "passed",
        "failed",
        "failed",
    ]
    wide = (Call("a"), Call("b"), *[Call("x")] * 3)
    assert values(verdict(costing(None, calls=wide)))["f1"] == 50
    assert verdict(costing(None, calls=wide)).status == "passed"


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"classes": []}, ("classes",)),
        ({}, ("classes",)),
        (
            {"classes": CLASSES, "expect": [{"token_efficiency.f1": {">=": 101}}]},
            ("expect", 0, "token_efficiency.f1", ">="),
        ),
        ({"classes": CLASSES, "expect": [{"tool_selection.f1": {">=": 1}}]}, ("expect", 0, "tool_selection.f1")),
    ],
)
def test_a_wrong_block_is_found_where_it_is_wrong(fields: dict[str, Any], where: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        TokenEfficiencyBlock.model_validate(fields)
    assert [line["loc"] for line in caught.value.errors()] == [where]


def test_a_number_may_be_above_a_hundred_where_it_is_no_percentage() -> None:
    result = verdict(costing("0.1"), [{"token_efficiency.tool_surface_tokens": {"<=": 100_000}}])
    assert result.status == "passed"
