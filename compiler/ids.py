"""The ids that gates name: in two classes, of no server, alike to the eye, or at odds with a frozen catalog."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ..foundations.lookalikes import lookalikes
from ..foundations.suggestion import did_you_mean, nearest
from ..gates.registry import CHECKS
from ..gates.trace import tool_id
from .diagnostic import Diagnostic, Path
from .document import Document
from .raw import entries, indexed

Catalogs = Mapping[str, frozenset[str]]
"""The tools of the servers whose tools are known without asking them: those with a frozen catalog."""

ToolId = tuple[str, Path, str | None]
"""An id, its place, and the class it is in."""


def check_ids(
    document: Document, path: Path, test: dict[str, Any], servers: list[str], catalogs: Catalogs
) -> Iterator[Diagnostic]:
    """Every finding about the ids that a test's gates name."""
    for gate in CHECKS:
        ids = list(_tool_ids(path, gate, test.get(gate)))
        yield from _overlaps(document, ids)
        yield from _foreign(document, ids, servers)
        yield from _listed(document, ids, servers, catalogs)
        yield from _alike(document, ids)


def _tool_ids(path: Path, gate: str, block: object) -> Iterator[ToolId]:
    """Every tool id of a gate."""
    body = cast(dict[str, Any], block) if isinstance(block, dict) else {}
    for index, name in indexed(body.get("expected_tools")):
        yield name, (*path, gate, "expected_tools", index), None
    for (_, number), entry in entries(body, "classes"):
        for index, name in indexed(entry.get("members")):
            yield name, (*path, gate, "classes", number, "members", index), str(entry.get("name"))


def _overlaps(document: Document, ids: list[ToolId]) -> Iterator[Diagnostic]:
    first: dict[str, str] = {}
    for name, at, tool_class in ids:
        if tool_class is not None and first.setdefault(name, tool_class) != tool_class:
            message = f"`{name}` is in the classes `{first[name]}` and `{tool_class}`: one call reaches both"
            help_ = "keep it in one of them, unless that is meant"
            yield document.source.diagnostic("TG220", document.value_span(at), message, help=help_)


def _foreign(document: Document, ids: list[ToolId], servers: list[str]) -> Iterator[Diagnostic]:
    if not servers:
        return
    for name, at, _ in ids:
        if "." in name and not any(name.startswith(f"{server}.") for server in servers):
            prefix = name.split(".", 1)[0]
            near = nearest(prefix, servers)
            meant = f"did you mean `{near}{name.removeprefix(prefix)}`?"
            help_ = meant if near else f"the servers of this test are {', '.join(servers)}"
            message = f"`{name}` names no server of this test"
            yield document.source.diagnostic("TG221", document.value_span(at), message, help=help_)


def _alike(document: Document, ids: list[ToolId]) -> Iterator[Diagnostic]:
    for one, other, why in lookalikes(name for name, _, _ in ids):
        span = next(document.value_span(at) for name, at, _ in ids if name == other)
        message = f"`{other}` and `{one}` are two different ids that look alike ({why})"
        help_ = "if they are meant to be one tool, write both alike"
        yield document.source.diagnostic("TG222", span, message, help=help_)


def _listed(document: Document, ids: list[ToolId], servers: list[str], catalogs: Catalogs) -> Iterator[Diagnostic]:
    """Where the tools of servers are known: ids that none of them has, and bare ids that several have."""
    known = {server: catalogs[server] for server in servers if server in catalogs}
    if not known:
        return
    whole = [tool_id(server, tool) for server, tools in known.items() for tool in sorted(tools)]
    for name, at, _ in ids:
        having = [server for server, tools in known.items() if name in tools]
        if len(having) > 1:
            message = f"`{name}` is a tool of {' and '.join(having)}: a call to any of them counts"
            help_ = f"write `{having[0]}.{name}` to mean one of them"
            yield document.source.diagnostic("TG224", document.value_span(at), message, help=help_)
        elif not having and name not in whole and _must_be_known(name, servers, known):
            message = f"no catalog of this test lists `{name}`"
            yield document.source.diagnostic("TG225", document.value_span(at), message, help=did_you_mean(name, whole))


def _must_be_known(name: str, servers: list[str], known: Catalogs) -> bool:
    """Whether a tool would be in a catalog that was read, if it were anywhere."""
    return len(known) == len(servers) or any(name.startswith(f"{server}.") for server in known)
