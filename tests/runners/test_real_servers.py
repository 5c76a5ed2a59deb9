"""Real third-party servers, each in an environment of its own: `make servers` installs them."""

import asyncio
import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from tests.conftest import RunToolgrade, ThirdParty
from toolgrade.compiler.plan import HttpServer, StdioServer
from toolgrade.foundations.canonical_json import to_json
from toolgrade.runners.servers.session import ServerCallResult, Session, connect_server
from toolgrade.runners.servers.transports import LaunchContext


def use(server: StdioServer | HttpServer, tool: str, **args: Any) -> tuple[Session, ServerCallResult]:
    """A session, closed by now, and the result of one call."""

    async def test() -> tuple[Session, ServerCallResult]:
        async with connect_server(server, LaunchContext(os.environ, Path())) as session:
            return session, await session.call_tool(tool, args)

    return asyncio.run(test())


def names(session: Session) -> set[str]:
    return {tool["name"] for tool in session.listing.tools}


@pytest.mark.parametrize("protocol", ["auto", "legacy"])
def test_time_from_pypi(third_party: ThirdParty, protocol: Any) -> None:
    server = StdioServer("time", (third_party("mcp-server-time"),), protocol=protocol)
    session, result = use(server, "convert_time", source_timezone="UTC", time="12:30", target_timezone="Asia/Tokyo")
    assert names(session) == {"get_current_time", "convert_time"}
    assert result.status == "ok"
    assert "21:30" in result.text


def test_git_from_pypi(third_party: ThirdParty, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True)
    server = StdioServer("git", (third_party("mcp-server-git"), "--repository", str(tmp_path)))
    session, result = use(server, "git_status", repo_path=str(tmp_path))
    assert "git_log" in names(session)
    assert (result.status, "main" in result.text) == ("ok", True)


def test_a_server_that_needs_version_1_of_the_sdk(third_party: ThirdParty, tmp_path: Path) -> None:
    server = StdioServer("sqlite", (third_party("mcp-server-sqlite"), "--db-path", str(tmp_path / "shop.db")))
    session, result = use(server, "list_tables")
    assert "read_query" in names(session)
    assert result.status == "ok"


@pytest.mark.node
def test_files_from_npm(third_party: ThirdParty, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("remember the milk")
    server = StdioServer("files", (third_party("mcp-server-filesystem"), str(tmp_path)))
    session, result = use(server, "read_text_file", path=str(tmp_path / "note.txt"))
    assert "search_files" in names(session)
    assert (result.status, result.text) == ("ok", "remember the milk")
    _, result = use(server, "read_text_file", path="/etc/passwd")
    assert result.status == "error"


@pytest.mark.node
def test_the_protocols_own_test_server_over_stdio(third_party: ThirdParty) -> None:
    session, result = use(StdioServer("everything", (third_party("mcp-server-everything"),)), "echo", message="hi")
    assert "get-sum" in names(session)
    assert (result.status, "hi" in result.text) == ("ok", True)


@contextmanager
def everything(program: str, transport: str) -> Generator[str]:
    """The protocol's own test server over HTTP: where it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = subprocess.Popen([program, transport], env={**os.environ, "PORT": str(port)}, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        running.kill()
        running.wait()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("server-everything did not listen within 60 s")


@pytest.mark.node
@pytest.mark.parametrize(("transport", "path", "is_sse"), [("streamableHttp", "/mcp", False), ("sse", "/sse", True)])
def test_the_protocols_own_test_server_over_http(
    third_party: ThirdParty, transport: str, path: str, is_sse: bool
) -> None:
    with everything(third_party("mcp-server-everything"), transport) as address:
        server = HttpServer("everything", f"{address}{path}", sse=is_sse or UNSET)
        session, result = use(server, "get-sum", a=2, b=3)
    assert "echo" in names(session)
    assert (result.status, "5" in result.text) == ("ok", True)


@pytest.mark.node
def test_four_servers_at_once_replay_to_the_same_verdicts(
    run_toolgrade: RunToolgrade, third_party: ThirdParty, tmp_path: Path
) -> None:
    (tmp_path / "note.txt").write_text("remember the milk")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    servers: dict[str, Any] = {
        "time": {"command": [third_party("mcp-server-time")]},
        "git": {"command": [third_party("mcp-server-git"), "--repository", "."]},
        "files": {"command": [third_party("mcp-server-filesystem"), "."]},
        "sqlite": {"command": [third_party("mcp-server-sqlite"), "--db-path", "shop.db"], "isolate": True},
    }
    prompts = {
        "clock": ("What is the current time in the timezone Europe/Lisbon?", "time.get_current_time"),
        "status": ('Show the working tree status of the repository ".".', "git.git_status"),
        "read": ('Read the text file "note.txt".', "files.read_text_file", "files.read_file"),
        "tables": ("List all tables in the SQLite database.", "sqlite.list_tables"),
    }
    tests = [
        {"name": name, "prompt": prompt, "servers": [*servers], "equal_function_sets": {"classes": [a_class(tools)]}}
        for name, (prompt, *tools) in prompts.items()
    ]
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/four.yml").write_bytes(to_json({"servers": servers, "tests": tests}))
    live = run_toolgrade("run", "--mode", "live", "-j", "4", "--format", "json")
    replay = run_toolgrade("run", "--format", "json")
    assert live.code == replay.code, live.stderr
    assert [cell(test) for test in suite(live.stdout)] == [cell(test) for test in suite(replay.stdout)]
    assert [test["gates"][0]["values"]["tool_selection.recall"] for test in suite(live.stdout)] == [100] * 4
    assert re.search(r"sqlite: starting .*mcp-server-sqlite --db-path shop.db", live.stderr)


def a_class(tools: list[str]) -> dict[str, Any]:
    return {"name": "wanted", "members": tools}


def suite(report: str) -> list[dict[str, Any]]:
    return json.loads(report)["suites"][0]["tests"]


def cell(test: dict[str, Any]) -> Any:
    return test["name"], test["status"], test["gates"], test["traces"], test["toolset"]
