"""Measures what a tap adds to a call of the bare SDK: median latency, and CPU time of all processes together."""

import asyncio
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

CALLS = 400
ROUNDS = 5
AIM = 0.10
SERVER = """\
from mcp.server import MCPServer
server = MCPServer("bench")
@server.tool()
def add(a: int, b: int) -> int:
    return a + b
server.run()
"""


def count_cpu_s() -> float:
    """Return the CPU time of this process and of those that it started and that have ended."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


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
    before = count_cpu_s()
    times = asyncio.run(time_calls(argv, count))
    return times, count_cpu_s() - before


def main() -> None:
    bare = [sys.executable, "-c", SERVER]
    with tempfile.TemporaryDirectory() as folder:
        tapped = [sys.executable, "-m", "toolgrade", "tap", f"--log={Path(folder) / 'tap.jsonl'}", "--", "bench", *bare]
        times: dict[str, list[float]] = {"bare": [], "tapped": []}
        cpu: dict[str, list[float]] = {"bare": [], "tapped": []}
        for _ in range(ROUNDS):
            for name, argv in (("bare", bare), ("tapped", tapped)):
                measured, with_calls = measure(argv, CALLS)
                _, without = measure(argv, 1)
                times[name] += measured
                cpu[name].append((with_calls - without) / (CALLS - 1))
    for what, values in (("median latency", times), ("CPU a call", cpu)):
        plain, added = (statistics.median(values[name]) for name in ("bare", "tapped"))
        share = added / plain - 1
        print(f"{what}: bare {plain * 1e6:,.0f} us, tapped {added * 1e6:,.0f} us: {share:+.1%} (aim: below {AIM:.0%})")


if __name__ == "__main__":
    main()
