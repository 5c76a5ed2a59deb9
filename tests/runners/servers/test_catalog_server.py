"""A frozen catalog is served over real stdio, to the SDK's client in both of its styles and to anything that asks."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from toolgrade.compiler.plan import CatalogServer
from toolgrade.foundations.fault import BadInput
from toolgrade.runners.catalogs.fingerprint import ServerListing, fingerprint
from toolgrade.runners.catalogs.frozen_catalog import freeze_catalog, read_catalog
from toolgrade.runners.servers.catalog_server import PAGE
from toolgrade.runners.servers.session import connect_server
from toolgrade.runners.servers.transports import LaunchContext

COMMAND = [sys.executable, "-m", "toolgrade.runners.servers.catalog_server"]
TOOLS: list[dict[str, Any]] = [
    {
        "name": "book",
        "description": "Book a room.",
        "inputSchema": {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]},
        "annotations": {"readOnlyHint": False},
    },
    {"name": "cancel", "inputSchema": {"type": "object"}},
]
RESULTS = {"book": "Booked {room} for {guests}, {nothing} {room.__class__} {0}"}


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    file = tmp_path / "hotel.json"
    freeze_catalog(file, "hotel", ServerListing("2.1", TOOLS))
    write(file, {**json.loads(file.read_text(encoding="utf-8")), "results": RESULTS})
    return file


def write(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


def talk(catalog: Path, *lines: str) -> list[dict[str, Any]]:
    """What a process answers to these lines."""
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([*COMMAND, str(catalog)], input=text, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(method: str, number: int = 1, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_sdk_lists_and_calls_in_both_styles(
    catalog: Path, mode: Literal["auto", "legacy"], version: str, tmp_path: Path
) -> None:
    async def run() -> None:
        params = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], str(catalog)])
        with (tmp_path / "stderr").open("w") as errors:
            async with Client(stdio_client(params, errlog=errors), mode=mode, read_timeout_seconds=30) as client:
                assert client.protocol_version == version
                assert client.server_info is not None
                assert (client.server_info.name, client.server_info.version) == ("hotel", "2.1")
                listed = (await client.list_tools(cache_mode="bypass")).tools
                assert [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in listed] == TOOLS
                result = await client.call_tool("book", {"room": "7", "guests": [1, "é"]})
                assert result.content[0].text == 'Booked 7 for [1, "é"], {nothing} {room.__class__} {0}'  # type: ignore[union-attr]
                assert (await client.call_tool("cancel", {})).content[0].text == "ok"  # type: ignore[union-attr]
                with pytest.raises(MCPError, match="unknown tool: fly"):
                    await client.call_tool("fly", {})
        assert (tmp_path / "stderr").read_text() == ""

    asyncio.run(run())


def test_a_session_lists_every_page_with_the_fingerprint_of_the_original(tmp_path: Path) -> None:
    tools = [{**TOOLS[0], "name": f"tool_{n}"} for n in range(2 * PAGE + 1)]
    freeze_catalog(tmp_path / "wide.json", "wide", ServerListing("3", tools))

    async def run() -> ServerListing:
        server = CatalogServer("wide", "wide.json")
        async with connect_server(server, LaunchContext(os.environ, tmp_path)) as session:
            assert (await session.call_tool("tool_7", {})).status == "ok"
            assert session.list_warnings() == ()
            return session.listing

    listing = asyncio.run(run())
    assert listing.version == "3"
    assert fingerprint({"wide": listing}) == fingerprint({"wide": ServerListing("3", tools)})


def test_requests_are_answered_and_notifications_are_not(catalog: Path) -> None:
    lines = [
        request("initialize", 1, protocolVersion="2024-11-05", capabilities={}),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        "",
        request("ping", 2),
        request("tools/list", 3, cursor="2"),
    ]
    first, pong, page = talk(catalog, *lines)
    assert first["result"]["protocolVersion"] == "2024-11-05"
    assert pong == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert page["result"] == {"tools": []}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ('{"id": 1}', -32600),
        (request("resources/list"), -32601),
        (request("tools/list", cursor="-1"), -32602),
        (request("tools/list", cursor=["0"]), -32602),
        (request("tools/list", cursor="9" * 5000), -32602),
        (request("tools/call", name=["book"]), -32602),
        (request("tools/call", name="book", arguments=[1]), -32602),
        ('{"id": 1, "method": "ping", "params": [1]}', -32602),
    ],
)
def test_a_bad_request_is_refused_and_the_next_one_answered(catalog: Path, line: str, code: int) -> None:
    refused, pong = talk(catalog, line, request("ping", 2))
    assert refused["error"]["code"] == code
    assert pong == {"jsonrpc": "2.0", "id": 2, "result": {}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"tools": [], "x": NaN}', "NaN is not JSON"),
        ("[]", "the file is not an object"),
        ("{}", "tools is missing"),
        ('{"tools": [], "result": {}}', "unknown key `result`: expected one of schema, server, tools, results"),
        ('{"schema": "toolgrade.catalog/9", "tools": []}', "this version reads 'toolgrade.catalog/1'"),
        ('{"server": [], "tools": []}', "server is not an object"),
        ('{"server": {"version": 1}, "tools": []}', "server.version must be text"),
        ('{"tools": [7]}', "tools[0] is not an object"),
        ('{"tools": [{"inputSchema": {}}]}', "tools[0] has no name"),
        ('{"tools": [{"name": "a"}]}', "tools[0] (`a`) has no inputSchema"),
        ('{"tools": [{"name": "a", "inputSchema": {}}], "results": {"b": ""}}', "results has `b`"),
        ('{"tools": [{"name": "a", "inputSchema": {}}], "results": {"a": 1}}', "the result of `a` is not text"),
        ("\ud800", "not JSON"),
    ],
)
def test_a_catalog_that_is_none_is_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(content.encode("utf-8", "surrogatepass"))
    done = refused(file)
    assert done.stderr.startswith(f"toolgrade: {file}: ")
    assert message in done.stderr


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "nothing"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "odd.json"
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "link":
        file.symlink_to("/etc/hostname")
    assert f"toolgrade: {file}: " in refused(file).stderr


def refused(file: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, str(file)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done


def test_freezing_again_keeps_the_results_of_tools_that_are_still_there(catalog: Path) -> None:
    freeze_catalog(catalog, "hotel", ServerListing("2.2", [*TOOLS, {"name": "pay", "inputSchema": {}}]))
    assert read_catalog(catalog).results == RESULTS
    freeze_catalog(catalog, "hotel", ServerListing("2.3", TOOLS[1:]))
    assert read_catalog(catalog).results == {}


def test_freezing_does_not_replace_a_file_that_is_no_catalog(tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(BadInput, match="the file is not an object"):
        freeze_catalog(file, "hotel", ServerListing("2.1", TOOLS))
    assert file.read_text(encoding="utf-8") == "[]"


def test_what_no_file_can_hold_is_not_frozen(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot freeze"):
        freeze_catalog(tmp_path / "a.json", "a", ServerListing("1", [{"name": "\ud800", "inputSchema": {}}]))
    assert not list(tmp_path.iterdir())


def test_it_says_how_it_is_used() -> None:
    done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "catalog_server FILE" in done.stderr


def test_it_imports_no_library(catalog: Path) -> None:
    code = "import sys, toolgrade.runners.servers.catalog_server; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not {"mcp", "pydantic", "msgspec", "click", "tiktoken"} & set(eval(done.stdout))


def test_it_starts_about_as_fast_as_python(catalog: Path) -> None:
    def seconds(command: list[str]) -> float:
        start = time.perf_counter()
        subprocess.run(command, stdin=subprocess.DEVNULL, check=True, timeout=60)
        return time.perf_counter() - start

    bare = min(seconds([sys.executable, "-c", ""]) for _ in range(3))
    assert min(seconds([*COMMAND, str(catalog)]) for _ in range(3)) < 4 * bare + 0.2
