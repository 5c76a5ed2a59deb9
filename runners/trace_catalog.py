"""The tools that a trace says the model was offered, as what servers list: for names, fingerprint and surface."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UnsetType

from ..foundations.fault import Fault
from .catalogs.fingerprint import ServerListing, fingerprint
from .catalogs.observed_tools import make_catalog_surface
from .catalogs.token_surface import count_surface
from .cell_result import CatalogSurface, RecordedTools
from .trace_formats.imported_run import TraceTool
from .trace_formats.tool_names import KnownServers, resolve_name

Offered = Mapping[str, Mapping[str, TraceTool]]
"""The offered tools of each server, by their names there."""


def group_offered_tools(offered: Iterable[TraceTool], servers: KnownServers) -> Offered:
    """Return the tools of each server of a test; a tool whose server cannot be told is left out."""
    found: dict[str, dict[str, TraceTool]] = {}
    for tool in offered:
        if tool.server is not None:
            found.setdefault(tool.server, {})[tool.name] = tool
            continue
        # A bare name among the offered may be a tool of the program itself.
        named = resolve_name(tool.name, servers, may_be_bare=False)
        if named is not None and named.server is not None:
            found.setdefault(named.server, {})[named.name] = tool
    return found


def make_listings(offered: Offered) -> dict[str, ServerListing]:
    """Return the offered tools as what servers list, in an order that does not depend on the trace."""
    return {
        server: ServerListing(None, [_to_listed_tool(name, tools[name]) for name in sorted(tools)])
        for server, tools in sorted(offered.items())
    }


def _to_listed_tool(name: str, tool: TraceTool) -> dict[str, Any]:
    listed: dict[str, Any] = {"name": name}
    if tool.description is not None:
        listed["description"] = tool.description
    if not isinstance(tool.input_schema, UnsetType):
        listed["inputSchema"] = msgspec.json.decode(tool.input_schema)
    return listed


def is_complete(offered: Offered) -> bool:
    """Return whether the trace has the schemas of the tools, so that a fingerprint of them means something."""
    tools = [tool for listed in offered.values() for tool in listed.values()]
    return bool(tools) and all(not isinstance(tool.input_schema, UnsetType) for tool in tools)


def describe_offered_tools(listings: Mapping[str, ServerListing]) -> tuple[RecordedTools, CatalogSurface | None]:
    """Return fingerprint and surface of a catalog; no surface if tokens cannot be counted here."""
    toolset = fingerprint(listings)
    tools = RecordedTools(toolset.fingerprint, len(toolset.tools), tuple(sorted(listings)), "trace")
    try:
        return tools, make_catalog_surface(count_surface(listings))
    except (ImportError, Fault):
        return tools, None
