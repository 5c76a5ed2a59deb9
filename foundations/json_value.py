"""Compares JSON values and describes them in messages."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, cast

from .exact_number import is_number, to_exact, to_report_number


def narrow_to_list(value: object) -> list[Any] | None:
    """Return the items of a JSON list, or None if `value` is anything else."""
    return list(cast(list[Any], value)) if isinstance(value, list | tuple) else None


def narrow_to_mapping(value: object) -> Mapping[Any, Any] | None:
    """Return a JSON object, or None if `value` is anything else."""
    return cast(Mapping[Any, Any], value) if isinstance(value, Mapping) else None


def is_same_json(a: object, b: object) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0, but true does not equal 1."""
    if is_number(a) and is_number(b):
        return to_exact(cast(Any, a)) == to_exact(cast(Any, b))
    left, right = narrow_to_mapping(a), narrow_to_mapping(b)
    if left is not None and right is not None:
        return left.keys() == right.keys() and all(is_same_json(left[key], right[key]) for key in left)
    items, others = narrow_to_list(a), narrow_to_list(b)
    if items is not None and others is not None:
        return len(items) == len(others) and all(map(is_same_json, items, others))
    # `==` alone would take True for 1.
    return type(a) is type(b) and a == b


def describe_value(value: object) -> str:
    """Return a value as a message names it: at most 80 characters, and text in quotes."""
    if is_number(value):
        number = cast(float, value)
        return str(number) if isinstance(number, float) and not isfinite(number) else f"{to_report_number(number)}"
    if isinstance(value, list | tuple | dict) and not value:
        return "an empty list" if isinstance(value, list | tuple) else "an empty mapping"
    text = json.dumps(value, ensure_ascii=False, default=str)
    # The last character stays: it is the closing quote or bracket, by which the type is seen.
    return text if len(text) <= 80 else f"{text[:76]} …{text[-1]}"
