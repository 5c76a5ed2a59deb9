"""The tools that a live run observed: the listings of its servers, and everything derived from them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...foundations.fault import Fault
from ...gates.trace import format_tool_id
from ..cell_result import CatalogSurface, ServerSurface, ToolSurface
from .drift import describe_tool_change, find_drift
from .fingerprint import ServerListing, Toolset, fingerprint
from .merged_catalog import MergedCatalog, merge_catalogs
from .named_tools import ListedTools
from .token_surface import CatalogTokens, count_surface

_SHOWN = 200


class SurfaceChanged(Fault):
    """The tools changed between the runs of a cell or during a run; `details` lists the changes."""

    def __init__(self, details: tuple[str, ...]) -> None:
        super().__init__("the tool surface changed between the runs of this cell")
        self.details = details


@dataclass(frozen=True, slots=True)
class ObservedTools:
    """One tool set with its merged catalog, fingerprint and tokens."""

    listings: Mapping[str, ServerListing]
    catalog: MergedCatalog
    toolset: Toolset
    listed: ListedTools
    surface: CatalogSurface | Fault

    def check_same(self, other: "ObservedTools") -> None:
        """Raise `SurfaceChanged` if another tool set differs: runs with different tools are not added up."""
        if other.toolset.fingerprint != self.toolset.fingerprint:
            changes = map(describe_tool_change, find_drift(self.toolset, other.toolset))
            raise SurfaceChanged((*changes, *_list_text_changes(self.listings, other.listings)))


class ObservedToolsCache:
    """A cache that derives everything from listings once for each tool set."""

    def __init__(self) -> None:
        self._known: list[ObservedTools] = []

    def get_observed_tools(self, listings: Mapping[str, ServerListing]) -> ObservedTools:
        """Return what follows from these listings."""
        # Listings are dictionaries of any depth and cannot be hashed; a run has few tool sets, so a list will do.
        known = next((seen for seen in self._known if seen.listings == listings), None)
        if known is None:
            known = _observe_tools(listings)
            self._known.append(known)
        return known


def _observe_tools(listings: Mapping[str, ServerListing]) -> ObservedTools:
    catalog = merge_catalogs(listings)
    listed = ListedTools((tool.server, tool.tool) for tool in catalog.tools)
    return ObservedTools(listings, catalog, fingerprint(listings), listed, _measure_surface(listings))


def _measure_surface(listings: Mapping[str, ServerListing]) -> CatalogSurface | Fault:
    """Return the tokens of the tools, or the fault if the vocabulary cannot be loaded."""
    # Returned, not raised: only a test with token_efficiency needs the tokens.
    try:
        counted = count_surface(listings)
    except Fault as fault:
        return fault
    return make_catalog_surface(counted)


def make_catalog_surface(counted: CatalogTokens) -> CatalogSurface:
    """Return counted tokens as a report shows them."""
    servers = tuple(ServerSurface(server.name, server.tools, server.tokens) for server in counted.servers)
    tools = tuple(ToolSurface(format_tool_id(tool.server, tool.name), tool.tokens) for tool in counted.tools)
    return CatalogSurface(counted.tokens, servers, tools)


def _list_text_changes(old: Mapping[str, ServerListing], new: Mapping[str, ServerListing]) -> Iterator[str]:
    """Yield the old and the new text of every field that changed."""
    before, after = _collect_field_texts(old), _collect_field_texts(new)
    for place in before:
        if place in after and before[place] != after[place]:
            yield f"{place} was: {before[place][:_SHOWN]}"
            yield f"{place} is:  {after[place][:_SHOWN]}"


def _collect_field_texts(listings: Mapping[str, ServerListing]) -> dict[str, str]:
    return {
        f"{server}.{tool.get('name')} {field}": _format_field(tool[field])
        for server, listing in listings.items()
        for tool in listing.tools
        for field in ("description", "inputSchema")
        if field in tool
    }


def _format_field(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
