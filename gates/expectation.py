"""Expectations: `expect:` lists as authored in either form, and what becomes of them on a value."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import msgspec
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from ..foundations.exact_number import dollars, shown
from ..foundations.json_value import describe
from ..foundations.suggestion import did_you_mean, nearest
from .block import finding, refuse
from .gate_result import AssertionResult
from .matcher import MATCHER_SCHEMA, failure, matcher_findings
from .operators import Kind
from .target import ABSENT, PLAIN

KindOf = Callable[[str], "Kind | InitErrorDetails"]
"""What a target yields, or the finding that there is no such target."""


class Expectation(msgspec.Struct, frozen=True):
    """A target and the matcher it has to meet."""

    target: str
    matcher: dict[str, Any]

    def check(self, actual: Any) -> AssertionResult:
        """The verdict on one value; an absent one fails, and says so."""
        if actual is ABSENT:
            return AssertionResult(self.target, self.matcher, "failed", reason="absent")
        why = failure(self.matcher, actual)
        seen = display(actual)
        if why:
            return AssertionResult(self.target, self.matcher, "failed", actual=seen, reason=why)
        return AssertionResult(self.target, self.matcher, "passed", actual=seen)


def display(value: Any) -> Any:
    """A measured value as the report shows it."""
    if isinstance(value, Decimal):
        return dollars(value)
    return shown(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True)
class ExpectList:
    """How pydantic reads an `expect:` list, whose targets are those that `kind_of` knows."""

    kind_of: KindOf
    target_schema: dict[str, Any]

    def read(self, value: object) -> tuple[Expectation, ...]:
        """The expectations in a list, or everything that is wrong with it."""
        if not isinstance(value, list):
            refuse(finding("type", f"expected a list, not {describe(value)}", help=_FORMS))
        items = cast(list[object], value)
        found = list(_findings(items, self.kind_of))
        if found:
            refuse(*found)
        return tuple(_expectation(cast(dict[str, Any], item)) for item in items)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return _list_schema(self.target_schema)


def targets_of(kinds: Mapping[str, Kind]) -> ExpectList:
    """An `expect:` list over a closed set of targets."""

    def kind_of(target: str) -> Kind | InitErrorDetails:
        return kinds.get(target) or finding(
            "target",
            f"unknown target `{target}`",
            label=f"expected one of {', '.join(kinds)}",
            help=did_you_mean(target, kinds) or gate_of(target) or _of_the_trace(target),
            on_key=True,
        )

    return ExpectList(kind_of, {"enum": list(kinds)})


def gate_of(target: str) -> str | None:
    """The help line for a target that belongs into the `expect` of a gate."""
    gate = _GATES.get(target.partition(".")[0])
    return f"a target of `{gate}` stands in the `expect` of that gate" if gate else None


def _of_the_trace(target: str) -> str | None:
    is_plain = target.startswith("tool_calls[") or target in PLAIN
    return "a target of the trace stands in the `expect` of the test itself" if is_plain else None


def _expectation(item: dict[str, Any]) -> Expectation:
    if "target" in item:
        return Expectation(item["target"], item["matcher"])
    ((target, matcher),) = item.items()
    return Expectation(target, matcher)


def _findings(items: list[object], kind_of: KindOf) -> Iterator[InitErrorDetails]:
    for index, item in enumerate(items):
        for error in _item_findings(item, kind_of):
            yield InitErrorDetails(type=error["type"], loc=(index, *error.get("loc", ())), input=error["input"])


def _item_findings(item: object, kind_of: KindOf) -> Iterator[InitErrorDetails]:
    if not isinstance(item, dict):
        yield finding("type", f"expected a target and its matcher, not {describe(item)}", help=_FORMS)
        return
    authored = cast(dict[object, object], item)
    if "target" in authored or "matcher" in authored:
        yield from _long_findings(authored, kind_of)
    elif len(authored) != 1:
        message = "an entry of `expect` holds one target" if authored else "an empty entry asserts nothing"
        yield finding("expectation", message, help=_FORMS)
    else:
        ((target, matcher),) = authored.items()
        yield from _pair_findings(target, matcher, kind_of, (cast(str, target),), (cast(str, target),))


def _long_findings(item: dict[object, object], kind_of: KindOf) -> Iterator[InitErrorDetails]:
    meant = {nearest(str(key), ("target", "matcher")) for key in item}
    for key in item:
        if key not in ("target", "matcher"):
            help_ = did_you_mean(str(key), ("target", "matcher"))
            label = "expected one of target, matcher"
            yield finding("key", f"unknown key `{key}`", at=(cast(str, key),), on_key=True, label=label, help=help_)
    for key in ("target", "matcher"):
        if key not in item and key not in meant:
            yield finding("missing_key", f"missing key `{key}`", help=_FORMS)
    if "target" in item:
        yield from _pair_findings(item["target"], item.get("matcher", ABSENT), kind_of, ("target",), ("matcher",))


def _pair_findings(
    target: object, matcher: object, kind_of: KindOf, at: tuple[str, ...], below: tuple[str, ...]
) -> Iterator[InitErrorDetails]:
    if not isinstance(target, str):
        label = f"expected a target, not {describe(target)}"
        yield finding("type", label, at=at, on_key=at == below, help=_FORMS)
        return
    kind = kind_of(target)
    if not isinstance(kind, str):
        facts = kind["type"]
        assert isinstance(facts, PydanticCustomError)
        context = {**(facts.context or {}), "on_key": at == below}
        yield InitErrorDetails(type=PydanticCustomError("target", "{message}", context), loc=at, input=None)
        kind = "value"
    if matcher is ABSENT:
        return
    for error in matcher_findings(matcher, kind, target):
        yield InitErrorDetails(type=error["type"], loc=(*below, *error.get("loc", ())), input=None)


def _list_schema(target: dict[str, Any]) -> dict[str, Any]:
    long = {
        "type": "object",
        "required": ["target", "matcher"],
        "additionalProperties": False,
        "properties": {"target": {"type": "string", **target}, "matcher": MATCHER_SCHEMA},
    }
    short = {
        "type": "object",
        "propertyNames": target,
        "additionalProperties": MATCHER_SCHEMA,
        "minProperties": 1,
        "maxProperties": 1,
    }
    return {"type": "array", "items": {"anyOf": [short, long]}}


_GATES = {
    "tool_selection": "equal_function_sets",
    "token_efficiency": "token_efficiency",
    "tool_correctness": "tool_correctness",
}
_FORMS = 'write `- TARGET: {">=": 80}`, or `target:` and `matcher:`'
