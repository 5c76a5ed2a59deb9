"""Servers that answer oddly, over stdio and HTTP: a result or a fault in time; never a time-out or a crash."""

import asyncio
import gzip
import json
import os
import random
import resource
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.runners.servers.test_http import serving
from tests.torture.odd_values import iterate_mutations
from toolgrade.compiler.plan import AnyServer, HttpServer, StdioServer
from toolgrade.foundations.fault import ServerFault
from toolgrade.runners.servers.limits import ServerLimits
from toolgrade.runners.servers.session import ServerCallResult, connect_server
from toolgrade.runners.servers.transports import LaunchContext

ODD = Path(__file__).with_name("odd_server.py")
LIMITS = ServerLimits(start_s=20, list_s=20, call_s=20)
RESULTS: dict[str, Any] = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "odd", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}], "nextCursor": None},
    "tools/call": {"content": [{"type": "text", "text": "called"}], "structuredContent": {"a": 1}, "isError": False},
}
SAMPLE = 15
"""Of every method so many mutations are tried, chosen by a fixed seed; `make torture` tries them all."""


async def _use(server: AnyServer) -> ServerCallResult:
    async with connect_server(server, LaunchContext(os.environ, Path.cwd()), LIMITS) as session:
        return await session.call_tool("echo", {})


def use(server: AnyServer) -> ServerCallResult | ServerFault:
    """What comes of a call to a server; anything but a result or a fault is raised."""
    try:
        return asyncio.run(asyncio.wait_for(_use(server), 60))
    except ServerFault as fault:
        return fault


def odd(method: str, line: str) -> StdioServer:
    return StdioServer("odd", (sys.executable, "-S", str(ODD), method, line), {}, protocol="legacy")


@pytest.mark.parametrize("method", RESULTS)
def test_a_sample_of_mutated_answers_is_survived(method: str) -> None:
    mutations = list(iterate_mutations(RESULTS[method]))
    for name, result in random.Random(15).sample(mutations, SAMPLE):
        line = '{"jsonrpc":"2.0","id":%ID%,"result":' + json.dumps(result) + "}"
        assert isinstance(use(odd(method, line)), ServerCallResult | ServerFault), name


LINES = {
    "nested too deeply": '{"jsonrpc":"2.0","id":%ID%,"result":{"content":%DEEP%}}',
    "5,000 digits": '{"jsonrpc":"2.0","id":%ID%,"result":{"content":[],"n":' + "9" * 5000 + "}}",
    "no JSON after the id": '{"jsonrpc":"2.0","id":%ID%,"result":{{{}',
    "a trailing comma": '{"jsonrpc":"2.0","id":%ID%,"result":{"content":[],}}',
    "NaN": '{"jsonrpc":"2.0","id":%ID%,"result":{"content":[],"n":NaN}}',
    "a result that is text": '{"jsonrpc":"2.0","id":%ID%,"result":"none"}',
    "a result that is null": '{"jsonrpc":"2.0","id":%ID%,"result":null}',
    "neither result nor error": '{"jsonrpc":"2.0","id":%ID%}',
    "an error without a code": '{"jsonrpc":"2.0","id":%ID%,"error":{"message":"no"}}',
    "an error that is text": '{"jsonrpc":"2.0","id":%ID%,"error":"no"}',
    "a lone surrogate": '{"jsonrpc":"2.0","id":%ID%,"result":{"content":[{"type":"text","text":"\\ud800"}]}}',
}


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
def test_an_answer_that_cannot_be_read_is_an_error_at_once(method: str, line: str) -> None:
    found = use(odd(method, LINES[line]))
    assert isinstance(found, ServerCallResult | ServerFault)
    text = found.text if isinstance(found, ServerCallResult) else str(found)
    assert "did not list its tools within" not in text
    assert not (isinstance(found, ServerCallResult) and found.status == "timeout")


@pytest.mark.parametrize("cursor", ["[1]", '{"a":1}', "5", "false", '""', '"' + "c" * 100_000 + '"'])
def test_a_cursor_that_is_none_is_the_fault_of_its_server(cursor: str) -> None:
    page = '{"jsonrpc":"2.0","id":%ID%,"result":{"tools":[],"nextCursor":' + cursor + "}}"
    found = use(odd("tools/list", page))
    assert isinstance(found, ServerFault)
    assert "bug" not in str(found)
    assert "lists its tools" in str(found)


def _bomb(times: int) -> bytes:
    data = b"0" * 100_000_000
    for _ in range(times):
        data = gzip.compress(data)
    return data


@pytest.mark.parametrize(
    ("encoding", "body"),
    [("gzip", _bomb(1)), ("gzip, gzip", _bomb(2)), ("deflate", zlib.compress(b"0" * 100_000_000)), ("br", b"\x00")],
    ids=["gzip", "gzip-gzip", "deflate", "br"],
)
def test_a_compressed_answer_is_refused_unread(encoding: str, body: bytes) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def script(method: str, count: int) -> Any:
        headers = {"content-type": "application/json", "content-encoding": encoding}
        return (200, headers, body) if method == "tools/list" else None

    with serving(script) as server:
        found = use(HttpServer("odd", server.address, protocol="legacy"))
        assert {headers["accept-encoding"] for _, headers in server.seen} == {"identity"}
    assert isinstance(found, ServerFault)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000
