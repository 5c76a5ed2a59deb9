"""Checks the tool ids that gates name: in two classes, of no server, alike to the eye, or missing from a catalog."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ..foundations.lookalikes import find_lookalikes
from ..foundations.suggestion import find_nearest, format_suggestion
from ..gates.registry import ALL_TOOLS, FORBIDDEN_TOOLS, GATES, GateDescription, list_gates
from ..gates.trace import format_tool_id
from .diagnostic import Diagnostic, Path
from .document import Document
from .raw_values import Entry, iterate_gate_blocks

Catalogs = Mapping[str, frozenset[str]]
"""The tools of the servers whose tools are known without asking them: those with a frozen catalog."""

ToolId = tuple[str, Path, str | None]
"""An id, its place, and the class it is in."""


def check_tool_ids(
    document: Document, path: Path, test: dict[str, Any], servers: list[str], catalogs: Catalogs
) -> Iterator[Diagnostic]:
    """Yield every finding about the ids that a test's gates name."""
    for gate in list_gates():
        for place, block in iterate_gate_blocks(path, gate.name, test):
            yield from _check_block_ids(document, list(_list_tool_ids(place, gate, block)), servers, catalogs)


def _check_block_ids(
    document: Document, ids: list[ToolId], servers: list[str], catalogs: Catalogs
) -> Iterator[Diagnostic]:
    yield from _find_overlaps(document, ids)
    yield from _find_unknown_servers(document, ids, servers)
    # A catalog lists tools, never `server.*`.
    exact = [each for each in ids if not each[0].endswith(ALL_TOOLS)]
    yield from _check_against_catalogs(document, exact, servers, catalogs)
    yield from _find_lookalike_ids(document, ids)


def check_forbidden_ids(document: Document, test: Entry, agent: Entry) -> Iterator[Diagnostic]:
    """Yield an error for each forbidden tool, also of the test's agent, that another gate of the test asks for."""
    row = GATES[FORBIDDEN_TOOLS]
    path, fields = test
    owner = test if row.name in fields else agent
    asked_for = [
        found
        for gate in list_gates()
        if gate is not row
        for place, block in iterate_gate_blocks(path, gate.name, fields)
        for found in _list_tool_ids(place, gate, block)
    ]
    forbidden = (
        found
        for each in iterate_gate_blocks(owner[0], row.name, owner[1])
        for found in _list_tool_ids(each[0], row, each[1])
    )
    for name, at, _ in forbidden:
        clash = next((found for found in asked_for if _may_be_one_tool(name, found[0])), None)
        if clash is not None:
            member, place, tool_class = clash
            where = f"the class `{tool_class}`" if tool_class else "`expected_tools`"
            of_test = "" if owner is test else f" of the test `{fields.get('name')}`"
            yield document.source.make_diagnostic(
                "TG205",
                document.find_value_span(at),
                f"`{name}` is forbidden, and `{member}` in {where}{of_test} asks for it",
                help="a call cannot be both: remove one of them",
                related=((document.find_value_span(place), "asked for here"),),
            )


def _may_be_one_tool(pattern: str, tool: str) -> bool:
    """Return whether a call could name both a forbidden tool and an id of another gate."""
    if pattern.endswith(ALL_TOOLS):
        return tool.startswith(pattern.removesuffix("*"))
    # A bare id matches on any server, so either id may be the end of the other.
    return pattern == tool or tool.endswith(f".{pattern}") or pattern.endswith(f".{tool}")


def _list_tool_ids(path: Path, gate: GateDescription, block: object) -> Iterator[ToolId]:
    """Return every tool id of a gate, from the places that its description names."""
    for pattern in gate.tool_ids:
        yield from _follow_steps(path, block, pattern.split("."), None)


def _follow_steps(path: Path, value: object, steps: list[str], tool_class: str | None) -> Iterator[ToolId]:
    if not steps:
        if isinstance(value, str):
            yield value, path, tool_class
    elif steps[0] != "*":
        below = cast(dict[str, object], value).get(steps[0]) if isinstance(value, dict) else None
        yield from _follow_steps((*path, steps[0]), below, steps[1:], tool_class)
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[object], value)):
            yield from _follow_steps((*path, index), item, steps[1:], _get_class_name(item) or tool_class)


def _get_class_name(entry: object) -> str | None:
    return str(cast(dict[str, object], entry).get("name")) if isinstance(entry, dict) else None


def _find_overlaps(document: Document, ids: list[ToolId]) -> Iterator[Diagnostic]:
    first: dict[str, str] = {}
    for name, at, tool_class in ids:
        if tool_class is not None and first.setdefault(name, tool_class) != tool_class:
            message = f"`{name}` is in the classes `{first[name]}` and `{tool_class}`: one call reaches both"
            help_ = "keep it in one of them, unless that is meant"
            yield document.source.make_diagnostic("TG220", document.find_value_span(at), message, help=help_)


def _find_unknown_servers(document: Document, ids: list[ToolId], servers: list[str]) -> Iterator[Diagnostic]:
    if not servers:
        return
    for name, at, _ in ids:
        if "." in name and not any(name.startswith(f"{server}.") for server in servers):
            prefix = name.split(".", 1)[0]
            near = find_nearest(prefix, servers)
            meant = f"did you mean `{near}{name.removeprefix(prefix)}`?"
            help_ = meant if near else f"the servers of this test are {', '.join(servers)}"
            message = f"`{name}` names no server of this test"
            yield document.source.make_diagnostic("TG221", document.find_value_span(at), message, help=help_)


def _find_lookalike_ids(document: Document, ids: list[ToolId]) -> Iterator[Diagnostic]:
    for one, other, why in find_lookalikes(name for name, _, _ in ids):
        span = next(document.find_value_span(at) for name, at, _ in ids if name == other)
        message = f"`{other}` and `{one}` are two different ids that look alike ({why})"
        help_ = "if they are meant to be one tool, write both alike"
        yield document.source.make_diagnostic("TG222", span, message, help=help_)


def _check_against_catalogs(
    document: Document, ids: list[ToolId], servers: list[str], catalogs: Catalogs
) -> Iterator[Diagnostic]:
    """Yield findings about ids that no known catalog lists, and about bare ids that several list."""
    known = {server: catalogs[server] for server in servers if server in catalogs}
    if not known:
        return
    whole = [format_tool_id(server, tool) for server, tools in known.items() for tool in sorted(tools)]
    for name, at, _ in ids:
        having = [server for server, tools in known.items() if name in tools]
        if len(having) > 1:
            message = f"`{name}` is a tool of {' and '.join(having)}: a call to any of them counts"
            help_ = f"write `{having[0]}.{name}` to mean one of them"
            yield document.source.make_diagnostic("TG224", document.find_value_span(at), message, help=help_)
        elif not having and name not in whole and _is_covered_by_catalogs(name, servers, known):
            message = f"no catalog of this test lists `{name}`"
            yield document.source.make_diagnostic(
                "TG225", document.find_value_span(at), message, help=format_suggestion(name, whole)
            )


def _is_covered_by_catalogs(name: str, servers: list[str], known: Catalogs) -> bool:
    """Return whether a tool would be in a catalog that was read, if it existed."""
    return len(known) == len(servers) or any(name.startswith(f"{server}.") for server in known)
