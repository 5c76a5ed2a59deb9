"""Frozen catalogs: the listing of a server in a file, with the results that its tools return."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

from ...foundations.fault import BadInput
from ..atomic_file import read_regular, write_durably

if TYPE_CHECKING:
    from .fingerprint import ServerListing

SCHEMA = "toolgrade.catalog/1"
MAX_BYTES = 64 * 1024 * 1024
DEFAULT_RESULT = "ok"
_KEYS = ("schema", "server", "tools", "results")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w-]*)\}")


class FrozenCatalog(NamedTuple):
    """A server's name and version, its tools as it sent them, and results for some of them, by name."""

    name: str
    version: str | None
    tools: tuple[Mapping[str, Any], ...]
    results: Mapping[str, str]

    def render_result(self, tool: str, args: Mapping[str, Any]) -> str:
        """Return the result of a call. `{name}` in it is replaced by the argument of that name."""
        # Not str.format: a result may hold any braces, and a format string could reach into objects.
        template = self.results.get(tool, DEFAULT_RESULT)
        return _PLACEHOLDER.sub(
            lambda match: _format_argument(args[match[1]]) if match[1] in args else match[0], template
        )


def freeze_catalog(path: Path, name: str, listing: "ServerListing") -> None:
    """Write the listing of a server to a file. Results in the file are kept for tools that are still listed."""
    from ...foundations.canonical_json import to_json

    names = {tool["name"] for tool in listing.tools if isinstance(tool.get("name"), str)}
    server = {"name": name} if listing.version is None else {"name": name, "version": listing.version}
    document: dict[str, Any] = {"schema": SCHEMA, "server": server, "tools": listing.tools}
    if path.exists():
        # A person wrote the results by hand; freezing again must not lose them.
        document["results"] = {tool: text for tool, text in read_catalog(path).results.items() if tool in names}
    try:
        data = to_json(document)
        _parse_catalog(json.loads(data))
    except (_InvalidCatalog, ValueError, OverflowError, RecursionError) as error:
        raise BadInput(f"cannot freeze the listing of `{name}`: {error}") from None
    write_durably(path, data)


def read_catalog(path: Path) -> FrozenCatalog:
    """Return the catalog in a file. Raise `BadInput`, with the place in the file, if it is not one."""
    try:
        data = read_regular(path, MAX_BYTES)
        if len(data) > MAX_BYTES:
            raise BadInput(f"{path}: larger than {MAX_BYTES:,} bytes")
        # utf-8-sig: some editors put a byte order mark at the start.
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file", "`toolgrade doctor --freeze FILE` writes one") from None
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON: {error}") from None
    try:
        return _parse_catalog(value)
    except _InvalidCatalog as wrong:
        raise BadInput(f"{path}: {wrong}", "see the format in docs/doctor.md") from None


class _InvalidCatalog(Exception):
    """The first thing in a file that is wrong for a catalog."""


def _parse_catalog(value: Any) -> FrozenCatalog:
    root = _require_object(value, "the file")
    for key in root:
        if key not in _KEYS:
            raise _InvalidCatalog(f"unknown key `{key}`: expected one of {', '.join(_KEYS)}")
    if root.get("schema", SCHEMA) != SCHEMA:
        raise _InvalidCatalog(f"schema is {root['schema']!r}: this version reads {SCHEMA!r}")
    server = _require_object(root.get("server", {}), "server")
    name, version = server.get("name", "catalog"), server.get("version")
    if not isinstance(name, str) or not isinstance(version, str | None):
        raise _InvalidCatalog("server.name and server.version must be text")
    tools = _parse_tools(root.get("tools"))
    return FrozenCatalog(
        name, version, tools, _parse_results(root.get("results", {}), {tool["name"] for tool in tools})
    )


def _parse_tools(value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list):
        raise _InvalidCatalog("tools is missing or not a list")
    tools = [_require_object(tool, f"tools[{index}]") for index, tool in enumerate(cast(list[Any], value))]
    for index, tool in enumerate(tools):
        if not isinstance(tool.get("name"), str):
            raise _InvalidCatalog(f"tools[{index}] has no name")
        if not isinstance(tool.get("inputSchema"), dict):
            raise _InvalidCatalog(f"tools[{index}] (`{tool['name']}`) has no inputSchema, or one that is not an object")
    return tuple(tools)


def _parse_results(value: Any, names: set[str]) -> dict[str, str]:
    results = _require_object(value, "results")
    for name, text in results.items():
        if name not in names:
            raise _InvalidCatalog(f"results has `{name}`, which is not one of the tools")
        if not isinstance(text, str):
            raise _InvalidCatalog(f"the result of `{name}` is not text")
    return results


def _require_object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _InvalidCatalog(f"{what} is not an object")
    return cast(dict[str, Any], value)


def _format_argument(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _refuse_constant(text: str) -> NoReturn:
    # The json module reads NaN and Infinity, which a server could not send.
    raise ValueError(f"{text} is not JSON")
