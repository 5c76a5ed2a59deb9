"""Measures what a tap adds to a call of the bare SDK: median latency, and CPU time of all processes together."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from timing import cpu_seconds

CALLS = 1500
ROUNDS = 3
AIM = 0.10
SERVER = """\
from mcp.server import MCPServer
server = MCPServer("bench")
@server.tool()
def add(a: int, b: int) -> int:
    return a + b
server.run()
"""


async def time_calls(argv: list[str], count: int) -> list[float]:
    """Return the seconds of each of so many calls through one connection."""
    times: list[float] = []
    parameters = StdioServerParameters(command=argv[0], args=argv[1:], env=dict(os.environ))
    async with Client(stdio_client(parameters)) as client:
        for _ in range(count):
            start = time.perf_counter()
            await client.call_tool("add", {"a": 1, "b": 2})
            times.append(time.perf_counter() - start)
    return times


def measure(argv: list[str], count: int) -> tuple[list[float], float]:
    """Return the seconds of calls, and the CPU time of all of it with the start and the end of the server."""
    before = cpu_seconds()
    times = asyncio.run(time_calls(argv, count))
    return times, cpu_seconds() - before


def main() -> None:
    bare = [sys.executable, "-c", SERVER]
    with tempfile.TemporaryDirectory() as folder:
        tapped = [sys.executable, "-m", "toolgrade", "tap", f"--log={Path(folder) / 'tap.jsonl'}", "--", "bench", *bare]
        times: dict[str, list[float]] = {"bare": [], "tapped": []}
        whole: dict[str, list[float]] = {"bare": [], "tapped": []}
        start: dict[str, list[float]] = {"bare": [], "tapped": []}
        for _ in range(ROUNDS):
            for name, argv in (("bare", bare), ("tapped", tapped)):
                measured, with_calls = measure(argv, CALLS)
                _, without = measure(argv, 1)
                times[name] += measured
                whole[name].append(with_calls)
                start[name].append(without)
    report("median latency", *(statistics.median(times[name]) for name in ("bare", "tapped")))
    report("CPU a call", *((min(whole[name]) - min(start[name])) / (CALLS - 1) for name in ("bare", "tapped")))


def report(what: str, bare: float, tapped: float) -> None:
    """Print a figure beside its aim."""
    share = tapped / bare - 1
    print(f"{what}: bare {bare * 1e6:,.0f} us, tapped {tapped * 1e6:,.0f} us: {share:+.1%} (aim: below {AIM:.0%})")


if __name__ == "__main__":
    main()
