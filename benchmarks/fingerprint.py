"""Measures how fast tools are fingerprinted: ratios within one run."""

import json
from hashlib import sha256
from typing import Any

import rfc8785
from timing import best_of

from toolgrade.runners.catalogs.fingerprint import ServerListing, fingerprint

PARAMETERS = 5
Tools = list[dict[str, Any]]


def make_tools(count: int, *, key: str = "parameter", default: Any = 10) -> Tools:
    """Return ordinary tools of about 880 bytes each."""
    schemas = [make_schema(key, default, n) for n in range(count)]
    description = "Finds the records that match a query, newest first, and gives a page of them. " * 2
    return [
        {
            "name": f"search_records_{n}",
            "description": f"{description}Number {n}.",
            "inputSchema": schema,
            "annotations": {"readOnlyHint": True},
        }
        for n, schema in enumerate(schemas)
    ]


def make_schema(key: str, default: Any, n: int) -> dict[str, Any]:
    """Return an input schema with one required parameter."""
    properties = {
        f"{key}_{m}": {
            "type": "integer",
            "description": f"What parameter {m} is for, in half a line.",
            "default": default,
        }
        for m in range(PARAMETERS)
    }
    return {"type": "object", "properties": properties, "required": [f"{key}_{n % PARAMETERS}"]}


def plain(tools: Tools) -> None:
    """Hash the tools as plain JSON, which is the least that a fingerprint costs."""
    for tool in tools:
        sha256(json.dumps(tool).encode()).hexdigest()


def by_package(tools: Tools) -> None:
    """Hash the tools as the package rfc8785 writes them."""
    for tool in tools:
        sha256(rfc8785.dumps(tool)).hexdigest()


def ours(tools: Tools) -> None:
    """Fingerprint the tools."""
    fingerprint({"server": ServerListing("1.0", tools)})


def measure(title: str, tools: Tools, times: int = 5) -> float:
    """Print and return the least time, with its ratio to plain JSON."""
    seconds, base = best_of(times, lambda: ours(tools)), best_of(times, lambda: plain(tools))
    print(f"  {seconds:.3f} s  ratio {seconds / base:.2f}  {title}")
    return seconds


if __name__ == "__main__":
    catalog = make_tools(10_000)
    size = len(json.dumps(catalog))
    print(f"fingerprint, 10,000 tools ({size:,} bytes); ratios to json.dumps and sha256 of the same tools")
    measure("ordinary tools (aim: below 1 s)", catalog)
    measure("each with a float that JSON writes otherwise than Python", make_tools(10_000, default=1.0))
    measure("each with keys outside the BMP", make_tools(10_000, key="\N{SNAKE}"))
    base = best_of(3, lambda: plain(catalog))
    package = best_of(3, lambda: by_package(catalog))
    print(f"  {package:.3f} s  ratio {package / base:.2f}  rfc8785 and sha256 of each whole tool")
    for count in (1_000, 10_000, 50_000):
        tools = make_tools(count)
        taken = best_of(2, lambda tools=tools: ours(tools))
        print(f"  {count:>6,} tools: {taken / count * 1e6:5.1f} µs a tool")
