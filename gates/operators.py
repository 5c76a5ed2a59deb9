"""The operators of matchers: the operand that each takes, and whether a value meets it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Literal, cast

from ..foundations.exact_number import is_number, to_exact, to_report_number
from ..foundations.json_value import describe_value, is_same_json, narrow_to_list, narrow_to_mapping
from .pattern import explain_pattern_fault, explain_schema_failure, explain_schema_fault, has_pattern_match

Kind = Literal["percent", "number", "text", "list", "value"]
"""What a target yields, which decides the operators it can be asked with."""

BOUNDS = {"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: the kinds it applies to, its operand, and the sentence for a value that breaks it."""

    kinds: tuple[Kind, ...]
    schema: dict[str, Any]
    fault: Callable[[Any], str | None]
    failure: Callable[[Any, Any], str | None]


def _check_number_operand(operand: object) -> str | None:
    if not is_number(operand):
        return f"expected a number, not {describe_value(operand)}"
    if isinstance(operand, float) and not isfinite(operand):
        return f"expected a finite number, not {describe_value(operand)}"
    return None


def _check_between_operand(operand: object) -> str | None:
    ends = narrow_to_list(operand)
    if ends is None or len(ends) != 2 or any(_check_number_operand(end) for end in ends):
        return "expected two numbers, `[low, high]`"
    if to_exact(ends[0]) > to_exact(ends[1]):
        return "the first number must not be above the second"
    return None


def _check_text_operand(operand: object) -> str | None:
    if not isinstance(operand, str):
        return f"expected text, not {describe_value(operand)}"
    return None if operand else "expected text that is not empty: everything contains the empty text"


def _check_contains_operand(operand: object) -> str | None:
    if operand is None or narrow_to_list(operand) is not None or narrow_to_mapping(operand) is not None:
        return f"expected text or a single value, not {describe_value(operand)}"
    return _check_text_operand(operand) if isinstance(operand, str) else _check_exact_operand(operand)


def _check_contains_all_operand(operand: object) -> str | None:
    parts = narrow_to_list(operand)
    if not parts:
        return "expected a list of at least one value"
    return next((fault for part in parts if (fault := _check_contains_operand(part))), None)


def _check_regex_operand(operand: object) -> str | None:
    return _check_text_operand(operand) or explain_pattern_fault(cast(str, operand))


def _check_schema_operand(operand: object) -> str | None:
    if not isinstance(operand, dict):
        return f"expected a JSON Schema (a mapping), not {describe_value(operand)}"
    schema = cast(dict[str, Any], operand)
    return _check_exact_operand(schema) or explain_schema_fault(schema)


def _check_exact_operand(operand: object) -> str | None:
    try:
        # Infinity and NaN may be nested anywhere in the operand; the JSON writer finds them all.
        json.dumps(operand, allow_nan=False)
    except ValueError:
        return "expected a finite number"
    return None


def _make_comparison(sign: str) -> Callable[[Any, Any], str | None]:
    def explain_failure(actual: Any, operand: Any) -> str | None:
        if not is_number(actual):
            return f"{describe_value(actual)} is not a number"
        held = COMPARE[sign](to_exact(actual), to_exact(operand))
        return None if held else f"{_to_distinct_number(actual, operand)} is not {sign} {to_report_number(operand)}"

    return explain_failure


def _to_distinct_number(actual: Any, operand: Any) -> int | float | Fraction:
    """Return a number as the report shows it, or as a fraction if both numbers would look alike."""
    looks_equal = to_report_number(actual) == to_report_number(operand) and to_exact(actual) != to_exact(operand)
    return to_exact(actual) if looks_equal else to_report_number(actual)


def _explain_between_failure(actual: Any, operand: Any) -> str | None:
    if not is_number(actual):
        return f"{describe_value(actual)} is not a number"
    low, high = operand
    held = to_exact(low) <= to_exact(actual) <= to_exact(high)
    return (
        None
        if held
        else f"{to_report_number(actual)} is not between {to_report_number(low)} and {to_report_number(high)}"
    )


def _explain_exact_failure(actual: Any, operand: Any) -> str | None:
    return None if is_same_json(actual, operand) else f"{describe_value(actual)} is not {describe_value(operand)}"


def _explain_contains_failure(actual: Any, operand: Any) -> str | None:
    if isinstance(actual, str):
        held = isinstance(operand, str) and operand in actual
    else:
        parts = narrow_to_list(actual)
        if parts is None:
            return f"{describe_value(actual)} is neither text nor a list"
        held = any(is_same_json(part, operand) for part in parts)
    return None if held else f"{describe_value(actual)} does not contain {describe_value(operand)}"


def _explain_icontains_failure(actual: Any, operand: Any) -> str | None:
    if not isinstance(actual, str):
        return f"{describe_value(actual)} is not text"
    # `casefold`, as `lower` keeps `ß` and `SS` apart.
    held = operand.casefold() in actual.casefold()
    return None if held else f"{describe_value(actual)} does not contain {describe_value(operand)} in any case"


def _explain_contains_all_failure(actual: Any, operand: Any) -> str | None:
    return next((why for part in operand if (why := _explain_contains_failure(actual, part))), None)


def _explain_regex_failure(actual: Any, operand: Any) -> str | None:
    if not isinstance(actual, str):
        return f"{describe_value(actual)} is not text"
    return None if has_pattern_match(operand, actual) else f"{describe_value(actual)} does not match `{operand}`"


def _explain_schema_failure(actual: Any, operand: Any) -> str | None:
    """Return why a value breaks a schema: bounds on a number are compared exactly, the rest is up to the engine."""
    if is_number(actual):
        for word, sign in BOUNDS.items():
            bound = operand.get(word)
            if is_number(bound) and (why := _make_comparison(sign)(actual, bound)):
                return why
        # The engine compares floats: 1/3 of a value would be rounded before the comparison, so bounds are taken out.
        operand = {key: value for key, value in operand.items() if key not in BOUNDS}
        actual = to_report_number(actual)
    return explain_schema_failure(operand, actual)


_NUMBERS: tuple[Kind, ...] = ("percent", "number", "value")
_TEXTS: tuple[Kind, ...] = ("text", "value")
_ALL: tuple[Kind, ...] = ("percent", "number", "text", "list", "value")
_PARTS: tuple[Kind, ...] = ("text", "list", "value")
_NUMBER: dict[str, Any] = {"type": "number"}
_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}

OPERATORS: dict[str, Operator] = {
    **{sign: Operator(_NUMBERS, _NUMBER, _check_number_operand, _make_comparison(sign)) for sign in COMPARE},
    "between": Operator(
        _NUMBERS,
        {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2},
        _check_between_operand,
        _explain_between_failure,
    ),
    "schema": Operator(_ALL, {"type": "object"}, _check_schema_operand, _explain_schema_failure),
    "exact": Operator(_ALL, {}, _check_exact_operand, _explain_exact_failure),
    "contains": Operator(
        _PARTS, {"type": ["string", "number", "boolean"]}, _check_contains_operand, _explain_contains_failure
    ),
    "icontains": Operator(_TEXTS, _TEXT, _check_text_operand, _explain_icontains_failure),
    "contains_all": Operator(
        _PARTS, {"type": "array", "minItems": 1}, _check_contains_all_operand, _explain_contains_all_failure
    ),
    "regex": Operator(_TEXTS, _TEXT, _check_regex_operand, _explain_regex_failure),
}


def explain_mismatch(matcher: Mapping[str, Any], actual: object) -> str | None:
    """Return why `actual` does not meet the matcher, or None if every operator holds."""
    failures = (OPERATORS[name].failure(actual, operand) for name, operand in matcher.items())
    return "; ".join(failure for failure in failures if failure) or None
