"""Measures the lexical agent on ETOM: 2,375 tools, 300 queries with a right tool, 30 without one."""

import json
import time
from pathlib import Path
from typing import Any

from toolgrade.runners.agents.agent import OfferedTool
from toolgrade.runners.agents.lexical import ToolIndex, choose_tools

ETOM = Path(__file__).parents[2] / "shared/data/etom"
Tool = tuple[str, str]


def load(name: str) -> Any:
    """Return one of the data set's files."""
    return json.loads((ETOM / f"{name}.json").read_text(encoding="utf-8"))


def catalog() -> ToolIndex:
    """Return the index of all tools."""
    listed = [(server["server_name"], tool) for server in load("registry")["servers"] for tool in server["tools"]]
    return ToolIndex(
        tuple(
            OfferedTool(f"t{n}", server, tool["tool_name"], tool.get("tool_description"), tool["input_schema"] or {})
            for n, (server, tool) in enumerate(listed)
        )
    )


def classes(query: dict[str, Any]) -> list[set[Tool]]:
    """Return the equal-function sets of a query; sets that overlap are merged."""
    merged: list[set[Tool]] = []
    for group in query["ground_truth_tools"]:
        new = {(tool["server_name"], tool["tool_name"]) for tool in group}
        apart = [one for one in merged if one.isdisjoint(new)]
        merged = [*apart, new.union(*(one for one in merged if one not in apart))]
    return merged


def calls(tools: ToolIndex, query: dict[str, Any]) -> list[Tool]:
    """Return the tools that the agent chooses."""
    return [(choice.tool.server, choice.tool.tool) for choice in choose_tools(tools, query["query"])]


def measure(tools: ToolIndex, level: str) -> None:
    """Print how often the first choice is right, F1 and the queries per second."""
    queries = load(level)
    start = time.perf_counter()
    made = [calls(tools, query) for query in queries]
    rate = len(queries) / (time.perf_counter() - start)
    right = [classes(query) for query in queries]
    first = sum(any(one[0] in group for group in sets) for one, sets in zip(made, right, strict=True) if one)
    tp = sum(not group.isdisjoint(one) for one, sets in zip(made, right, strict=True) for group in sets)
    fp = sum(all(call not in group for group in sets) for one, sets in zip(made, right, strict=True) for call in one)
    fn = sum(map(len, right)) - tp
    f1 = f"first choice right {first}, f1 {200 * tp // (2 * tp + fp + fn)}" if tp + fn else "no tool fits"
    print(f"  {level}: of {len(queries)} queries: {f1}, no call {made.count([])}; {rate:,.0f} queries a second")


if __name__ == "__main__":
    if ETOM.exists():
        start = time.perf_counter()
        tools = catalog()
        print(f"lexical, {len(tools.tools):,} tools indexed in {time.perf_counter() - start:.2f} s")
        for level in ("level_2", "level_4", "level_5"):
            measure(tools, level)
    else:
        print("lexical: skipped, the ETOM registry is not here")
