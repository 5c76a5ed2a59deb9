"""The gate `expect`: plain assertions on every run, in both written forms."""

from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from toolgrade.gates.expect import Expect, ExpectBlock
from toolgrade.gates.expectation import Expectation
from toolgrade.gates.gate import ScoringConditions, score_gate
from toolgrade.gates.trace import Call, Trace


def read(expect: object) -> tuple[Expectation, ...]:
    return ExpectBlock.model_validate(expect).root


def verdict(expect: object, *traces: Trace) -> dict[str, Any]:
    return msgspec.to_builtins(score_gate(Expect(read(expect)), traces, ScoringConditions("replay")))


def answers(*texts: str | None) -> list[Trace]:
    return [Trace((), final_response=text) for text in texts]


def test_the_short_and_the_long_form_are_one() -> None:
    short = [{"final_response": {"contains": "revenue"}}]
    assert read(short) == read([{"target": "final_response", "matcher": {"contains": "revenue"}}])
    assert read(short) == (Expectation("final_response", {"contains": "revenue"}),)


def test_an_assertion_has_to_hold_in_every_run() -> None:
    expect = [{"final_response": {"contains": "revenue"}}]
    passed = verdict(expect, *answers("revenue", "my revenue"))
    assert passed == {
        "gate": "expect",
        "status": "passed",
        "runs_passed": 2,
        "assertions": (
            {
                "target": "final_response",
                "matcher": {"contains": "revenue"},
                "status": "passed",
                "actual": "revenue",
                "run": 1,
                "held_runs": 2,
                "runs": 2,
            },
        ),
    }
    assert verdict(expect, *answers("revenue", "no"))["status"] == "failed"


def test_a_broken_assertion_shows_the_first_run_that_broke_it() -> None:
    expect = [{"final_response": {"contains": "a"}}]
    (found,) = verdict(expect, *answers("a", "x", "y", "a"))["assertions"]
    assert (found["status"], found["run"], found["held_runs"], found["runs"]) == ("failed", 2, 2, 4)
    assert (found["actual"], found["reason"]) == ("x", '"x" does not contain "a"')


def test_an_absent_value_fails_whatever_is_asked_of_it() -> None:
    expect: list[Any] = [
        {"final_response": {"exact": "a"}},
        {"tool_calls[0].name": {"schema": {}}},
        {"cost": {"!=": 1}},
    ]
    result = verdict(expect, Trace(()))
    assert result["status"] == "failed"
    assert [(one["status"], one["reason"]) for one in result["assertions"]] == [("failed", "absent")] * 3
    assert not any("actual" in one for one in result["assertions"])


def test_one_broken_assertion_fails_the_gate_and_leaves_the_others_passed() -> None:
    trace = Trace((Call("search", "brave", msgspec.Raw(b'{"q": "x"}'), "error"),), turns=2)
    expect: list[Any] = [
        {"tool_names": {"contains": "search"}},
        {"tool_calls[0].server": {"exact": "brave"}},
        {"tool_calls[0].args.q": {"regex": "^x$"}},
        {"tool_calls[0].status": {"exact": "ok"}},
        {"turns": {"<=": 2}},
    ]
    result = verdict(expect, trace)
    assert result["status"] == "failed"
    assert [one["status"] for one in result["assertions"]] == ["passed", "passed", "passed", "failed", "passed"]


def test_the_cost_is_shown_in_dollars() -> None:
    trace = msgspec.json.decode(b'{"tool_calls": [], "cost": 0.10}', type=Trace)
    (found,) = verdict([{"cost": {"<": 0.1}}], trace)["assertions"]
    assert (found["status"], found["actual"], found["reason"]) == ("failed", "0.1", "0.1 is not < 0.1")


def findings(expect: object) -> list[tuple[tuple[int | str, ...], str, str | None]]:
    with pytest.raises(ValidationError) as caught:
        read(expect)
    return [(line["loc"], line["msg"], line.get("ctx", {}).get("help")) for line in caught.value.errors()]


WRONG: list[tuple[Any, tuple[int | str, ...], str]] = [
    ("final_response", (), 'expected a list, not "final_response"'),
    ({"final_response": {"exact": "a"}}, (), 'expected a list, not {"final_response": {"exact": "a"}}'),
    (["final_response"], (0,), 'expected a target and its matcher, not "final_response"'),
    ([{}], (0,), "an empty entry asserts nothing"),
    ([{"turns": {">": 1}, "cost": {"<": 1}}], (0,), "an entry of `expect` holds one target"),
    ([{"target": "turns"}], (0,), "missing key `matcher`"),
    ([{"matcher": {">": 1}}], (0,), "missing key `target`"),
    ([{"target": 1, "matcher": {">": 1}}], (0, "target"), "expected a target, not 1"),
    ([{"target": "turn", "matcher": {">": 1}}], (0, "target"), "unknown target `turn`"),
    ([{"turn": {">": 1}}], (0, "turn"), "unknown target `turn`"),
    ([{"turns": 1}], (0, "turns"), "expected a matcher (a mapping), not 1"),
    ([{"turns": {">": "1"}}], (0, "turns", ">"), '`>`: expected a number, not "1"'),
    ([{"target": "turns", "matcher": {">": "1"}}], (0, "matcher", ">"), '`>`: expected a number, not "1"'),
    ([{"target": "turns", "matcher": {">": 1}, "why": ""}], (0, "why"), "unknown key `why`"),
]


@pytest.mark.parametrize(("expect", "where", "message"), WRONG)
def test_a_wrong_expectation_is_found_where_it_is_wrong(
    expect: object, where: tuple[int | str, ...], message: str
) -> None:
    assert [found[:2] for found in findings(expect)] == [(where, message)]


def test_a_wrong_target_is_offered_the_nearest() -> None:
    assert [help_ for _, _, help_ in findings([{"final_respons": {"exact": "a"}}])] == [
        "did you mean `final_response`?"
    ]


def test_everything_wrong_with_a_list_is_found_at_once() -> None:
    expect: list[Any] = [{"turn": {"=>": 1}}, {"turns": {">": 1}}, 5, {"target": "cost", "matcher": {}}]
    found = findings(expect)
    assert [where for where, _, _ in found] == [(0, "turn"), (0, "turn", "=>"), (2,), (3, "matcher")]
