"""Exact numbers: read as written, compared as fractions, shown short."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.foundations.exact_number import Number, format_dollars, is_number, to_exact, to_report_number


@pytest.mark.parametrize("value", [0, -1, 1.5, Decimal("0.1"), Fraction(1, 3)])
def test_integers_floats_decimals_and_fractions_are_numbers(value: object) -> None:
    assert is_number(value)


@pytest.mark.parametrize("value", [True, False, "1", None, [1], {}])
def test_booleans_and_texts_are_not_numbers(value: object) -> None:
    assert not is_number(value)


@pytest.mark.parametrize(
    ("value", "fraction"),
    [(0.29, Fraction(29, 100)), (0.1, Fraction(1, 10)), (1e-7, Fraction(1, 10**7)), (7, Fraction(7))],
)
def test_a_float_is_the_number_a_person_wrote(value: Number, fraction: Fraction) -> None:
    assert to_exact(value) == fraction


def test_a_decimal_and_the_float_spelt_alike_are_the_same_number() -> None:
    assert to_exact(Decimal("0.30")) == to_exact(0.3) != Fraction(0.3)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(6, 3), "2"),
        (Fraction(1000, 3), "333.3333"),
        (Fraction(2, 3), "0.6667"),
        (Fraction(199999, 100000), "2"),
        (Decimal("1.50"), "1.5"),
        (2.0, "2"),
    ],
)
def test_a_number_is_shown_with_at_most_four_decimals(value: Number, text: str) -> None:
    assert str(to_report_number(value)) == text


@given(st.fractions(min_value=-(10**6), max_value=10**6))
def test_what_is_shown_is_within_half_of_the_fourth_decimal(value: Fraction) -> None:
    assert abs(to_exact(to_report_number(value)) - value) <= Fraction(1, 20_000)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("0.120"), "0.12"),
        (Decimal(3), "3"),
        (Decimal(100), "100"),
        (Decimal("1E+2"), "100"),
        (Decimal("0.000000123"), "0.000000123"),
        (Fraction(1, 3), "0.3333"),
        (Fraction(5, 2), "2.5"),
        (Fraction(0), "0"),
        (Fraction(1, 30_000), "0.000033"),
        (Fraction(1, 3_000_000), "0.00000033"),
    ],
)
def test_dollars_are_plain_decimal_text(value: Decimal | Fraction, text: str) -> None:
    assert format_dollars(value) == text


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**6))
def test_a_cost_above_zero_never_reads_as_zero(value: Fraction) -> None:
    text = format_dollars(value)
    assert Decimal(text) > 0
    assert "E" not in text
