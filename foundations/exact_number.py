"""Reads, compares and formats numbers exactly: a verdict never depends on how a float was rounded."""

from decimal import Decimal
from fractions import Fraction

Number = int | float | Decimal | Fraction


def is_number(value: object) -> bool:
    """Return whether `value` is a number; true and false are not."""
    return isinstance(value, int | float | Decimal | Fraction) and not isinstance(value, bool)


def to_exact(value: Number) -> Fraction | int:
    """Return the number that a person wrote: 0.29 is 29/100, not the nearest binary float."""
    if isinstance(value, int):
        return value
    # `repr` gives the shortest text that reads back as this float, which is what the person wrote.
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def to_report_number(value: Number) -> int | float:
    """Return a number for the report: an integer if it is one, else a float of at most four decimals."""
    fraction = to_exact(value)
    if fraction.denominator == 1:
        return fraction.numerator
    # Rounded as an integer: a division by 10,000 at the end is the only step that leaves exact arithmetic.
    rounded = round(fraction * 10_000)
    return rounded // 10_000 if rounded % 10_000 == 0 else rounded / 10_000


def format_dollars(value: Decimal | Fraction) -> str:
    """Return dollars as text: a Decimal as it is, a fraction with four decimals, or two digits if it is smaller."""
    if isinstance(value, Decimal):
        return _strip_zeros(value)
    # A price per token is far below four decimals; it must not be shown as 0.
    places = 4
    while value and round(value * 10**places) == 0:
        places += 1
    if places > 4:
        places += 1
    return _strip_zeros(Decimal(round(value * 10**places)).scaleb(-places))


def _strip_zeros(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
