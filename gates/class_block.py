"""`classes:` as authored: classes of interchangeable tools, for the gates that have them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, cast

from pydantic import Field, WrapValidator, model_validator
from pydantic_core import InitErrorDetails

from ..foundations.suggestion import format_suggestion
from .block import Block, Name, find_duplicates, make_collecting_validator, make_finding
from .conditioned_run import is_args_path
from .matcher import MATCHER_SCHEMA, check_matcher
from .tool_selection import ToolClass


def _find_repeated_members(members: object) -> Iterator[InitErrorDetails]:
    items = cast(list[object], members) if isinstance(members, list) else []
    # An entry that is not text gets a name that no other has: validation reports it, and it repeats nothing.
    texts = [item if isinstance(item, str) else f"\0{index}" for index, item in enumerate(items)]
    for index, first in find_duplicates(texts):
        message = f"`{texts[index]}` is listed twice in this class"
        yield make_finding("duplicate_name", message, at=(index,), first_at=(first,), help="remove one of them")


def _find_wrong_arguments(args: object) -> Iterator[InitErrorDetails]:
    items = cast(dict[object, object], args) if isinstance(args, dict) else {}
    for path, matcher in items.items():
        key = cast(str, path)
        if not is_args_path(path):
            message = f"`{path}` is no path into the arguments of a call"
            help_ = 'write a path such as `filter.lang`, `tags[0]` or `["a.b"]`'
            yield make_finding("choice", message, at=(key,), on_key=True, help=help_)
        for error in check_matcher(matcher, "value", f"args.{path}"):
            yield InitErrorDetails(type=error["type"], loc=(key, *error.get("loc", ())), input=None)


def _find_contradictions(value: object) -> Iterator[InitErrorDetails]:
    block = cast(dict[str, Any], value) if isinstance(value, dict) else {}
    least, most = block.get("min_calls", 1), block.get("max_calls")
    # A `max_calls` below 1 is left to its own bound: one mistake gives one finding.
    if isinstance(least, int) and isinstance(most, int) and least > most > 0:
        message = f"`min_calls` is {least}, and `max_calls` is {most}: the class can never be reached"
        yield make_finding("range", message, at=("max_calls",), help=f"allow at least {least} calls")


_CallCount = Annotated[int, Field(ge=1, le=1000)]
_Arguments = Annotated[dict[Name, Any], WrapValidator(make_collecting_validator(_find_wrong_arguments))]


class ClassBlock(Block):
    """A class of interchangeable tools: a call to any member reaches it."""

    name: Name = Field(description="The name of the class, as the report shows it.")
    members: Annotated[
        list[Name], Field(min_length=1), WrapValidator(make_collecting_validator(_find_repeated_members))
    ] = Field(description="Tool ids: `server.tool`, or a bare tool name that matches on any server.")
    optional: bool = Field(default=False, description="The class may be reached, and need not be.")
    min_calls: _CallCount = Field(default=1, description="How many calls have to count for it to be reached.")
    # None says that the key was left out. The type does not admit it: an authored null is a mistake.
    max_calls: _CallCount = Field(
        default=cast(Any, None), description="How many calls may count for it; any further one is unexpected."
    )
    after: list[Name] = Field(default=[], description="Classes that calls of earlier turns must have reached.")
    args: Annotated[dict[Name, dict[str, Any]], WrapValidator(make_collecting_validator(_find_wrong_arguments))] = (
        Field(
            default={},
            description="Matchers by the path of an argument: `page`, `filter.lang`. A call counts if all are met.",
            json_schema_extra={"additionalProperties": MATCHER_SCHEMA},
        )
    )

    @model_validator(mode="wrap")
    @classmethod
    def _reject_contradictions(cls, value: Any, handler: Any) -> Any:
        return make_collecting_validator(_find_contradictions)(value, handler)


def _find_repeated_names(classes: object) -> Iterator[InitErrorDetails]:
    blocks = cast(list[object], classes) if isinstance(classes, list) else []
    names = [cast(dict[str, object], block).get("name") if isinstance(block, dict) else None for block in blocks]
    texts = [name if isinstance(name, str) else f"\0{index}" for index, name in enumerate(names)]
    for index, first in find_duplicates(texts):
        message = f"a class named `{texts[index]}` is already in this gate"
        at, first_at = (index, "name"), (first, "name")
        yield make_finding("duplicate_name", message, at=at, first_at=first_at, help="rename one of them")


def _find_wrong_orders(classes: object) -> Iterator[InitErrorDetails]:
    blocks = cast(list[object], classes) if isinstance(classes, list) else []
    order = {index: _list_after(block) for index, block in enumerate(blocks)}
    # Reversed, so that the first of two classes with one name stays; the second is a finding of its own.
    names = {_get_name(block): index for index, block in reversed(list(enumerate(blocks)))}
    for index, after in order.items():
        for at, name in after:
            if name not in names:
                known = [other for other in names if other]
                help_ = format_suggestion(name, known) or "`after` names classes of this gate"
                message = f"no class of this gate is named `{name}`"
                yield make_finding("order", message, at=(index, "after", at), help=help_)
            elif _leads_back(names[name], index, order, names):
                message = f"`{name}` comes after this class itself: neither could ever be reached"
                yield make_finding("order", message, at=(index, "after", at), help="remove one of the two `after`")


def _leads_back(start: int, goal: int, order: dict[int, list[tuple[int, str]]], names: dict[str, int]) -> bool:
    """Return whether `goal` has to come before `start`; a search, as there may be any number of classes."""
    waiting, known = [start], {start}
    while waiting:
        here = waiting.pop()
        if here == goal:
            return True
        below = {names[name] for _, name in order[here] if name in names} - known
        known |= below
        waiting += below
    return False


def _list_after(block: object) -> list[tuple[int, str]]:
    after = cast(dict[str, object], block).get("after") if isinstance(block, dict) else None
    names = cast(list[object], after) if isinstance(after, list) else []
    return [(at, name) for at, name in enumerate(names) if isinstance(name, str)]


def _get_name(block: object) -> str:
    name = cast(dict[str, object], block).get("name") if isinstance(block, dict) else None
    return name if isinstance(name, str) else ""


def _find_wrong_names(classes: object) -> Iterator[InitErrorDetails]:
    yield from _find_repeated_names(classes)
    yield from _find_wrong_orders(classes)


Classes = Annotated[list[ClassBlock], WrapValidator(make_collecting_validator(_find_wrong_names))]
"""The `classes:` of a gate, each with a name of its own."""


def resolve_classes(classes: Sequence[ClassBlock]) -> tuple[ToolClass, ...]:
    """Return authored classes as the plan holds them."""
    return tuple(
        ToolClass(
            name=block.name,
            members=tuple(block.members),
            optional=block.optional,
            min_calls=block.min_calls,
            max_calls=block.max_calls,
            after=tuple(dict.fromkeys(block.after)),
            args=block.args,
        )
        for block in classes
    )
