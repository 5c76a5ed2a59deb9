"""Values that stand where they should not, and every way of putting one of them into a JSON value."""

import copy
from collections.abc import Iterator
from typing import Any, cast

Path = tuple[str | int, ...]

ODD_VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "five": 5,
    "minus one": -1,
    "one and a half": 1.5,
    "beyond 64 bits": 10**40,
    "word": "ten",
    "empty text": "",
    "lone surrogate": "\ud800",
    "empty list": [],
    "list of one": [1],
    "list of null": [None],
    "empty object": {},
    "another object": {"a": {"b": 1}},
}


def list_paths(value: Any, prefix: Path = ()) -> Iterator[Path]:
    """The path of every part of a JSON value, itself included."""
    yield prefix
    parts: Any = ()
    if isinstance(value, dict):
        parts = cast(dict[str, Any], value).items()
    elif isinstance(value, list):
        parts = enumerate(cast(list[Any], value))
    for key, part in parts:
        yield from list_paths(part, (*prefix, key))


def replace_at(value: Any, path: Path, new: Any) -> Any:
    """A copy of a JSON value with another part at a path."""
    if not path:
        return new
    copied = copy.deepcopy(value)
    holder = copied
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = new
    return copied


def remove_at(value: Any, path: Path) -> Any:
    """A copy of a JSON value without the part at a path, which is not the whole."""
    copied = copy.deepcopy(value)
    holder = copied
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return copied


def iterate_mutations(value: Any) -> Iterator[tuple[str, Any]]:
    """Every part of a JSON value replaced by every odd value, and left out; each with a name."""
    for path in list_paths(value):
        where = ".".join(map(str, path)) or "whole"
        for name, odd in ODD_VALUES.items():
            yield f"{where} is {name}", replace_at(value, path, odd)
        if path:
            yield f"without {where}", remove_at(value, path)
