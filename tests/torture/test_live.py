"""A live run of twenty cells of which ten meet a server or a provider that misbehaves, each in its own way."""

import asyncio
import json
import sys
import xml.etree.ElementTree as ET
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.conftest import Finished, RunToolgrade
from tests.provider import Provider, Reply, plain, stream
from tests.rogues import ROGUE
from tests.torture.odd_replies import CHAT, render_events
from tests.torture.odd_values import replace_at
from tests.torture.test_servers import LINES, ODD

SERVERS: dict[str, list[str]] = {
    "dies": [str(ROGUE), "dies-at-start"],
    "lists-text": [str(ROGUE), "not-a-list"],
    "lists-in-a-circle": [str(ROGUE), "circle"],
    "lists-no-json": [str(ODD), "tools/list", LINES["no JSON after the id"]],
    "greets-with-text": [str(ODD), "initialize", LINES["a result that is text"]],
}
PROVIDERS: dict[str, Reply] = {
    "choices-are-text": render_events("chat", [replace_at(CHAT[0], ("choices",), "x"), *CHAT[1:]]),
    "event-is-null": stream(["data: null\n\n"]),
    "arguments-are-a-number": render_events(
        "chat",
        [CHAT[0], replace_at(CHAT[1], ("choices", 0, "delta", "tool_calls", 0, "function", "arguments"), 5), *CHAT[2:]],
    ),
    "usage-is-a-list": render_events("chat", [*CHAT[:3], replace_at(CHAT[3], ("usage",), [1])]),
    "says-no": plain({"error": {"message": "no such thing"}}, 400),
}


def _test(name: str, server: str, **more: Any) -> dict[str, Any]:
    gate = {"classes": [{"name": "echo", "members": [f"{server}.echo"]}]}
    return {"name": name, "prompt": 'Say "hello" back.', "servers": [server], "equal_function_sets": gate, **more}


def _write_suite(folder: Path, addresses: dict[str, str]) -> None:
    servers = {"good": {"command": [sys.executable, str(ROGUE)]}}
    servers |= {name: {"command": [sys.executable, *argv], "protocol": "legacy"} for name, argv in SERVERS.items()}
    tests = [
        *(_test(f"good {number}", "good", model="lexical") for number in range(10)),
        *(_test(name, name, model="lexical") for name in SERVERS),
        *(_test(name, "good", model="local-model", base_url=url) for name, url in addresses.items()),
    ]
    (folder / "suites").mkdir()
    (folder / "suites/s.yml").write_text(json.dumps({"servers": servers, "tests": tests}))


async def _run(run_toolgrade: RunToolgrade, folder: Path) -> Finished:
    async with AsyncExitStack() as stack:
        providers = {name: await stack.enter_async_context(Provider(reply)) for name, reply in PROVIDERS.items()}
        _write_suite(folder, {name: f"{provider.url}/v1" for name, provider in providers.items()})
        command = ("run", "--mode", "live", "-j", "4", "--junit", "junit.xml", "--markdown", "m.md")
        return await asyncio.to_thread(run_toolgrade, *command)


def test_ten_that_misbehave_cost_their_own_cells_and_the_other_ten_have_verdicts(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    done = asyncio.run(_run(run_toolgrade, tmp_path))
    assert done.code == 3
    assert "bug" not in done.stderr
    cases = {str(case.get("name")): case for case in ET.parse(tmp_path / "junit.xml").iter("testcase")}
    assert len(cases) == 20
    stopped = {name for name, case in cases.items() if case.find("error") is not None}
    assert len(stopped) == 10, sorted(cases)
    assert not [name for name in stopped if name.startswith("good")]
    for name in (*SERVERS, *PROVIDERS):
        assert any(line.startswith(f"error: {name}") for line in done.stderr.splitlines()), name
