"""Small suites and their cassettes, made by the real Recorder: what the tests of replay start from."""

import json
from pathlib import Path
from typing import Any

import toolgrade
from toolgrade.cassette import Recorder
from toolgrade.compiler.plan import Plan
from toolgrade.runners.cell_selection import iterate_cells

SHOP = """\
servers:
  docs: {command: [docs-server]}
tests:
  - name: reads the revenue back
    prompt: What was the revenue?
    models: [m1, m2]
    servers: [docs]
    runs: 2
    tags: [smoke]
    equal_function_sets:
      classes:
        - {name: search, members: [docs.search]}
        - {name: fetch, members: [docs.fetch]}
      expect:
        - tool_selection.f1: {">=": 40}
    token_efficiency:
      classes:
        - {name: search, members: [docs.search]}
  - name: answers in words
    prompt: Who wrote it?
    model: m1
    servers: [docs]
    tags: [slow]
    expect:
      - final_response: {contains: Ada}
"""
TOOLS: list[dict[str, Any]] = [{"name": "search", "inputSchema": {"type": "object"}}, {"name": "fetch"}]
CALLS: list[dict[str, Any]] = [
    {"server": "docs", "name": "search", "args": {"q": "revenue"}, "status": "ok", "result": "12"},
    {"server": "docs", "name": "list", "turn": 2},
]


def write_suite(folder: Path, text: str = SHOP) -> Plan:
    """A suite `shop` in the folder's `suites/`, compiled."""
    (folder / "suites").mkdir(parents=True, exist_ok=True)
    (folder / "suites/shop.yml").write_text(text, encoding="utf-8")
    return compiled(folder)


def compiled(folder: Path) -> Plan:
    plan = toolgrade.compile_suites([str(folder / "suites")]).plan
    assert plan is not None
    return plan


def record_all(folder: Path, plan: Plan, **fields: Any) -> list[Path]:
    """Every run of every cell, in the folder's `cassettes/`."""
    recorder = Recorder(plan, folder / "cassettes")
    run: dict[str, Any] = {"tools": {"docs": TOOLS}, "tool_calls": CALLS, "final_response": "Ada wrote it.", **fields}
    return [
        recorder.record(planned.test.name, model=planned.cell.model, run=number, **run)
        for planned in iterate_cells(plan)
        for number in range(1, planned.test.runs + 1)
    ]


def record_runs(folder: Path, root: Path) -> Plan:
    """The runs in a golden folder's runs.json, recorded below `root`."""
    plan = toolgrade.compile_suites(["suite.yml"]).plan
    assert plan is not None
    with Recorder(plan, root) as recorder:
        for run in json.loads((folder / "runs.json").read_bytes()):
            recorder.record(run.pop("test"), **run)
    return plan


def make_shop(folder: Path, text: str = SHOP) -> list[Path]:
    """A suite and its cassettes."""
    return record_all(folder, write_suite(folder, text))
