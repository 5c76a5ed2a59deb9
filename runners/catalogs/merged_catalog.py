"""The merged catalog: the tools of all servers of a test, under names that model providers accept."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ...foundations.canonical_json import digest_short
from ...gates.trace import format_tool_id
from ..agents.agent import OfferedTool
from .fingerprint import ServerListing

# The strictest rule among the providers: 1 to 64 letters, digits, underscores and hyphens.
MAX_NAME = 64
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")
_NO_SCHEMA: dict[str, Any] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class MergedCatalog:
    """The tools that an agent is offered, and warnings about those that a server listed wrongly."""

    tools: tuple[OfferedTool, ...]
    warnings: tuple[str, ...]
    _by_name: Mapping[str, OfferedTool] = field(repr=False, compare=False)

    def find(self, name: str) -> OfferedTool | None:
        """Return the tool with this name, or None if none was offered under it."""
        return self._by_name.get(name)


def merge_catalogs(listings: Mapping[str, ServerListing]) -> MergedCatalog:
    """Return one catalog of these servers, in their order and in the order of each.

    A tool keeps its own name if it is safe and no other tool has it. Else its server's name is put before it and, if
    the result is too long or not unique, a hash after it.
    """
    warnings: list[str] = []
    callable_tools = [
        entry for server, listing in listings.items() for entry in _list_callable_tools(server, listing, warnings)
    ]
    names = _choose_safe_names([(server, name) for server, name, _ in callable_tools])
    tools = tuple(
        _make_offered_tool(names[server, name], server, name, tool, warnings) for server, name, tool in callable_tools
    )
    return MergedCatalog(tools, tuple(warnings), {tool.name: tool for tool in tools})


def _list_callable_tools(
    server: str, listing: ServerListing, warnings: list[str]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the tools that can be called: those with a name, the first of each name on its server."""
    seen: set[str] = set()
    for tool in listing.tools:
        name = tool.get("name")
        if not isinstance(name, str) or not name:
            warnings.append(f"server `{server}` lists a tool without a name: it is not offered")
        elif name in seen:
            warnings.append(f"server `{server}` lists `{name}` twice: the first is offered")
        else:
            seen.add(name)
            yield server, name, tool


def _choose_safe_names(ids: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    # Counted over all tools before any is named: the names depend on the set of tools, not on the order it came in.
    bare = Counter(_replace_unsafe(name) for _, name in ids)
    names = {
        (server, name): name
        if name == _replace_unsafe(name) and bare[name] == 1
        else _replace_unsafe(f"{server}__{name}")
        for server, name in ids
    }
    # `a__b` may be a tool of another server: the prefixed names are counted again.
    taken = Counter(names.values())
    return {
        key: name if taken[name] == 1 and len(name) <= MAX_NAME else _append_hash(name, key)
        for key, name in names.items()
    }


def _replace_unsafe(name: str) -> str:
    return _UNSAFE.sub("_", name)


def _append_hash(name: str, key: tuple[str, str]) -> str:
    # Separated by NUL: server `a` with tool `bc` and server `ab` with tool `c` are hashed differently.
    digest = digest_short("\0".join(key).encode("utf-8", "surrogatepass"))
    return f"{name[: MAX_NAME - 9]}_{digest}"


def _make_offered_tool(name: str, server: str, tool: str, raw: Mapping[str, Any], warnings: list[str]) -> OfferedTool:
    description, schema = raw.get("description"), raw.get("inputSchema")
    if not isinstance(schema, dict):
        warnings.append(
            f"`{format_tool_id(server, tool)}` has no object as its inputSchema: it is offered without parameters"
        )
        schema = _NO_SCHEMA
    described = description if isinstance(description, str) else None
    return OfferedTool(name, server, tool, described, cast(dict[str, Any], schema))
