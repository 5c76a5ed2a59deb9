"""`expect:` lists as authored, in the short or the long form, for pydantic."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from ..foundations.json_value import describe_value
from ..foundations.suggestion import find_nearest, format_suggestion
from .block import make_finding, raise_findings
from .expectation import Expectation
from .matcher import MATCHER_SCHEMA, check_matcher
from .operators import Kind
from .registry import GATES, list_gates
from .target import ABSENT, PLAIN

KindOf = Callable[[str], "Kind | InitErrorDetails"]
"""Returns the kind of a target's values, or the finding that there is no such target."""


@dataclass(frozen=True)
class ExpectList:
    """The pydantic type of an `expect:` list, whose targets are those that `kind_of` knows."""

    kind_of: KindOf
    make_target_schema: Callable[[], dict[str, Any]]

    def read_expectations(self, value: object) -> tuple[Expectation, ...]:
        """Return the expectations in a list; raise a ValidationError with every mistake in it."""
        if not isinstance(value, list):
            raise_findings(make_finding("type", f"expected a list, not {describe_value(value)}", help=_FORMS))
        items = cast(list[object], value)
        found = list(_check_items(items, self.kind_of))
        if found:
            raise_findings(*found)
        return tuple(_make_expectation(cast(dict[str, Any], item)) for item in items)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return no_info_plain_validator_function(self.read_expectations)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return _make_list_schema(self.make_target_schema())


def make_expect_list(gate: str) -> ExpectList:
    """Return the type of an `expect:` list over the targets that the gate's row in the registry describes."""

    def find_kind(target: str) -> Kind | InitErrorDetails:
        targets = GATES[gate].targets
        if target in targets:
            return targets[target].kind
        return make_finding(
            "target",
            f"unknown target `{target}`",
            label=f"expected one of {', '.join(targets)}",
            help=format_suggestion(target, targets) or explain_gate_target(target) or _explain_trace_target(target),
            on_key=True,
        )

    return ExpectList(find_kind, lambda: {"enum": list(GATES[gate].targets)})


def explain_gate_target(target: str) -> str | None:
    """Return the help line for a target that belongs in the `expect` of a gate, or None."""
    family = target.partition(".")[0]
    owner = next((gate.name for gate in list_gates() if family in gate.target_families), None)
    return f"a target of `{owner}` belongs in the `expect` of that gate" if owner else None


def _explain_trace_target(target: str) -> str | None:
    is_plain = target.startswith("tool_calls[") or target in PLAIN
    return "a target of the trace belongs in the `expect` of the test itself" if is_plain else None


def _make_expectation(item: dict[str, Any]) -> Expectation:
    if "target" in item:
        return Expectation(item["target"], item["matcher"])
    ((target, matcher),) = item.items()
    return Expectation(target, matcher)


def _check_items(items: list[object], kind_of: KindOf) -> Iterator[InitErrorDetails]:
    for index, item in enumerate(items):
        for error in _check_item(item, kind_of):
            yield InitErrorDetails(type=error["type"], loc=(index, *error.get("loc", ())), input=error["input"])


def _check_item(item: object, kind_of: KindOf) -> Iterator[InitErrorDetails]:
    if not isinstance(item, dict):
        yield make_finding("type", f"expected a target and its matcher, not {describe_value(item)}", help=_FORMS)
        return
    authored = cast(dict[object, object], item)
    if "target" in authored or "matcher" in authored:
        yield from _check_long_form(authored, kind_of)
    elif len(authored) != 1:
        message = "an entry of `expect` holds one target" if authored else "an empty entry asserts nothing"
        yield make_finding("expectation", message, help=_FORMS)
    else:
        ((target, matcher),) = authored.items()
        yield from _check_pair(target, matcher, kind_of, (cast(str, target),), (cast(str, target),))


def _check_long_form(item: dict[object, object], kind_of: KindOf) -> Iterator[InitErrorDetails]:
    meant = {find_nearest(str(key), ("target", "matcher")) for key in item}
    for key in item:
        if key not in ("target", "matcher"):
            help_ = format_suggestion(str(key), ("target", "matcher"))
            label = "expected one of target, matcher"
            yield make_finding(
                "key", f"unknown key `{key}`", at=(cast(str, key),), on_key=True, label=label, help=help_
            )
    for key in ("target", "matcher"):
        if key not in item and key not in meant:
            yield make_finding("missing_key", f"missing key `{key}`", help=_FORMS)
    if "target" in item:
        yield from _check_pair(item["target"], item.get("matcher", ABSENT), kind_of, ("target",), ("matcher",))


def _check_pair(
    target: object, matcher: object, kind_of: KindOf, at: tuple[str, ...], below: tuple[str, ...]
) -> Iterator[InitErrorDetails]:
    if not isinstance(target, str):
        label = f"expected a target, not {describe_value(target)}"
        yield make_finding("type", label, at=at, on_key=at == below, help=_FORMS)
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
    for error in check_matcher(matcher, kind, target):
        yield InitErrorDetails(type=error["type"], loc=(*below, *error.get("loc", ())), input=None)


def _make_list_schema(target: dict[str, Any]) -> dict[str, Any]:
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


_FORMS = 'write `- TARGET: {">=": 80}`, or `target:` and `matcher:`'
