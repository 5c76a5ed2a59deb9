"""Every operator of the suite language: what it takes, and whether a value meets it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Literal, cast

from ..foundations.exact_number import exact, is_number, shown
from ..foundations.json_value import as_dict, as_list, describe, same_json
from .pattern import pattern_fault, pattern_found, schema_failure, schema_fault

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


def _number_fault(operand: object) -> str | None:
    if not is_number(operand):
        return f"expected a number, not {describe(operand)}"
    if isinstance(operand, float) and not isfinite(operand):
        return f"expected a finite number, not {describe(operand)}"
    return None


def _between_fault(operand: object) -> str | None:
    ends = as_list(operand)
    if ends is None or len(ends) != 2 or any(_number_fault(end) for end in ends):
        return "expected two numbers, `[low, high]`"
    if exact(ends[0]) > exact(ends[1]):
        return "the first number must not be above the second"
    return None


def _text_fault(operand: object) -> str | None:
    if not isinstance(operand, str):
        return f"expected text, not {describe(operand)}"
    return None if operand else "expected text that is not empty: everything contains the empty text"


def _contains_fault(operand: object) -> str | None:
    if operand is None or as_list(operand) is not None or as_dict(operand) is not None:
        return f"expected text or a single value, not {describe(operand)}"
    return _text_fault(operand) if isinstance(operand, str) else _exact_fault(operand)


def _all_fault(operand: object) -> str | None:
    parts = as_list(operand)
    if not parts:
        return "expected a list of at least one value"
    return next((fault for part in parts if (fault := _contains_fault(part))), None)


def _regex_fault(operand: object) -> str | None:
    return _text_fault(operand) or pattern_fault(cast(str, operand))


def _schema_fault(operand: object) -> str | None:
    if not isinstance(operand, dict):
        return f"expected a JSON Schema (a mapping), not {describe(operand)}"
    schema = cast(dict[str, Any], operand)
    return _exact_fault(schema) or schema_fault(schema)


def _exact_fault(operand: object) -> str | None:
    try:
        json.dumps(operand, allow_nan=False)
    except ValueError:
        return "expected a finite number"
    return None


def _compare_failure(sign: str) -> Callable[[Any, Any], str | None]:
    def failure(actual: Any, operand: Any) -> str | None:
        if not is_number(actual):
            return f"{describe(actual)} is not a number"
        held = COMPARE[sign](exact(actual), exact(operand))
        return None if held else f"{_told_apart(actual, operand)} is not {sign} {shown(operand)}"

    return failure


def _told_apart(actual: Any, operand: Any) -> int | float | Fraction:
    """The number as the report shows it; as a fraction where that would look like the other number."""
    looks_equal = shown(actual) == shown(operand) and exact(actual) != exact(operand)
    return exact(actual) if looks_equal else shown(actual)


def _between_failure(actual: Any, operand: Any) -> str | None:
    if not is_number(actual):
        return f"{describe(actual)} is not a number"
    low, high = operand
    held = exact(low) <= exact(actual) <= exact(high)
    return None if held else f"{shown(actual)} is not between {shown(low)} and {shown(high)}"


def _exact_failure(actual: Any, operand: Any) -> str | None:
    return None if same_json(actual, operand) else f"{describe(actual)} is not {describe(operand)}"


def _contains_failure(actual: Any, operand: Any) -> str | None:
    if isinstance(actual, str):
        held = isinstance(operand, str) and operand in actual
    else:
        parts = as_list(actual)
        if parts is None:
            return f"{describe(actual)} is neither text nor a list"
        held = any(same_json(part, operand) for part in parts)
    return None if held else f"{describe(actual)} does not contain {describe(operand)}"


def _icontains_failure(actual: Any, operand: Any) -> str | None:
    if not isinstance(actual, str):
        return f"{describe(actual)} is not text"
    held = operand.casefold() in actual.casefold()
    return None if held else f"{describe(actual)} does not contain {describe(operand)} in any case"


def _all_failure(actual: Any, operand: Any) -> str | None:
    return next((why for part in operand if (why := _contains_failure(actual, part))), None)


def _regex_failure(actual: Any, operand: Any) -> str | None:
    if not isinstance(actual, str):
        return f"{describe(actual)} is not text"
    return None if pattern_found(operand, actual) else f"{describe(actual)} does not match `{operand}`"


def _schema_failure(actual: Any, operand: Any) -> str | None:
    """Bounds on a number are compared exactly; whatever else the schema says goes to the engine."""
    if is_number(actual):
        for word, sign in BOUNDS.items():
            bound = operand.get(word)
            if is_number(bound) and (why := _compare_failure(sign)(actual, bound)):
                return why
        operand = {key: value for key, value in operand.items() if key not in BOUNDS}
        actual = shown(actual)
    return schema_failure(operand, actual)


_NUMBERS: tuple[Kind, ...] = ("percent", "number", "value")
_TEXTS: tuple[Kind, ...] = ("text", "value")
_ALL: tuple[Kind, ...] = ("percent", "number", "text", "list", "value")
_PARTS: tuple[Kind, ...] = ("text", "list", "value")
_NUMBER: dict[str, Any] = {"type": "number"}
_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}

OPERATORS: dict[str, Operator] = {
    **{sign: Operator(_NUMBERS, _NUMBER, _number_fault, _compare_failure(sign)) for sign in COMPARE},
    "between": Operator(
        _NUMBERS,
        {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2},
        _between_fault,
        _between_failure,
    ),
    "schema": Operator(_ALL, {"type": "object"}, _schema_fault, _schema_failure),
    "exact": Operator(_ALL, {}, _exact_fault, _exact_failure),
    "contains": Operator(_PARTS, {"type": ["string", "number", "boolean"]}, _contains_fault, _contains_failure),
    "icontains": Operator(_TEXTS, _TEXT, _text_fault, _icontains_failure),
    "contains_all": Operator(_PARTS, {"type": "array", "minItems": 1}, _all_fault, _all_failure),
    "regex": Operator(_TEXTS, _TEXT, _regex_fault, _regex_failure),
}
