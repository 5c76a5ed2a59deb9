"""Reads the frozen catalogs of a suite, whose tools are known before any server is asked."""

from collections.abc import Callable, Iterator
from typing import Any, cast

from .diagnostic import Diagnostic
from .document import Document
from .schema import leaves_folder

ToolsOf = Callable[[str], "frozenset[str] | str | None"]
"""The tools that a catalog beside the suite lists; text that says why it cannot be read; None where nobody looks."""


def skip_catalog(_path: str) -> None:
    """Return None for any catalog: a suite that is not in a file has no folder to look in."""


def read_catalogs(document: Document, tools_of: ToolsOf) -> tuple[dict[str, frozenset[str]], list[Diagnostic]]:
    """Return the tools of each server with a catalog, and a finding for each catalog that cannot be read."""
    catalogs: dict[str, frozenset[str]] = {}
    found: list[Diagnostic] = []
    for server, path in _list_catalog_paths(document.value.get("servers")):
        tools = tools_of(path)
        if isinstance(tools, str):
            span = document.find_value_span(("servers", server, "catalog"))
            help_ = "recorded runs can be replayed and scored; a live run needs it"
            found.append(document.source.make_diagnostic("TG223", span, tools, help=help_))
        elif tools is not None:
            catalogs[server] = tools
    return catalogs, found


def _list_catalog_paths(servers: object) -> Iterator[tuple[str, str]]:
    blocks = cast(dict[str, Any], servers) if isinstance(servers, dict) else {}
    for name, block in blocks.items():
        path = cast(dict[str, Any], block).get("catalog") if isinstance(block, dict) else None
        # A wrong type or a path outside the folder is reported by the schema; it must not be opened here.
        if isinstance(path, str) and path and not leaves_folder(path):
            yield name, path
