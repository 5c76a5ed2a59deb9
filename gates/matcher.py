"""Authored matchers: every mistake in one, as findings that the compiler turns into diagnostics."""

from collections.abc import Iterator
from math import isfinite
from typing import Any, cast

from pydantic_core import InitErrorDetails

from ..foundations.exact_number import is_number, to_exact
from ..foundations.json_value import describe_value, narrow_to_list
from ..foundations.suggestion import format_suggestion
from .block import make_finding
from .operators import BOUNDS, OPERATORS, Kind
from .pattern import find_schema_fault_path

MATCHER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": False,
    "properties": {name: operator.schema for name, operator in OPERATORS.items()},
}


def check_matcher(matcher: object, kind: Kind, target: str) -> Iterator[InitErrorDetails]:
    """Yield every mistake in an authored matcher for a target of this kind."""
    if not isinstance(matcher, dict):
        hint = _make_matcher_hint(matcher, kind)
        yield make_finding("matcher", f"expected a matcher (a mapping), not {describe_value(matcher)}", help=hint)
        return
    authored = cast(dict[object, object], matcher)
    if not authored:
        yield make_finding("empty", "a matcher without an operator asserts nothing", help=_describe_operators(kind))
    for name, operand in authored.items():
        operator = OPERATORS.get(name) if isinstance(name, str) else None
        if operator is None:
            suggestion = _SIGNS.get(str(name)) or format_suggestion(str(name), OPERATORS)
            yield make_finding(
                "operator",
                f"unknown operator `{name}`",
                at=(cast(str, name),),
                on_key=True,
                label=f"expected one of {', '.join(_list_operators(kind))}",
                help=suggestion,
            )
        elif kind not in operator.kinds:
            yield make_finding(
                "operator_kind",
                f"`{name}` cannot be asked of `{target}`, which is {_A_KIND[kind]}",
                at=(cast(str, name),),
                on_key=True,
                help=_describe_operators(kind),
            )
        else:
            yield from _check_operand(cast(str, name), operand, kind, target)


def _check_operand(name: str, operand: object, kind: Kind, target: str) -> Iterator[InitErrorDetails]:
    fault = OPERATORS[name].fault(operand)
    # `exact` on a number is `==`: text or a list could never equal it, and the check would always fail.
    if name == "exact" and kind in ("percent", "number"):
        fault = OPERATORS["=="].fault(operand)
    if fault:
        yield _make_operand_finding(name, operand, fault)
        return
    if kind == "percent":
        for where, number in _list_thresholds(name, operand):
            if not 0 <= to_exact(number) <= 100:
                message = f"`{target}` is a percentage: {describe_value(number)} is outside 0..100"
                yield make_finding("range", message, at=where)


def _make_operand_finding(name: str, operand: object, fault: str) -> InitErrorDetails:
    if name == "schema" and isinstance(operand, dict):
        at = find_schema_fault_path(cast(dict[str, Any], operand))
        hint = _REFERENCE_HINT if fault.startswith("Pointer") else _SCHEMA_HINTS.get(at[-1] if at else "")
        return make_finding("schema", f"`schema`: {fault}", at=(name, *at), help=hint)
    if name == "regex" and isinstance(operand, str) and operand:
        return make_finding("regex", f"`regex`: {fault}", at=(name,), help=_make_regex_hint(fault))
    return make_finding("operand", f"`{name}`: {fault}", at=(name,), help=_make_operand_hint(name, operand))


def _make_regex_hint(fault: str) -> str:
    if "linear time" in fault:
        return "write it without them, or split it into several expectations"
    return "put a backslash before a character that is meant as it stands, such as `\\(`"


def _list_thresholds(name: str, operand: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if name == "between":
        yield from (((name, index), number) for index, number in enumerate(operand))
    elif name == "schema":
        yield from (((name, key), operand[key]) for key in BOUNDS if is_number(operand.get(key)))
    elif is_number(operand):
        yield (name,), operand


def _make_matcher_hint(value: object, kind: Kind) -> str:
    if is_number(value) and ">=" in _list_operators(kind):
        return f'write `{{">=": {describe_value(value)}}}` or another matcher'
    if isinstance(value, str) and "contains" in _list_operators(kind):
        return f"write `{{contains: {describe_value(value)}}}` or another matcher"
    return _describe_operators(kind)


def _make_operand_hint(name: str, operand: object) -> str | None:
    if name == "contains" and isinstance(operand, list):
        return "for several write `contains_all`"
    if name == "contains_all" and isinstance(operand, str) and operand:
        return f"write `[{describe_value(operand)}]`"
    if name == "between":
        return _make_between_hint(operand)
    if name == "schema":
        return "write a mapping, such as `{minimum: 3}`"
    if is_number(operand):
        is_finite = isfinite(cast(float, operand))
        return f'quote it: `"{describe_value(operand)}"`' if is_finite else "write a plain number, such as 80"
    return _make_number_hint(operand) if isinstance(operand, str) else None


def _make_between_hint(operand: object) -> str | None:
    ends = narrow_to_list(operand)
    if ends is None or len(ends) != 2 or not all(map(is_number, ends)) or not to_exact(ends[0]) > to_exact(ends[1]):
        return "write `[1, 8]`, the ends included"
    return f"write `[{describe_value(ends[1])}, {describe_value(ends[0])}]`"


def _make_number_hint(operand: str) -> str | None:
    bare = operand.strip().removesuffix("%")
    if not bare.removeprefix("-").replace(".", "", 1).isdecimal():
        return None
    return f"write {bare} without quotes" if bare == operand.strip() else f"write {bare}"


def _list_operators(kind: Kind) -> list[str]:
    return [name for name, operator in OPERATORS.items() if kind in operator.kinds]


def _describe_operators(kind: Kind) -> str:
    return f"{_A_KIND[kind]} takes {', '.join(f'`{name}`' for name in _list_operators(kind))}"


_A_KIND: dict[Kind, str] = {
    "percent": "a percentage",
    "number": "a number",
    "text": "text",
    "list": "a list",
    "value": "a value",
}
_REFERENCE_HINT = "define what `$ref` names under `$defs`, or write the schema out"
_SCHEMA_HINTS: dict[str | int, str] = {
    "type": "a type is array, boolean, integer, null, number, object or string",
    "required": "list the names: `[query]`",
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
