"""Which server's tool a name in a trace means: read against the servers of a test and what they are known to list.

Never against the members of a test: a run must not be bent until it fits.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...foundations.fault import BadInput

# Models' APIs allow these in the name of a tool; programs replace all else by an underscore.
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
# The joints that programs use: `mcp__docs__search`, `mcp_docs_search`, `mcp_docs__search`, `docs_search`,
# `docs.search`.
_BEFORE = ("mcp__", "mcp_", "mcp.", "")
_BETWEEN = ("__", "_", ".", "/")


@dataclass(frozen=True, slots=True)
class KnownServers:
    """The servers of a test, with the tools that each is known to list, or None if that is not known."""

    tools: Mapping[str, frozenset[str] | None]
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the user said with `--server-of NAME=SERVER`."""


@dataclass(frozen=True, slots=True)
class ToolName:
    """A tool as it was resolved; the server is None if the name is left as it is."""

    server: str | None
    name: str


class AmbiguousName(BadInput):
    """Several servers may have the tool."""

    def __init__(self, name: str, servers: Sequence[str]) -> None:
        listed = " or ".join(f"`{server}`" for server in servers)
        options = " or ".join(f"--server-of {name}={server}" for server in servers)
        super().__init__(f"the trace calls `{name}`, which may be a tool of {listed}", f"say whose it is: {options}")
        self.choices = {name: tuple(servers)}

    @classmethod
    def from_several(cls, errors: Sequence["AmbiguousName"]) -> "AmbiguousName":
        """Return one error that names all of these."""
        choices = {name: servers for error in errors for name, servers in error.choices.items()}
        name, servers = next(iter(choices.items()))
        joined = cls(name, servers)
        joined.choices = choices
        if len(choices) > 1:
            listed = ", ".join(f"`{name}` ({' or '.join(servers)})" for name, servers in choices.items())
            options = " ".join(f"--server-of {name}={servers[0]}" for name, servers in choices.items())
            joined.args = (f"the trace calls tools that several servers may have: {listed}",)
            joined.help = f"say whose they are, such as {options}"
        return joined


def strip_server(flat: str, server: str) -> str:
    """Return the tool's part of a flat name whose server is known; a name without the server stays as it is."""
    return next(iter(_split(flat, server)), flat)


def _split(flat: str, server: str) -> list[str]:
    """Return what may be the tool's part of a flat name, if it begins with this server, longest prefix first."""
    found: list[str] = []
    for spelled in dict.fromkeys((server, _UNSAFE.sub("_", server))):
        for before in _BEFORE:
            for between in _BETWEEN:
                prefix = f"{before}{spelled}{between}"
                # A rest of joints alone is no tool.
                if flat.startswith(prefix) and flat[len(prefix) :].strip("_."):
                    found.append(flat[len(prefix) :])
    return sorted(dict.fromkeys(found), key=len)


def resolve_name(flat: str, servers: KnownServers, *, may_be_bare: bool = True) -> ToolName | None:
    """Return the tool that a flat name means, or None if it means none of these servers' tools.

    Readings that a known catalog rules out are dropped, and of the rest the longest server name wins. A bare name gets
    a server only if the test has one server, or exactly one is known to list it. Raise `AmbiguousName` if several may.
    """
    chosen = servers.chosen.get(flat)
    if chosen is not None:
        return ToolName(chosen, strip_server(flat, chosen))
    readings = [ToolName(server, name) for server in servers.tools for name in _split(flat, server)]
    possible = [known for reading in readings if (known := _check_catalog(reading, servers)) is not None]
    listing = _servers_that_list(flat, servers) if may_be_bare else []
    if possible:
        # `mail_box_search` is `search` of `mail_box` rather than `box_search` of `mail`.
        best = max(possible, key=lambda reading: len(reading.server or ""))
        return _choose(flat, best, listing, servers)
    if listing:
        return _only(flat, listing)
    if readings:  # a tool that the model made up: its server is known by the name alone
        return max(readings, key=lambda reading: len(reading.server or ""))
    return _resolve_bare(flat, servers) if may_be_bare else None


def _check_catalog(reading: ToolName, servers: KnownServers) -> ToolName | None:
    """Return a reading in the spelling of the catalog, or None if the catalog rules it out."""
    tools = servers.tools[reading.server or ""]
    if tools is None or reading.name in tools:
        return reading
    # Programs replace what a model's API does not allow in a name, such as the dot in `pages.list`.
    meant = next((tool for tool in sorted(tools) if _UNSAFE.sub("_", tool) == reading.name), None)
    return None if meant is None else ToolName(reading.server, meant)


def _servers_that_list(name: str, servers: KnownServers) -> list[str]:
    return [server for server, tools in servers.tools.items() if tools is not None and name in tools]


def _choose(flat: str, best: ToolName, listing: list[str], servers: KnownServers) -> ToolName:
    """Return the best reading with a server's prefix, unless the whole name is a listed tool, too."""
    if not listing:
        return best
    if (servers.tools[best.server or ""] or frozenset()).isdisjoint((best.name,)):
        return _only(flat, listing)  # listed as a whole beats a reading that nothing confirms
    raise AmbiguousName(flat, list(dict.fromkeys([best.server or "", *listing])))


def _only(name: str, listing: list[str]) -> ToolName:
    if len(listing) > 1:
        raise AmbiguousName(name, listing)
    return ToolName(listing[0], name)


def _resolve_bare(name: str, servers: KnownServers) -> ToolName | None:
    """Return the tool of a bare name that no server is known to list."""
    if len(servers.tools) == 1:
        return ToolName(next(iter(servers.tools)), name)
    possible = [server for server, tools in servers.tools.items() if tools is None]
    if possible:
        raise AmbiguousName(name, possible)
    return None
