"""Matchers as authored: what is wrong with one, where, and what to write instead."""

from typing import Any

import pytest

from toolgrade.gates.matcher import MATCHER_SCHEMA, check_matcher
from toolgrade.gates.operators import OPERATORS, Kind, explain_mismatch

TAKES = "a percentage takes `>=`, `>`, `<=`, `<`, `==`, `!=`, `between`, `schema`, `exact`"
Found = tuple[str, tuple[str | int, ...], str, str | None]


def findings(matcher: object, kind: Kind = "percent") -> list[Found]:
    found = list[Found]()
    for line in check_matcher(matcher, kind, "tool_selection.f1"):
        error = line["type"]
        assert not isinstance(error, str)
        facts = error.context or {}
        found.append((error.type, line.get("loc", ()), facts["message"], facts["help"]))
    return found


@pytest.mark.parametrize(
    "matcher",
    [
        {">=": 0},
        {"<=": 100},
        {"==": 99.5},
        {"between": [0, 100]},
        {"schema": {"minimum": 0, "maximum": 100}},
        {"exact": 80},
        {">=": 60, "<": 80},
    ],
)
def test_a_percentage_from_0_to_100_is_accepted(matcher: dict[str, Any]) -> None:
    assert findings(matcher) == []


@pytest.mark.parametrize("operator", [">=", ">", "<=", "<", "==", "!=", "exact"])
@pytest.mark.parametrize(
    ("operand", "kind"),
    [
        (-1, "range"),
        (101, "range"),
        (100.0001, "range"),
        (-0.0001, "range"),
        (10**299, "range"),
        (-(10**299), "range"),
        (1e300, "range"),
        (float("nan"), "operand"),
        (float("inf"), "operand"),
        (float("-inf"), "operand"),
        ("80", "operand"),
        ("", "operand"),
        (True, "operand"),
        (None, "operand"),
        ([80], "operand"),
        ({}, "operand"),
    ],
)
def test_what_is_no_percentage_is_refused_at_its_operator(operator: str, operand: object, kind: str) -> None:
    ((code, where, message, _),) = findings({operator: operand})
    assert (code, where) == (kind, (operator,))
    assert ("outside 0..100" if kind == "range" else f"`{operator}`: expected a ") in message


def test_both_ends_of_between_are_checked_each_at_its_place() -> None:
    found = findings({"between": [-1, 101]})
    assert [where for _, where, _, _ in found] == [("between", 0), ("between", 1)]
    assert [message for _, _, message, _ in found] == [
        "`tool_selection.f1` is a percentage: -1 is outside 0..100",
        "`tool_selection.f1` is a percentage: 101 is outside 0..100",
    ]


def test_the_bounds_of_a_schema_are_checked_each_at_its_word() -> None:
    schema = {"minimum": -1, "maximum": 101, "exclusiveMinimum": -0.5, "exclusiveMaximum": 100.5}
    found = findings({"schema": schema})
    assert {where for _, where, _, _ in found} == {("schema", word) for word in schema}
    assert {code for code, _, _, _ in found} == {"range"}


def test_a_number_that_is_no_percentage_may_be_above_a_hundred_but_not_text() -> None:
    assert findings({"<=": 1500, ">": -1}, "number") == []
    assert [code for code, _, _, _ in findings({"exact": "1500"}, "number")] == ["operand"]


def test_a_quoted_number_is_told_to_lose_its_quotes() -> None:
    assert findings({">=": "80"})[0][3] == "write 80 without quotes"
    assert findings({"exact": "80.5"})[0][3] == "write 80.5 without quotes"
    assert findings({">=": "eighty"})[0][3] is None


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("=>", "`>=`"),
        ("=<", "`<=`"),
        ("=", "`==`"),
        ("gte", "`>=`"),
        ("max", "`<=`"),
        ("betwen", "`between`"),
        ("Schema", "`schema`"),
    ],
)
def test_an_unknown_operator_is_offered_the_nearest(name: str, word: str) -> None:
    ((code, where, message, help_),) = findings({name: 80})
    assert (code, where, message) == ("operator", (name,), f"unknown operator `{name}`")
    assert word in (help_ or "")


def test_an_operator_like_no_other_is_offered_nothing() -> None:
    assert findings({"zzz": 80}) == [("operator", ("zzz",), "unknown operator `zzz`", None)]


@pytest.mark.parametrize(
    ("kind", "refused"),
    [
        ("percent", {"contains", "icontains", "contains_all", "regex"}),
        ("number", {"contains", "icontains", "contains_all", "regex"}),
        ("text", {">=", ">", "<=", "<", "==", "!=", "between"}),
        ("list", {">=", ">", "<=", "<", "==", "!=", "between", "icontains", "regex"}),
        ("value", set[str]()),
    ],
)
def test_an_operator_is_refused_on_a_target_that_can_never_meet_it(kind: Kind, refused: set[str]) -> None:
    found = {
        name: [code for code, _, _, _ in findings({name: None}, kind)][:1] == ["operator_kind"] for name in OPERATORS
    }
    assert {name for name, is_refused in found.items() if is_refused} == refused


def test_a_refused_operator_is_told_what_the_target_takes() -> None:
    ((_, where, message, help_),) = findings({"contains": "8"})
    assert where == ("contains",)
    assert message == "`contains` cannot be asked of `tool_selection.f1`, which is a percentage"
    assert help_ == TAKES


@pytest.mark.parametrize(
    ("matcher", "message", "help_"),
    [
        (80, "expected a matcher (a mapping), not 80", 'write `{">=": 80}` or another matcher'),
        ("80", 'expected a matcher (a mapping), not "80"', TAKES),
        (None, "expected a matcher (a mapping), not null", TAKES),
        ([], "expected a matcher (a mapping), not an empty list", TAKES),
    ],
)
def test_what_is_no_mapping_is_no_matcher(matcher: object, message: str, help_: str | None) -> None:
    assert findings(matcher) == [("matcher", (), message, help_)]


def test_an_empty_matcher_asserts_nothing_and_is_refused() -> None:
    ((code, _, message, help_),) = findings({})
    assert (code, message) == ("empty", "a matcher without an operator asserts nothing")
    assert "`>=`" in (help_ or "")


def test_everything_wrong_with_a_matcher_is_found_at_once() -> None:
    found = findings({">=": "80", "<": 101, "=>": 1, "regex": "a"})
    assert [code for code, _, _, _ in found] == ["operand", "range", "operator", "operator_kind"]


def test_all_operators_of_a_matcher_must_hold_and_each_that_does_not_is_named() -> None:
    matcher = {">=": 60, "<": 80, "!=": 90}
    assert explain_mismatch(matcher, 60) is None
    assert explain_mismatch(matcher, 80) == "80 is not < 80"
    assert explain_mismatch(matcher, 90) == "90 is not < 80; 90 is not != 90"


def test_the_schema_for_editors_lists_every_operator() -> None:
    assert set(MATCHER_SCHEMA["properties"]) == set(OPERATORS)
    assert MATCHER_SCHEMA["additionalProperties"] is False
