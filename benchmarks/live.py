"""Measures what the live runner adds to a call over the bare SDK, and how many cells at once it runs."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from toolgrade import compile_suites
from toolgrade.compiler.plan import Plan, StdioServer
from toolgrade.foundations.canonical_json import to_json
from toolgrade.foundations.redaction import Redactor
from toolgrade.runners.agents.lexical import LexicalAgent
from toolgrade.runners.cassettes.recording import make_cassette
from toolgrade.runners.catalogs.fingerprint import fingerprint
from toolgrade.runners.cell_selection import iterate_cells, make_cell_key
from toolgrade.runners.events import discard_event
from toolgrade.runners.journal import Journal
from toolgrade.runners.live import LiveInputs, LiveRun
from toolgrade.runners.servers.session import connect_server
from toolgrade.runners.servers.transports import LaunchContext

CALLS = 200
ROUNDS = 5
CELLS = 200
SERVER = """\
from mcp.server import MCPServer
server = MCPServer("bench")
@server.tool()
def add(a: int, b: int) -> int:
    return a + b
server.run()
"""
TOOLS = ("read a file", "write a file", "search the web", "send a message", "list the tables", "convert a time")


async def seconds_a_call(call: Callable[[], Awaitable[object]]) -> float:
    """Return the mean time of a call."""
    start = time.perf_counter()
    for _ in range(CALLS):
        await call()
    return (time.perf_counter() - start) / CALLS


async def measure_calls() -> None:
    """Compare calls through our session and the bare SDK.

    Both connections are open at once and take turns, so that other load on the machine affects both.
    """
    argv = (sys.executable, "-c", SERVER)
    args = {"a": 1, "b": 2}
    bare = stdio_client(StdioServerParameters(command=argv[0], args=list(argv[1:])))
    async with (
        connect_server(StdioServer("bench", argv), LaunchContext(os.environ, Path())) as ours,
        Client(bare) as client,
    ):
        await client.list_tools()
        pairs = [
            (
                await seconds_a_call(lambda: ours.call_tool("add", args)),
                await seconds_a_call(lambda: client.call_tool("add", args)),
            )
            for _ in range(ROUNDS)
        ]
    ratio = statistics.median(mine / theirs for mine, theirs in pairs)
    mine, theirs = (min(times) * 1000 for times in zip(*pairs, strict=True))
    print(f"live, a call: {mine:.2f} ms; {theirs:.2f} ms over the bare SDK")
    print(f"  ratio {ratio:.2f} to the bare SDK on the same server (aim: at most 1.3)")


def many_cells(folder: Path) -> Plan:
    """Return a plan of many small tests on two frozen catalogs."""
    tools = [{"name": text.replace(" ", "_"), "description": text, "inputSchema": {"type": "object"}} for text in TOOLS]
    for name in ("one", "two"):
        (folder / f"{name}.json").write_bytes(to_json({"tools": tools}))
    tests = [
        {
            "name": f"test {number}",
            "prompt": TOOLS[number % len(TOOLS)],
            "servers": [("one", "two")[number % 2]],
            "equal_function_sets": {
                "classes": [{"name": "c", "members": [TOOLS[number % len(TOOLS)].replace(" ", "_")]}]
            },
        }
        for number in range(CELLS)
    ]
    servers = {name: {"catalog": f"{name}.json"} for name in ("one", "two")}
    (folder / "many.yml").write_bytes(to_json({"servers": servers, "tests": tests}))
    plan = compile_suites([str(folder / "many.yml")]).plan
    assert plan is not None
    return plan


def measure_cells(workers: int) -> None:
    """Run all cells and print the time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = many_cells(folder)
        cells = list(iterate_cells(plan))
        agent = LexicalAgent()
        world = LiveInputs(os.environ, {plan.suites[0].id: folder}, {make_cell_key(cell): agent for cell in cells})
        journal = Journal(folder, plan.suites)
        journal.begin(resume=False)
        live = LiveRun(
            world,
            journal,
            lambda planned, run, done: make_cassette(
                planned, run, done, fingerprint(done.collect_listings()), Redactor()
            ),
            discard_event,
        )
        start = time.perf_counter()
        results = asyncio.run(live.run(cells, workers))
        took = time.perf_counter() - start
    passed = sum(result.status == "passed" for result in results)
    print(f"live, {CELLS} cells on frozen catalogs, {workers} at once: {took:.1f} s, {passed} passed")


if __name__ == "__main__":
    asyncio.run(measure_calls())
    for workers in (1, 8):
        measure_cells(workers)
