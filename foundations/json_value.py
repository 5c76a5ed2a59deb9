"""JSON values: when two are equal, and how one is shown in a message."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, cast

from .exact_number import is_number, to_exact, to_report_number


def narrow_to_list(value: object) -> list[Any] | None:
    """The parts of a JSON list, or None for anything else."""
    return list(cast(list[Any], value)) if isinstance(value, list | tuple) else None


def narrow_to_mapping(value: object) -> Mapping[Any, Any] | None:
    """A JSON object, or None for anything else."""
    return cast(Mapping[Any, Any], value) if isinstance(value, Mapping) else None


def is_same_json(a: object, b: object) -> bool:
    """Equality of JSON values: 1 is 1.0, but true is not 1."""
    if is_number(a) and is_number(b):
        return to_exact(cast(Any, a)) == to_exact(cast(Any, b))
    left, right = narrow_to_mapping(a), narrow_to_mapping(b)
    if left is not None and right is not None:
        return left.keys() == right.keys() and all(is_same_json(left[key], right[key]) for key in left)
    items, others = narrow_to_list(a), narrow_to_list(b)
    if items is not None and others is not None:
        return len(items) == len(others) and all(map(is_same_json, items, others))
    return type(a) is type(b) and a == b


def describe_value(value: object) -> str:
    """A value in a message: short, and unmistakably of its type."""
    if is_number(value):
        number = cast(float, value)
        return str(number) if isinstance(number, float) and not isfinite(number) else f"{to_report_number(number)}"
    if isinstance(value, list | tuple | dict) and not value:
        return "an empty list" if isinstance(value, list | tuple) else "an empty mapping"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:76]} …{text[-1]}"
