"""`classes:` as authored: classes of interchangeable tools, for the gates that have them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, cast

from pydantic import Field, WrapValidator
from pydantic_core import InitErrorDetails

from .block import Block, Name, find_duplicates, make_collecting_validator, make_finding
from .tool_selection import ToolClass


def _find_repeated_members(members: object) -> Iterator[InitErrorDetails]:
    items = cast(list[object], members) if isinstance(members, list) else []
    # An entry that is not text gets a name that no other has: validation reports it, and it repeats nothing.
    texts = [item if isinstance(item, str) else f"\0{index}" for index, item in enumerate(items)]
    for index, first in find_duplicates(texts):
        message = f"`{texts[index]}` is listed twice in this class"
        yield make_finding("duplicate_name", message, at=(index,), first_at=(first,), help="remove one of them")


class ClassBlock(Block):
    """A class of interchangeable tools: a call to any member reaches it."""

    name: Name = Field(description="The name of the class, as the report shows it.")
    members: Annotated[
        list[Name], Field(min_length=1), WrapValidator(make_collecting_validator(_find_repeated_members))
    ] = Field(description="Tool ids: `server.tool`, or a bare tool name that matches on any server.")


def _find_repeated_names(classes: object) -> Iterator[InitErrorDetails]:
    blocks = cast(list[object], classes) if isinstance(classes, list) else []
    names = [cast(dict[str, object], block).get("name") if isinstance(block, dict) else None for block in blocks]
    texts = [name if isinstance(name, str) else f"\0{index}" for index, name in enumerate(names)]
    for index, first in find_duplicates(texts):
        message = f"a class named `{texts[index]}` is already in this gate"
        at, first_at = (index, "name"), (first, "name")
        yield make_finding("duplicate_name", message, at=at, first_at=first_at, help="rename one of them")


Classes = Annotated[list[ClassBlock], WrapValidator(make_collecting_validator(_find_repeated_names))]
"""The `classes:` of a gate, each with a name of its own."""


def resolve_classes(classes: Sequence[ClassBlock]) -> tuple[ToolClass, ...]:
    """Return authored classes as the plan holds them."""
    return tuple(ToolClass(block.name, tuple(block.members)) for block in classes)
