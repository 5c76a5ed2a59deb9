"""Every operator: a value that meets it, one that breaks it with a sentence, and operands it refuses."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.gates.operators import COMPARE, OPERATORS

NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6),
    st.decimals(-1000, 1000, places=3),
    st.fractions(-1000, 1000, max_denominator=999),
)


@pytest.mark.parametrize(
    ("name", "operand", "actual"),
    [
        (">=", 80, 80),
        (">", 80, 81),
        ("<=", 80, 80),
        ("<", 80, 79),
        ("==", 0.3, Decimal("0.30")),
        ("!=", 80, 81),
        ("between", [60, 80], 60),
        ("between", [60, 80], 80),
        ("between", [80, 80], 80),
        ("schema", {"minimum": 60, "exclusiveMaximum": 80}, 60),
        ("schema", {"type": "object", "required": ["q"]}, {"q": 1}),
        ("schema", {"type": "integer"}, Fraction(6, 3)),
        ("exact", 1, 1.0),
        ("exact", {"a": [1, None, "x"]}, {"a": [1.0, None, "x"]}),
        ("exact", ["a"], ("a",)),
        ("exact", None, None),
        ("contains", "even", "revenue"),
        ("contains", "get", ["put", "get"]),
        ("contains", 1, [1.0]),
        ("icontains", "REVENUE", "the Revenue"),
        ("icontains", "STRASSE", "Straße"),
        ("contains_all", ["rev", "nue"], "revenue"),
        ("contains_all", ["a", "b"], ["b", "c", "a"]),
        ("regex", r"^\d+$", "2024"),
    ],
)
def test_a_value_meets_its_operator(name: str, operand: Any, actual: Any) -> None:
    assert OPERATORS[name].fault(operand) is None
    assert OPERATORS[name].failure(actual, operand) is None


@pytest.mark.parametrize(
    ("name", "operand", "actual", "sentence"),
    [
        (">=", 80, 79, "79 is not >= 80"),
        (">", 80, 80, "80 is not > 80"),
        ("<=", 80, 81, "81 is not <= 80"),
        ("<", 80, 80, "80 is not < 80"),
        ("==", 80, 79, "79 is not == 80"),
        ("!=", 80, 80, "80 is not != 80"),
        (">=", 80, "90", '"90" is not a number'),
        (">=", 0, True, "true is not a number"),
        ("<=", 0.3333, Fraction(1, 3), "1/3 is not <= 0.3333"),
        ("between", [60, 80], 59, "59 is not between 60 and 80"),
        ("between", [60, 80], 81, "81 is not between 60 and 80"),
        ("between", [60, 80], None, "null is not a number"),
        ("schema", {"minimum": 60}, 59, "59 is not >= 60"),
        ("schema", {"exclusiveMaximum": 80}, 80, "80 is not < 80"),
        ("schema", {"required": ["q"]}, {}, '"q" is a required property'),
        ("exact", 1, True, "true is not 1"),
        ("exact", "1", 1, '1 is not "1"'),
        ("exact", [1, 2], [2, 1], "[2, 1] is not [1, 2]"),
        ("exact", {"a": 1}, {"a": 1, "b": 2}, '{"a": 1, "b": 2} is not {"a": 1}'),
        ("exact", [], {}, "an empty mapping is not an empty list"),
        ("contains", "odd", "revenue", '"revenue" does not contain "odd"'),
        ("contains", 1, "1", '"1" does not contain 1'),
        ("contains", True, [1], "[1] does not contain true"),
        ("contains", "a", {"a": 1}, '{"a": 1} is neither text nor a list'),
        ("icontains", "ODD", "revenue", '"revenue" does not contain "ODD" in any case'),
        ("icontains", "a", ["a"], '["a"] is not text'),
        ("contains_all", ["rev", "odd", "x"], "revenue", '"revenue" does not contain "odd"'),
        ("regex", "^a", "ba", '"ba" does not match `^a`'),
        ("regex", "1", 1, "1 is not text"),
    ],
)
def test_a_value_that_breaks_its_operator_is_told_why(name: str, operand: Any, actual: Any, sentence: str) -> None:
    assert OPERATORS[name].fault(operand) is None
    assert OPERATORS[name].failure(actual, operand) == sentence


@pytest.mark.parametrize(
    ("name", "operand", "sentence"),
    [
        *[(sign, "80", 'expected a number, not "80"') for sign in COMPARE],
        *[(sign, True, "expected a number, not true") for sign in COMPARE],
        *[(sign, None, "expected a number, not null") for sign in COMPARE],
        *[(sign, float("nan"), "expected a finite number, not nan") for sign in COMPARE],
        *[(sign, float("inf"), "expected a finite number, not inf") for sign in COMPARE],
        ("between", 80, "expected two numbers, `[low, high]`"),
        ("between", [80], "expected two numbers, `[low, high]`"),
        ("between", [1, 2, 3], "expected two numbers, `[low, high]`"),
        ("between", [1, "2"], "expected two numbers, `[low, high]`"),
        ("between", [1, float("inf")], "expected two numbers, `[low, high]`"),
        ("between", [2, 1], "the first number must not be above the second"),
        ("schema", 80, "expected a JSON Schema (a mapping), not 80"),
        ("schema", True, "expected a JSON Schema (a mapping), not true"),
        ("exact", float("nan"), "expected a finite number"),
        ("exact", {"a": [float("inf")]}, "expected a finite number"),
        ("contains", None, "expected text or a single value, not null"),
        ("contains", ["a"], 'expected text or a single value, not ["a"]'),
        ("contains", {}, "expected text or a single value, not an empty mapping"),
        ("contains", float("nan"), "expected a finite number"),
        ("contains", "", "expected text that is not empty: everything contains the empty text"),
        ("icontains", "", "expected text that is not empty: everything contains the empty text"),
        ("icontains", 1, "expected text, not 1"),
        ("contains_all", [], "expected a list of at least one value"),
        ("contains_all", "ab", "expected a list of at least one value"),
        ("contains_all", ["a", ""], "expected text that is not empty: everything contains the empty text"),
        ("contains_all", ["a", float("-inf")], "expected a finite number"),
        ("regex", "", "expected text that is not empty: everything contains the empty text"),
        ("regex", 1, "expected text, not 1"),
    ],
)
def test_an_operand_that_cannot_be_meant_is_refused(name: str, operand: Any, sentence: str) -> None:
    assert OPERATORS[name].fault(operand) == sentence


@pytest.mark.parametrize(
    ("name", "operand", "word"),
    [("schema", {"type": "strin"}, "strin"), ("schema", {"minimum": "80"}, '"80"'), ("regex", "(a", "unterminated")],
)
def test_a_broken_schema_or_pattern_is_refused_with_what_is_broken(name: str, operand: Any, word: str) -> None:
    assert word in (OPERATORS[name].fault(operand) or "")


@given(NUMBERS, NUMBERS)
def test_comparisons_are_those_of_exact_fractions(actual: Any, operand: Any) -> None:
    a, b = Fraction(actual), Fraction(operand)
    held = {sign: OPERATORS[sign].failure(actual, operand) is None for sign in COMPARE}
    assert held == {">=": a >= b, ">": a > b, "<=": a <= b, "<": a < b, "==": a == b, "!=": a != b}


@given(NUMBERS, NUMBERS)
def test_a_bound_of_a_schema_is_the_sign_it_stands_for(actual: Any, bound: Any) -> None:
    words = {"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}
    for word, sign in words.items():
        assert OPERATORS["schema"].failure(actual, {word: bound}) == OPERATORS[sign].failure(actual, bound)


def test_a_long_value_is_cut_in_the_sentence() -> None:
    sentence = OPERATORS["contains"].failure("a" * 10_000, "b") or ""
    assert sentence.endswith('does not contain "b"')
    assert len(sentence) < 120
