"""Matchers: what is wrong with an authored one, and whether a value meets it."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic_core import InitErrorDetails

from .block import finding
from .exact import exact, is_number
from .nearest import did_you_mean
from .operators import BOUNDS, OPERATORS, Kind
from .value import describe

MATCHER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": False,
    "properties": {name: operator.schema for name, operator in OPERATORS.items()},
}


def matcher_findings(matcher: object, kind: Kind, target: str) -> Iterator[InitErrorDetails]:
    """Everything wrong with an authored matcher for a target of this kind."""
    if not isinstance(matcher, dict):
        hint = _as_matcher(matcher, kind)
        yield finding("matcher", f"expected a matcher (a mapping), not {describe(matcher)}", help=hint)
        return
    authored = cast(dict[object, object], matcher)
    if not authored:
        yield finding("empty", "a matcher without an operator asserts nothing", help=_operators_of(kind))
    for name, operand in authored.items():
        operator = OPERATORS.get(name) if isinstance(name, str) else None
        if operator is None:
            suggestion = _SIGNS.get(str(name)) or did_you_mean(str(name), OPERATORS)
            yield finding(
                "operator",
                f"unknown operator `{name}`",
                at=(cast(str, name),),
                on_key=True,
                label=f"expected one of {', '.join(_names_of(kind))}",
                help=suggestion,
            )
        elif kind not in operator.kinds:
            yield finding(
                "operator_kind",
                f"`{name}` cannot be asked of `{target}`, which is {_A_KIND[kind]}",
                at=(cast(str, name),),
                on_key=True,
                help=_operators_of(kind),
            )
        else:
            yield from _operand_findings(cast(str, name), operand, kind, target)


def failure(matcher: Mapping[str, Any], actual: object) -> str | None:
    """Why `actual` does not meet the matcher, or None where every operator holds."""
    found = (OPERATORS[name].failure(actual, operand) for name, operand in matcher.items())
    return "; ".join(why for why in found if why) or None


def _operand_findings(name: str, operand: object, kind: Kind, target: str) -> Iterator[InitErrorDetails]:
    fault = OPERATORS[name].fault(operand)
    if name == "exact" and kind in ("percent", "number"):
        fault = OPERATORS["=="].fault(operand)
    if fault:
        code = {"regex": "regex", "schema": "schema"}.get(name, "operand")
        yield finding(code, f"`{name}`: {fault}", at=(name,), help=_operand_hint(name, operand))
        return
    if kind == "percent":
        for where, number in _thresholds(name, operand):
            if not 0 <= exact(number) <= 100:
                message = f"`{target}` is a percentage: {describe(number)} is outside 0..100"
                yield finding("range", message, at=where)


def _thresholds(name: str, operand: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if name == "between":
        yield from (((name, index), number) for index, number in enumerate(operand))
    elif name == "schema":
        yield from (((name, key), operand[key]) for key in BOUNDS if is_number(operand.get(key)))
    elif is_number(operand):
        yield (name,), operand


def _as_matcher(value: object, kind: Kind) -> str:
    if is_number(value) and ">=" in _names_of(kind):
        return f'write `{{">=": {describe(value)}}}` or another matcher'
    if isinstance(value, str) and "contains" in _names_of(kind):
        return f"write `{{contains: {describe(value)}}}` or another matcher"
    return _operators_of(kind)


def _operand_hint(name: str, operand: object) -> str | None:
    if name == "contains" and isinstance(operand, list):
        return "for several write `contains_all`"
    if not isinstance(operand, str):
        return None
    bare = operand.strip().removesuffix("%")
    if not bare.removeprefix("-").replace(".", "", 1).isdecimal():
        return None
    return f"write {bare} without quotes" if bare == operand.strip() else f"write {bare}"


def _names_of(kind: Kind) -> list[str]:
    return [name for name, operator in OPERATORS.items() if kind in operator.kinds]


def _operators_of(kind: Kind) -> str:
    return f"{_A_KIND[kind]} takes {', '.join(f'`{name}`' for name in _names_of(kind))}"


_A_KIND: dict[Kind, str] = {
    "percent": "a percentage",
    "number": "a number",
    "text": "text",
    "list": "a list",
    "value": "a value",
}
_SIGNS = {
    "=>": "did you mean `>=`?",
    "=<": "did you mean `<=`?",
    "=": "did you mean `==`?",
    "equals": "did you mean `exact`, or `==` for a number?",
    "eq": "did you mean `==`?",
    "gte": "did you mean `>=`?",
    "gt": "did you mean `>`?",
    "lte": "did you mean `<=`?",
    "lt": "did you mean `<`?",
    "min": "did you mean `>=`?",
    "max": "did you mean `<=`?",
}
