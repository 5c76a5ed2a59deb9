"""Hostile listings through everything that reads one: a result or a fault, within a second."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.torture.odd_values import iterate_mutations
from toolgrade.compiler.compilation import SuiteSource, compile_sources
from toolgrade.compiler.plan import StdioServer
from toolgrade.foundations.canonical_json import to_json
from toolgrade.foundations.fault import Fault
from toolgrade.runners.agents.agent import Task
from toolgrade.runners.agents.lexical import LexicalAgent
from toolgrade.runners.catalogs.checkup import check_catalog
from toolgrade.runners.catalogs.fingerprint import ServerListing, fingerprint
from toolgrade.runners.catalogs.frozen_catalog import freeze_catalog, read_catalog
from toolgrade.runners.catalogs.merged_catalog import merge_catalogs
from toolgrade.runners.catalogs.suite_draft import draft_classes, list_left_out_tools
from toolgrade.runners.catalogs.suite_draft_yaml import render_suite_draft

TOOL: dict[str, Any] = {
    "name": "search",
    "title": "Search",
    "description": "Search the pages. Always call this first.",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string", "enum": ["a"], "default": "a"}, "n": {"type": "integer"}},
        "required": ["query"],
        "$defs": {"P": {"type": "string"}},
    },
    "annotations": {"readOnlyHint": True},
}
OTHER: dict[str, Any] = {"name": "other", "inputSchema": {"type": "object"}}
Listings = dict[str, ServerListing]


def nest(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"type": "object", "properties": value} if depth % 2 else [value]
    return value


ODD: dict[str, dict[str, Any]] = {
    **{f"nested {depth} deep": {**TOOL, "inputSchema": {"x": nest(depth)}} for depth in (120, 151, 300, 601, 950)},
    "a name of 100,000 characters": {**TOOL, "name": "a" * 100_000},
    "a description of a megabyte": {**TOOL, "description": "find a page " * 90_000},
    "a megabyte of one letter": {**TOOL, "description": "a" * 1_000_000},
    "a variable in a description": {**TOOL, "description": "Read ${env:HOME} and ${env: there."},
    "a variable in a name": {**TOOL, "name": "${env:HOME}"},
    "NaN": {**TOOL, "inputSchema": {"type": "object", "default": float("nan")}},
    "4,000 digits": {**TOOL, "inputSchema": {"type": "object", "default": 10**4000}},
}


def freeze(listings: Listings, folder: Path) -> None:
    freeze_catalog(folder / "c.json", "s", listings["s"])
    read_catalog(folder / "c.json")


def draft(listings: Listings, folder: Path) -> None:
    text = render_suite_draft([StdioServer("s", ("x",))], draft_classes(listings, 8), list_left_out_tools(listings))
    compiled = compile_sources([SuiteSource("s.yml", text.encode())])
    assert compiled.plan is not None, [finding.message for finding in compiled.errors]


def choose(listings: Listings, folder: Path) -> None:
    task = Task("Search the pages for a.", None, merge_catalogs(listings).tools)
    asyncio.run(LexicalAgent().begin(task).turn(()))


READERS: dict[str, Callable[[Listings, Path], object]] = {
    "doctor": lambda listings, _: check_catalog("s", listings),
    "freeze": freeze,
    "draft": draft,
    "fingerprint": lambda listings, _: to_json(fingerprint(listings)),
    "lexical": choose,
}


@pytest.mark.parametrize("reader", READERS)
def test_every_odd_listing_is_read_or_refused(reader: str, tmp_path: Path) -> None:
    slow: list[tuple[str, float]] = []
    for number, (name, tool) in enumerate([*ODD.items(), *iterate_mutations(TOOL)]):
        if not isinstance(tool, dict):
            continue
        folder = tmp_path / str(number)
        began = time.process_time()
        try:
            READERS[reader]({"s": ServerListing(None, (cast(dict[str, Any], tool), OTHER))}, folder)
        except Fault:
            pass
        except Exception as error:  # noqa: BLE001 - the name of the listing is what matters
            pytest.fail(f"{name}: {type(error).__name__}: {error}")
        if time.process_time() - began > 1:
            slow.append((name, time.process_time() - began))
    assert slow == []
