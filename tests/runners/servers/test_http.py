"""Servers over HTTP that are busy, lost or hostile, on a real socket."""

import asyncio
import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from toolgrade.compiler.plan import HttpServer
from toolgrade.foundations.fault import ServerFault
from toolgrade.runners.servers.limits import ServerLimits
from toolgrade.runners.servers.session import ServerCallResult, connect_server
from toolgrade.runners.servers.transports import LaunchContext

QUICK = ServerLimits(start_s=20, list_s=10, call_s=5)
Reply = tuple[int, dict[str, str], bytes]
Script = Callable[[str, int], Reply | None]
"""What is answered to the n-th request of a method; None for the plain answer."""


class Scripted(ThreadingHTTPServer):
    """A plain MCP server over HTTP, but for what its script says."""

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.seen: list[tuple[str, dict[str, str]]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    def count(self, method: str) -> int:
        return sum(name == method for name, _ in self.seen)


class _Handler(BaseHTTPRequestHandler):
    server: Scripted  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method = message["method"]
        self.server.seen.append((method, dict(self.headers)))
        reply = self.server.script(method, self.server.count(method)) or self._plain(message)
        self.send_response(reply[0])
        for name, text in {"content-length": str(len(reply[2])), **reply[1]}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(reply[2])

    def do_GET(self) -> None:
        self.send_error(405)

    do_DELETE = do_GET  # noqa: N815 - the name that http.server looks for

    def _plain(self, message: dict[str, Any]) -> Reply:
        if "id" not in message:
            return 202, {}, b""
        results: dict[str, Any] = {
            "initialize": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "scripted", "version": "2"},
            },
            "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "called"}]},
        }
        method = message["method"]
        known = {"result": results[method]} if method in results else {"error": {"code": -32601, "message": "no"}}
        return as_json({"jsonrpc": "2.0", "id": message["id"], **known})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def as_json(value: Any, status: int = 200) -> Reply:
    return status, {"content-type": "application/json"}, json.dumps(value).encode()


@contextmanager
def serving(script: Script) -> Generator[Scripted]:
    server = Scripted(script)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def call(server: Scripted, limits: ServerLimits = QUICK, **headers: str) -> ServerCallResult:
    async def test() -> ServerCallResult:
        planned = HttpServer("web", server.address, headers, protocol="legacy")
        async with connect_server(planned, LaunchContext({"TOKEN": "t0ken"}, Path()), limits) as session:
            return await session.call_tool("echo", {})

    return asyncio.run(test())


def at(wanted: str, *replies: Reply | None) -> Script:
    """These replies to the first requests of a method, and the plain one to the rest."""
    return lambda method, number: replies[number - 1] if method == wanted and number <= len(replies) else None


BUSY: Reply = (429, {"retry-after": "0"}, b"")
BROKEN: Reply = (500, {}, b"")


def test_headers_get_their_variables() -> None:
    with serving(at("none")) as server:
        assert call(server, Authorization="Bearer ${env:TOKEN}").text == "called"
        assert all(headers["Authorization"] == "Bearer t0ken" for _, headers in server.seen)


@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call"])
def test_a_busy_server_is_asked_again(method: str) -> None:
    with serving(at(method, BUSY, BUSY)) as server:
        assert call(server).status == "ok"
        assert server.count(method) == 3


def test_a_server_that_stays_busy_is_given_up_after_a_few_tries() -> None:
    with serving(at("initialize", *[BUSY] * 50)) as server, pytest.raises(ServerFault, match="server `web`"):
        call(server)
    assert server.count("initialize") == 4


def test_a_call_that_may_have_been_carried_out_is_not_repeated() -> None:
    with serving(at("tools/call", BROKEN)) as server:
        assert call(server).status == "protocol_error"
        assert server.count("tools/call") == 1


@pytest.mark.parametrize(
    "place", ["file:///etc/passwd", "http://169.254.169.254/latest/meta-data", "http://localhost:9/"]
)
def test_a_redirect_to_another_place_is_refused(place: str) -> None:
    with serving(at("initialize", *[(307, {"location": place}, b"")] * 9)) as server, pytest.raises(ServerFault):
        call(server)
    assert server.count("initialize") == 1


def test_a_redirect_in_a_circle_ends() -> None:
    with serving(at("initialize", *[(307, {"location": "/mcp"}, b"")] * 100)) as server, pytest.raises(ServerFault):
        call(server)
    assert server.count("initialize") < 50


def test_an_answer_without_end_is_cut_off() -> None:
    long = as_json({"jsonrpc": "2.0", "id": 3, "result": {"content": [{"type": "text", "text": "x" * 3_000_000}]}})
    with serving(at("tools/call", long)) as server:
        assert call(server, ServerLimits(message_bytes=1_000_000, call_s=5)).status in ("protocol_error", "timeout")


def test_a_server_that_is_not_there_is_named() -> None:
    with serving(at("none")) as server:
        pass
    with pytest.raises(ServerFault, match="server `web` could not be reached"):
        call(server)
