"""Plain scalars by YAML 1.2: what is text, what is a number, and what is too long for one."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.compiler.scalar import MAX_DIGITS, NumberTooLongError, resolve_plain_scalar


@pytest.mark.parametrize(
    "text",
    ["no", "on", "yes", "off", "y", "n", "12:30", "12:30:00", "2024-01-01", "1_000", "0b1", "+", "-", ".", "1.2.3",
     "0o8", "0x", "e5", "1e", "nULL", "tRUE", "- 1", "١٢"],
)  # fmt: skip
def test_what_yaml_1_2_does_not_name_is_text(text: str) -> None:
    assert resolve_plain_scalar(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("014", 14), ("-3", -3), ("+3", 3), ("0o14", 12), ("0xfF", 255), ("1.5", 1.5), (".5", 0.5), ("5.", 5.0),
     ("1e3", 1e3), ("-.inf", float("-inf")), (".INF", float("inf")), ("1e999", float("inf")),
     ("true", True), ("FALSE", False)],
)  # fmt: skip
def test_numbers_and_booleans_are_values(text: str, value: object) -> None:
    found = resolve_plain_scalar(text)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_null_has_five_spellings(text: str) -> None:
    assert resolve_plain_scalar(text) is None


def test_not_a_number_is_a_float() -> None:
    value = resolve_plain_scalar(".nan")
    assert isinstance(value, float)
    assert isnan(value)


@pytest.mark.parametrize("text", ["9" * 5_000, "0x" + "f" * 400, "0." + "1" * 400, "0o" + "7" * 400])
def test_a_number_without_end_is_refused(text: str) -> None:
    with pytest.raises(NumberTooLongError):
        resolve_plain_scalar(text)
    assert resolve_plain_scalar(text[:MAX_DIGITS]) is not None


@given(st.integers(-(10**200), 10**200))
def test_every_integer_is_itself(number: int) -> None:
    assert resolve_plain_scalar(str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_itself(number: float) -> None:
    assert resolve_plain_scalar(repr(number)) == number


@given(st.text(max_size=20))
def test_a_scalar_is_text_itself_or_a_plain_value(text: str) -> None:
    value = resolve_plain_scalar(text)
    assert value == text or not isinstance(value, str)
