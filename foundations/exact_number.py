"""Exact numbers: how they are read, compared and shown."""

from decimal import Decimal
from fractions import Fraction

Number = int | float | Decimal | Fraction


def is_number(value: object) -> bool:
    """Whether `value` is a number; true and false are not."""
    return isinstance(value, int | float | Decimal | Fraction) and not isinstance(value, bool)


def to_exact(value: Number) -> Fraction | int:
    """The number a person wrote: 0.29 is 29/100, not the nearest binary float."""
    if isinstance(value, int):
        return value
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def to_report_number(value: Number) -> int | float:
    """A number for the report: an integer, or at most four decimals."""
    fraction = to_exact(value)
    if fraction.denominator == 1:
        return fraction.numerator
    rounded = round(fraction * 10_000)
    return rounded // 10_000 if rounded % 10_000 == 0 else rounded / 10_000


def format_dollars(value: Decimal | Fraction) -> str:
    """Dollars as decimal text: exact where they are, else four decimals, or two digits of less than that."""
    if isinstance(value, Decimal):
        return _strip_zeros(value)
    places = 4
    while value and round(value * 10**places) == 0:
        places += 1
    if places > 4:
        places += 1
    return _strip_zeros(Decimal(round(value * 10**places)).scaleb(-places))


def _strip_zeros(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
