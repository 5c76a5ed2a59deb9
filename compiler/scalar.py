"""Resolves plain scalars by YAML 1.2's core schema: `no`, `on`, `12:30` and dates are text."""

import re

# Converting digits takes time that grows with the square of their number.
MAX_DIGITS = 300

_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_SPECIAL_FLOATS = {
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **{word: float("nan") for word in (".nan", ".NaN", ".NAN")},
}
# Most scalars are words: one look at the first character saves four patterns.
_FIRST = frozenset("0123456789+-.")
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL, _HEX = re.compile(r"0o[0-7]+"), re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class NumberTooLongError(ValueError):
    """A number with more digits than a suite may hold."""


def resolve_plain_scalar(text: str) -> str | int | float | bool | None:
    """Return the value of an unquoted scalar; raise `NumberTooLongError` if it has too many digits."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST:
        return text
    if _INT.fullmatch(text):
        return int(_limit_digits(text))
    if _FLOAT.fullmatch(text):
        return float(_limit_digits(text))
    if _OCTAL.fullmatch(text):
        return int(_limit_digits(text), 0)
    if _HEX.fullmatch(text):
        return int(_limit_digits(text), 0)
    return _SPECIAL_FLOATS.get(text, text)


def _limit_digits(text: str) -> str:
    if len(text) > MAX_DIGITS:
        raise NumberTooLongError(text)
    return text
