"""The changes between two tool sets, as data and as lines of text."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import msgspec

from ...foundations.lookalikes import find_lookalikes
from ...foundations.untrusted_text import make_visible
from .fingerprint import Field, OutsideField, ToolFingerprint, Toolset, digest_rfc8785

Kind = Literal["added", "removed", "renamed", "changed", "reordered", "outside"]

_Name = TypeVar("_Name", Field, OutsideField)
_KINDS: tuple[Kind, ...] = get_args(Kind)
# The kinds that change what a model sees.
_VISIBLE = frozenset[Kind](("added", "removed", "renamed", "changed"))
_BARE_SCHEMAS: tuple[Any, ...] = (None, {}, [], {"type": "object"}, {"type": "object", "properties": {}})
# A tool with neither a description nor parameters of its own: many tools are alike in that, so it identifies none.
_BARE = frozenset((None, digest_rfc8785(""), *map(digest_rfc8785, _BARE_SCHEMAS)))


class ToolChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """One difference. A change of order concerns the whole server and names no tool."""

    kind: Kind
    server: str
    tool: str | None = None
    fields: tuple[Field | OutsideField, ...] = ()
    was: str | None = None


class _ListedTool(NamedTuple):
    """A tool and its position in the listing."""

    position: int
    tool: ToolFingerprint


class _ToolPair(NamedTuple):
    """The same tool, before and after."""

    old: _ListedTool
    new: _ListedTool


def find_drift(old: Toolset, new: Toolset) -> tuple[ToolChange, ...]:
    """Return every difference between two tool sets, sorted by server and tool."""
    before, after = _group_by_server(old), _group_by_server(new)
    servers = dict.fromkeys((*before, *after))
    changes = (
        change for name in servers for change in _find_server_drift(name, before.get(name, []), after.get(name, []))
    )
    return tuple(sorted(changes, key=_rank_change))


def is_drift(changes: Iterable[ToolChange]) -> bool:
    """Return whether a model would see different tools than before."""
    return any(change.kind in _VISIBLE for change in changes)


def describe_tool_change(change: ToolChange) -> str:
    """Return a change as one line that is safe to print."""
    server, tool, was = (make_visible(text or "") for text in (change.server, change.tool, change.was))
    fields = _join_words([f"{field} fields" if field == "other" else field for field in change.fields])
    match change.kind:
        case "added" | "removed":
            return f"{server}: {tool} {change.kind}"
        case "renamed":
            # A rename to a name that looks the same is how a server swaps a tool unnoticed: say how the two differ.
            reasons = find_lookalikes((change.was or "", change.tool or ""))
            return f"{server}: {was} renamed to {tool}" + "".join(f" ({reason})" for _, _, reason in reasons)
        case "changed":
            return f"{server}.{tool}: {fields} changed"
        case "reordered":
            return f"{server}: the order of tools changed (the model sees the same set)"
        case "outside":
            return f"{server}.{tool}: {fields} changed, outside what the model sees"


def _join_words(words: list[str]) -> str:
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _rank_change(change: ToolChange) -> tuple[object, ...]:
    tool = (change.tool is None, change.tool or "")
    return change.server, tool, _KINDS.index(change.kind), change.fields, change.was or ""


def _group_by_server(toolset: Toolset) -> dict[str, list[_ListedTool]]:
    servers: defaultdict[str, list[_ListedTool]] = defaultdict(list)
    for position, tool in enumerate(toolset.tools):
        servers[tool.server].append(_ListedTool(position, tool))
    return servers


def _find_server_drift(server: str, old: list[_ListedTool], new: list[_ListedTool]) -> Iterator[ToolChange]:
    pairs: list[_ToolPair] = []
    # From the strictest key to the loosest: of several tools with one name, those that stayed the same pair up first.
    for key in (_get_full_key, _get_visible_key, _get_name_key):
        matched, old, new = _match_tools(key, old, new)
        pairs += matched
    # Then tools that kept all but their name, if no other tool is alike: among several, the rename would be a guess.
    renamed, old, new = _match_tools(_get_body_key, old, new, only_unique=True)
    for pair in renamed:
        yield ToolChange("renamed", server, pair.new.tool.name, was=pair.old.tool.name)
    for listed in old:
        yield ToolChange("removed", server, listed.tool.name)
    for listed in new:
        yield ToolChange("added", server, listed.tool.name)
    yield from _find_edits(server, pairs + renamed)


def _find_edits(server: str, pairs: list[_ToolPair]) -> Iterator[ToolChange]:
    """Yield the changes within tools that are still there, and the change of their order."""
    for (_, old), (_, new) in pairs:
        if old.fields.get("name") == new.fields.get("name") and (
            fields := _find_differing_fields(old.fields, new.fields)
        ):
            yield ToolChange("changed", server, new.name, fields)
        if outside := _find_differing_fields(old.outside, new.outside):
            yield ToolChange("outside", server, new.name, outside)
    # Positions in the new listing, in the order of the old one: sorted if and only if the order is the same.
    positions = [pair.new.position for pair in sorted(pairs, key=lambda pair: pair.old.position)]
    if positions != sorted(positions):
        yield ToolChange("reordered", server)


def _match_tools(
    key: Callable[[ToolFingerprint], Hashable],
    old: list[_ListedTool],
    new: list[_ListedTool],
    *,
    only_unique: bool = False,
) -> tuple[list[_ToolPair], list[_ListedTool], list[_ListedTool]]:
    """Return the pairs of equal key, and the rest of both lists. A key of None matches nothing."""
    before, after = _group_tools(key, old), _group_tools(key, new)
    pairs: list[_ToolPair] = []
    for value, olds in before.items():
        news = after.get(value, [])
        if value is not None and (not only_unique or len(olds) == len(news) == 1):
            pairs += map(_ToolPair, olds, news)
    old_matched, new_matched = {pair.old.position for pair in pairs}, {pair.new.position for pair in pairs}
    old_rest = [listed for listed in old if listed.position not in old_matched]
    new_rest = [listed for listed in new if listed.position not in new_matched]
    return pairs, old_rest, new_rest


def _group_tools(
    key: Callable[[ToolFingerprint], Hashable], tools: list[_ListedTool]
) -> dict[Hashable, list[_ListedTool]]:
    groups: defaultdict[Hashable, list[_ListedTool]] = defaultdict(list)
    for listed in tools:
        groups[key(listed.tool)].append(listed)
    return groups


def _find_differing_fields(old: dict[_Name, str], new: dict[_Name, str]) -> tuple[_Name, ...]:
    return tuple(sorted(name for name in {**old, **new} if old.get(name) != new.get(name)))


def _get_full_key(tool: ToolFingerprint) -> Hashable:
    return tool.fingerprint, tuple(sorted(tool.outside.items()))


def _get_visible_key(tool: ToolFingerprint) -> Hashable:
    return tool.fingerprint


def _get_name_key(tool: ToolFingerprint) -> Hashable:
    return (tool.fields.get("name"),)


def _get_body_key(tool: ToolFingerprint) -> Hashable:
    """Return what a rename keeps, or None if too many tools have the same."""
    body = tool.fields.get("description"), tool.fields.get("inputSchema")
    return None if _BARE.issuperset(body) else body
