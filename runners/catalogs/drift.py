"""What changed between two toolsets, as data and in words."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import msgspec

from ...foundations.lookalikes import lookalikes
from ...foundations.outside_text import make_visible
from .fingerprint import Field, OutsideField, ToolPrint, Toolset, digest

Kind = Literal["added", "removed", "renamed", "changed", "reordered", "outside"]

_Name = TypeVar("_Name", Field, OutsideField)
_KINDS: tuple[Kind, ...] = get_args(Kind)
_SEEN = frozenset[Kind](("added", "removed", "renamed", "changed"))
_BARE_SCHEMAS: tuple[Any, ...] = (None, {}, [], {"type": "object"}, {"type": "object", "properties": {}})
_BARE = frozenset((None, digest(""), *map(digest, _BARE_SCHEMAS)))


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """One difference; a reorder is of the server as a whole and has no tool."""

    kind: Kind
    server: str
    tool: str | None = None
    fields: tuple[Field | OutsideField, ...] = ()
    was: str | None = None


class _Listed(NamedTuple):
    """A tool and its place in the listing."""

    place: int
    tool: ToolPrint


class _Pair(NamedTuple):
    """A tool, before and after."""

    old: _Listed
    new: _Listed


def drift(old: Toolset, new: Toolset) -> tuple[Change, ...]:
    """Every difference between two toolsets, by server and tool."""
    before, after = _by_server(old), _by_server(new)
    servers = dict.fromkeys((*before, *after))
    changes = (change for name in servers for change in _server_drift(name, before.get(name, []), after.get(name, [])))
    return tuple(sorted(changes, key=_rank))


def is_drift(changes: Iterable[Change]) -> bool:
    """Whether the model sees something else than before."""
    return any(change.kind in _SEEN for change in changes)


def describe(change: Change) -> str:
    """The change in one line that is safe to print."""
    server, tool, was = (make_visible(text or "") for text in (change.server, change.tool, change.was))
    fields = _listed([f"{field} fields" if field == "other" else field for field in change.fields])
    match change.kind:
        case "added" | "removed":
            return f"{server}: {tool} {change.kind}"
        case "renamed":
            reasons = lookalikes((change.was or "", change.tool or ""))
            return f"{server}: {was} renamed to {tool}" + "".join(f" ({reason})" for _, _, reason in reasons)
        case "changed":
            return f"{server}.{tool}: {fields} changed"
        case "reordered":
            return f"{server}: the order of tools changed (the model sees the same set)"
        case "outside":
            return f"{server}.{tool}: {fields} changed, outside what the model sees"


def _listed(words: list[str]) -> str:
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _rank(change: Change) -> tuple[object, ...]:
    tool = (change.tool is None, change.tool or "")
    return change.server, tool, _KINDS.index(change.kind), change.fields, change.was or ""


def _by_server(toolset: Toolset) -> dict[str, list[_Listed]]:
    servers: defaultdict[str, list[_Listed]] = defaultdict(list)
    for place, tool in enumerate(toolset.tools):
        servers[tool.server].append(_Listed(place, tool))
    return servers


def _server_drift(server: str, old: list[_Listed], new: list[_Listed]) -> Iterator[Change]:
    pairs: list[_Pair] = []
    for key in (_whole, _seen, _name):  # twins of one name: first those that stayed the same
        found, old, new = _match(key, old, new)
        pairs += found
    renamed, old, new = _match(_body, old, new, only_unique=True)
    for pair in renamed:
        yield Change("renamed", server, pair.new.tool.name, was=pair.old.tool.name)
    for listed in old:
        yield Change("removed", server, listed.tool.name)
    for listed in new:
        yield Change("added", server, listed.tool.name)
    yield from _edits(server, pairs + renamed)


def _edits(server: str, pairs: list[_Pair]) -> Iterator[Change]:
    """What changed within tools that are still there, and in their order."""
    for (_, old), (_, new) in pairs:
        if old.fields.get("name") == new.fields.get("name") and (fields := _differing(old.fields, new.fields)):
            yield Change("changed", server, new.name, fields)
        if outside := _differing(old.outside, new.outside):
            yield Change("outside", server, new.name, outside)
    places = [pair.new.place for pair in sorted(pairs, key=lambda pair: pair.old.place)]
    if places != sorted(places):
        yield Change("reordered", server)


def _match(
    key: Callable[[ToolPrint], Hashable], old: list[_Listed], new: list[_Listed], *, only_unique: bool = False
) -> tuple[list[_Pair], list[_Listed], list[_Listed]]:
    """Pairs of equal key in their order, and what is left of both; a key of None matches nothing."""
    before, after = _grouped(key, old), _grouped(key, new)
    pairs: list[_Pair] = []
    for value, olds in before.items():
        news = after.get(value, [])
        if value is not None and (not only_unique or len(olds) == len(news) == 1):
            pairs += map(_Pair, olds, news)
    gone, come = {pair.old.place for pair in pairs}, {pair.new.place for pair in pairs}
    return pairs, [one for one in old if one.place not in gone], [one for one in new if one.place not in come]


def _grouped(key: Callable[[ToolPrint], Hashable], tools: list[_Listed]) -> dict[Hashable, list[_Listed]]:
    groups: defaultdict[Hashable, list[_Listed]] = defaultdict(list)
    for listed in tools:
        groups[key(listed.tool)].append(listed)
    return groups


def _differing(old: dict[_Name, str], new: dict[_Name, str]) -> tuple[_Name, ...]:
    return tuple(sorted(name for name in {**old, **new} if old.get(name) != new.get(name)))


def _whole(tool: ToolPrint) -> Hashable:
    return tool.fingerprint, tuple(sorted(tool.outside.items()))


def _seen(tool: ToolPrint) -> Hashable:
    return tool.fingerprint


def _name(tool: ToolPrint) -> Hashable:
    return (tool.fields.get("name"),)


def _body(tool: ToolPrint) -> Hashable:
    """What a rename keeps; nothing, where it would tell no tool from another."""
    body = tool.fields.get("description"), tool.fields.get("inputSchema")
    return None if _BARE.issuperset(body) else body
