"""`python -m toolgrade.runners.servers.catalog_server FILE`: serve a frozen catalog as an MCP server over stdio.

It speaks the few messages of the protocol itself, in both of its styles (`initialize`, and `server/discover` of
2026-07-28): to import an SDK would take longer than all the rest.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from ...foundations.fault import Fault
from ..catalogs.frozen_catalog import FrozenCatalog, read_catalog

STATELESS = "2026-07-28"
HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PAGE = 500
_META = "io.modelcontextprotocol/"
_PARSE_ERROR, _BAD_REQUEST, _NO_METHOD, _BAD_PARAMS = -32700, -32600, -32601, -32602
Params = dict[str, Any]


class RpcError(Exception):
    """An answer that is an error of the protocol."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class CatalogService:
    """Answers requests about one catalog; it has no state but that."""

    def __init__(self, catalog: FrozenCatalog) -> None:
        self._catalog = catalog
        self._names = {tool["name"] for tool in catalog.tools}
        self._methods: dict[str, Callable[[Params], dict[str, Any]]] = {
            "initialize": self._handle_initialize,
            "server/discover": self._handle_discover,
            "ping": lambda _params: {},
            "tools/list": self._handle_tools_list,
            "tools/call": self._handle_tools_call,
        }

    def handle_message(self, line: bytes) -> dict[str, Any] | None:
        """Return the answer to a message, or None if it is a notification."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return _make_error_response(None, RpcError(_PARSE_ERROR, "not JSON"))
        request = cast(dict[str, Any], message) if isinstance(message, dict) else {}
        if not isinstance(request.get("method"), str):
            return _make_error_response(request.get("id"), RpcError(_BAD_REQUEST, "not a request"))
        if "id" not in request:
            return None
        try:
            return {"jsonrpc": "2.0", "id": request["id"], "result": self._dispatch_request(request)}
        except RpcError as error:
            return _make_error_response(request["id"], error)

    def _dispatch_request(self, request: dict[str, Any]) -> dict[str, Any]:
        method = self._methods.get(request["method"])
        if method is None:
            raise RpcError(_NO_METHOD, f"unknown method: {request['method']}")
        params = _get_object(request, "params")
        result = method(params)
        return {**result, "resultType": "complete"} if _is_stateless(params) else result

    def _handle_initialize(self, params: Params) -> dict[str, Any]:
        asked = params.get("protocolVersion")
        version = asked if asked in HANDSHAKES else HANDSHAKES[0]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": self._describe_server()}

    def _handle_discover(self, _params: Params) -> dict[str, Any]:
        return {
            "supportedVersions": [STATELESS],
            "capabilities": {"tools": {}},
            "cacheScope": "private",
            "ttlMs": 0,
            "_meta": {f"{_META}serverInfo": self._describe_server()},
        }

    def _handle_tools_list(self, params: Params) -> dict[str, Any]:
        cursor = params.get("cursor", "0")
        # Short before `int` sees it, which refuses thousands of digits with an error of its own.
        start = int(cursor) if isinstance(cursor, str) and cursor.isdecimal() and len(cursor) < 10 else -1
        if not 0 <= start <= len(self._catalog.tools):
            raise RpcError(_BAD_PARAMS, f"unknown cursor: {cursor}")
        end = start + PAGE
        page: dict[str, Any] = {"tools": self._catalog.tools[start:end]}
        if end < len(self._catalog.tools):
            page["nextCursor"] = str(end)
        return {**page, "cacheScope": "private", "ttlMs": 0} if _is_stateless(params) else page

    def _handle_tools_call(self, params: Params) -> dict[str, Any]:
        name, args = params.get("name"), _get_object(params, "arguments")
        if not isinstance(name, str) or name not in self._names:
            raise RpcError(_BAD_PARAMS, f"unknown tool: {name}")
        text = self._catalog.render_result(name, args)
        return {"content": [{"type": "text", "text": text}], "isError": False}

    def _describe_server(self) -> dict[str, Any]:
        return {"name": self._catalog.name, "version": self._catalog.version or "0"}


def serve_catalog(service: CatalogService, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer line by line until there are no more."""
    for line in requests:
        answer = service.handle_message(line) if line.strip() else None
        if answer is not None:
            answers.write(json.dumps(answer).encode() + b"\n")
            # The client waits for this line before it sends another.
            answers.flush()


def run_catalog_server(arguments: list[str]) -> int:
    """Serve the frozen catalog in a file over stdio, and return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m toolgrade.runners.servers.catalog_server FILE\n")
        return 2
    try:
        service = CatalogService(read_catalog(Path(arguments[0])))
    except Fault as fault:
        sys.stderr.write(f"toolgrade: {fault}\n" + (f"  {fault.help}\n" if fault.help else ""))
        return fault.exit_code
    with suppress(KeyboardInterrupt, BrokenPipeError):  # whoever asked is gone
        serve_catalog(service, sys.stdin.buffer, sys.stdout.buffer)
    return 0


def _is_stateless(params: Params) -> bool:
    """Whether a request is in the style of 2026-07-28, which names its version each time."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and cast(Params, meta).get(f"{_META}protocolVersion") == STATELESS


def _get_object(holder: Params, key: str) -> Params:
    value = holder.get(key)
    if value is not None and not isinstance(value, dict):
        raise RpcError(_BAD_PARAMS, f"{key}: not an object")
    return cast(Params, value or {})


def _make_error_response(request: Any, error: RpcError) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request, "error": {"code": error.code, "message": str(error)}}


if __name__ == "__main__":
    sys.exit(run_catalog_server(sys.argv[1:]))
