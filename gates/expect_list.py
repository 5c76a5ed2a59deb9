"""`expect:` lists as authored, in the short or the long form, for pydantic."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from msgspec import UNSET
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from ..foundations.exact_number import is_number
from ..foundations.json_value import describe_value
from ..foundations.suggestion import find_nearest, format_suggestion
from .block import make_finding, raise_findings
from .expectation import Expectation
from .matcher import MATCHER_SCHEMA, check_matcher
from .operators import Kind
from .registry import GATES, GateDescription, list_gates
from .run_targets import RUN_TARGET_EXAMPLES, RUN_TARGET_PATTERN
from .target import ABSENT, PLAIN

KindOf = Callable[[str], "Kind | InitErrorDetails"]
"""Returns the kind of a target's values, or the finding that there is no such target."""


@dataclass(frozen=True)
class ExpectList:
    """The pydantic type of an `expect:` list, whose targets are those that `kind_of` knows."""

    kind_of: KindOf
    make_target_schema: Callable[[], dict[str, Any]]
    has_in_runs: bool = False
    """Whether an entry may say in what share of the runs it has to hold."""

    def read_expectations(self, value: object) -> tuple[Expectation, ...]:
        """Return the expectations in a list; raise a ValidationError with every mistake in it."""
        if not isinstance(value, list):
            raise_findings(make_finding("type", f"expected a list, not {describe_value(value)}", help=_FORMS))
        items = cast(list[object], value)
        found = list(_check_items(items, self))
        if found:
            raise_findings(*found)
        return tuple(_make_expectation(cast(dict[str, Any], item)) for item in items)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return no_info_plain_validator_function(self.read_expectations)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return _make_list_schema(self.make_target_schema(), self.has_in_runs)


def make_expect_list(gate: str, *, is_of_runs: bool = False) -> ExpectList:
    """Return the type of an `expect:` list over the targets of a gate's row in the registry.

    A list that is asked of single runs has no run targets, as these are about all of them.
    """

    def find_kind(target: str) -> Kind | InitErrorDetails:
        row = GATES[gate]
        found = row.targets.get(target) if is_of_runs else row.find_target(target)
        return found.kind if found else _make_target_finding(target, row, is_of_runs)

    return ExpectList(find_kind, lambda: _make_gate_target_schema(GATES[gate], is_of_runs))


def _make_target_finding(target: str, row: GateDescription, is_of_runs: bool) -> InitErrorDetails:
    runs = [] if is_of_runs else [f"{row.run_target_family}.{word}" for word in RUN_TARGET_EXAMPLES]
    known = [*row.targets, *(runs if row.run_target_family else [])]
    if is_of_runs and row.find_target(target):
        help_ = f"`{target}` is about all runs: it belongs in `expect`"
    else:
        help_ = format_suggestion(target, known) or explain_gate_target(target) or _explain_trace_target(target)
    label = f"expected one of {', '.join(row.targets)}"
    return make_finding("target", f"unknown target `{target}`", label=label, help=help_, on_key=True)


def _make_gate_target_schema(row: GateDescription, is_of_runs: bool) -> dict[str, Any]:
    names: dict[str, Any] = {"enum": list(row.targets)}
    if is_of_runs or not row.run_target_family:
        return names
    return {"anyOf": [names, {"pattern": rf"^{row.run_target_family}\.({RUN_TARGET_PATTERN})$"}]}


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
        return Expectation(item["target"], item["matcher"], item.get("in_runs", UNSET))
    ((target, matcher),) = item.items()
    return Expectation(target, matcher)


def _check_items(items: list[object], expects: ExpectList) -> Iterator[InitErrorDetails]:
    for index, item in enumerate(items):
        for error in _check_item(item, expects):
            yield InitErrorDetails(type=error["type"], loc=(index, *error.get("loc", ())), input=error["input"])


def _check_item(item: object, expects: ExpectList) -> Iterator[InitErrorDetails]:
    if not isinstance(item, dict):
        yield make_finding("type", f"expected a target and its matcher, not {describe_value(item)}", help=_FORMS)
        return
    authored = cast(dict[object, object], item)
    if "target" in authored or "matcher" in authored:
        yield from _check_long_form(authored, expects)
    elif "in_runs" in authored:
        yield make_finding("expectation", "`in_runs` goes with the long form of an entry", help=_LONG_FORM)
    elif len(authored) != 1:
        message = "an entry of `expect` holds one target" if authored else "an empty entry asserts nothing"
        yield make_finding("expectation", message, help=_FORMS)
    else:
        ((target, matcher),) = authored.items()
        yield from _check_pair(target, matcher, expects.kind_of, (cast(str, target),), (cast(str, target),))


def _check_long_form(item: dict[object, object], expects: ExpectList) -> Iterator[InitErrorDetails]:
    known = ("target", "matcher", "in_runs") if expects.has_in_runs else ("target", "matcher")
    # A misspelt key is not missing, too: one mistake gives one finding.
    meant = {find_nearest(str(key), known) for key in item}
    for key in item:
        if key not in known:
            help_ = _IN_RUNS_PLACE if key == "in_runs" else format_suggestion(str(key), known)
            label = f"expected one of {', '.join(known)}"
            yield make_finding(
                "key", f"unknown key `{key}`", at=(cast(str, key),), on_key=True, label=label, help=help_
            )
    if "in_runs" in known and "in_runs" in item:
        yield from _check_in_runs(item["in_runs"])
    for key in ("target", "matcher"):
        if key not in item and key not in meant:
            yield make_finding("missing_key", f"missing key `{key}`", help=_FORMS)
    if "target" in item:
        yield from _check_pair(item["target"], item.get("matcher", ABSENT), expects.kind_of, ("target",), ("matcher",))


def _check_in_runs(value: object) -> Iterator[InitErrorDetails]:
    if not is_number(value) or not 0 < cast(float, value) <= 100:
        message = f"`in_runs` is a percentage above 0, not {describe_value(value)}"
        yield make_finding("range", message, at=("in_runs",), help="write a number such as 90, or leave it out for 100")


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
        # The matcher is checked all the same: a value takes every operator, so only real mistakes are told.
        kind = "value"
    if matcher is ABSENT:
        return
    for error in check_matcher(matcher, kind, target):
        yield InitErrorDetails(type=error["type"], loc=(*below, *error.get("loc", ())), input=None)


def _make_list_schema(target: dict[str, Any], has_in_runs: bool) -> dict[str, Any]:
    share = {"in_runs": {"type": "number", "exclusiveMinimum": 0, "maximum": 100}} if has_in_runs else {}
    long = {
        "type": "object",
        "required": ["target", "matcher"],
        "additionalProperties": False,
        "properties": {"target": {"type": "string", **target}, "matcher": MATCHER_SCHEMA, **share},
    }
    short = {
        "type": "object",
        "propertyNames": target,
        "additionalProperties": MATCHER_SCHEMA,
        "minProperties": 1,
        "maxProperties": 1,
    }
    return {"type": "array", "items": {"anyOf": [short, long]}}


_LONG_FORM = 'write `- {target: TARGET, matcher: {contains: "…"}, in_runs: 90}`'
_IN_RUNS_PLACE = "`in_runs` belongs in the `expect` of the test itself; for a gate, ask for `pass_rate`"
_FORMS = 'write `- TARGET: {">=": 80}`, or `target:` and `matcher:`'
