"""Histories for the tests of the site: real suites and real scoring over calls that tell a story."""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import UnsetType

from toolgrade.compiler.compilation import SuiteSource, compile_sources
from toolgrade.foundations.canonical_json import to_json
from toolgrade.gates.gate import Mode, ScoringConditions
from toolgrade.gates.gate_result import GateResult
from toolgrade.gates.token_efficiency import TokenEfficiency
from toolgrade.runners.cell_result import CatalogSurface, CellResult, ServerSurface, ToolSurface
from toolgrade.runners.scoring import score_traces
from toolgrade.runners.trace_file import RecordedRun, TraceFileEntry
from toolgrade.site.report.report_model import Report, TestReport, make_report

MODEL = "claude-sonnet-4-5"


@dataclass(frozen=True)
class Told:
    """A test and the calls of each of its runs."""

    name: str
    classes: Mapping[str, Sequence[str]]
    runs: Sequence[Sequence[str]]
    prompt: str = "Do the usual"
    answer: str = "Revenue was $12.4M, up 8 percent."
    args: Any = field(default_factory=lambda: {"query": "Q3 revenue", "limit": 5})
    least: int = 80
    models: tuple[str, ...] = (MODEL,)


@dataclass(frozen=True)
class Chapter:
    """A suite at one commit."""

    suite: str
    tests: Sequence[Told]
    description: str = ""


def report_of(
    chapters: Sequence[Chapter], mode: Mode = "replay", surfaces: Mapping[str, Mapping[str, int]] | None = None
) -> Report:
    """The report on these tests, scored by the real gates; traces are in it. No two tests may share a name."""
    sources = [SuiteSource(f"suites/s{index}.yml", _yaml(chapter)) for index, chapter in enumerate(chapters)]
    compilation = compile_sources(sources)
    assert compilation.plan is not None, compilation.diagnostics
    tests = {test.name: test for chapter in chapters for test in chapter.tests}
    runs = [TraceFileEntry("runs.jsonl", 1, run, None) for test in tests.values() for run in _traces(test)]
    results = score_traces(compilation.plan, runs, keep_traces=True)
    if mode == "live":
        results = tuple(
            msgspec.structs.replace(r, gates=tuple(_live(tests[r.test.name], r, surfaces or {}))) for r in results
        )
    return make_report(compilation.plan, results, mode)


def with_surfaces(report: Report, surfaces: Mapping[str, Mapping[str, int]]) -> Report:
    """A live report: each test with what its catalog costs, by suite and server."""
    suites = tuple(
        msgspec.structs.replace(suite, tests=tuple(_with_surface(test, surfaces[suite.name]) for test in suite.tests))
        for suite in report.suites
    )
    return msgspec.structs.replace(report, suites=suites)


def git(folder: Path, *arguments: str, day: int = 1) -> str:
    """Run git with nothing of this machine in it."""
    date = f"2026-11-{day:02}T12:00:00+00:00"
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "maintainer"), ("EMAIL", "m@example.org"), ("DATE", date))},
    }  # fmt: skip
    done = subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit_reports(
    folder: Path, subject: str, replay: Report | bytes | None, live: Report | None = None, day: int = 1
) -> str:
    """Write and commit reports; gives the sha."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q", "-b", "main")
    for name, report in (("replay", replay), ("live", live)):
        if report is not None:
            path = folder / f"reports/{name}/report.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(report if isinstance(report, bytes) else to_json(report))
    git(folder, "add", "reports")
    git(folder, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", subject, day=day)
    return git(folder, "rev-parse", "HEAD")


def write_atlas(folder: Path, commits: int = 5) -> list[str]:
    """A repository with the story of atlas.yml; live reports came with its first commit and its last but one."""
    shas: list[str] = []
    surfaces = {name: suite["surface"] for name, suite in _ATLAS["suites"].items()}
    for index, commit in enumerate(_ATLAS["commits"][:commits]):
        chapters = atlas(index)
        live = with_surfaces(report_of(chapters, "live", surfaces), surfaces) if commit.get("is_live") else None
        shas.append(commit_reports(folder, commit["subject"], report_of(chapters), live, day=9 + 2 * index))
    return shas


def atlas(commit: int = 4) -> list[Chapter]:
    """The suites of atlas.yml as they stood at a commit."""
    calls: dict[str, list[list[str]]] = _ATLAS["commits"][commit]["calls"]
    return [
        Chapter(name, [_told(test, told, calls) for test, told in suite["tests"].items()], suite["description"])
        for name, suite in _ATLAS["suites"].items()
    ]


_ATLAS: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("atlas.yml").read_text(encoding="utf-8"))


def _told(name: str, told: dict[str, Any], calls: Mapping[str, list[list[str]]]) -> Told:
    classes: dict[str, list[str]] = told["classes"]
    usual = [members[0] for members in classes.values()]
    return Told(name, classes, calls.get(name, [usual] * 3), told["prompt"], least=70 if "hop" in name else 80)


def _with_surface(test: TestReport, servers: Mapping[str, int]) -> TestReport:
    rows = tuple(ServerSurface(name, 2, tokens) for name, tokens in servers.items())
    tools = tuple(ToolSurface(f"{name}.{tool}", tokens // 2) for name, tokens in servers.items() for tool in ("a", "b"))
    costs = [gate.values.get("token_efficiency.cost") for gate in test.gates if not isinstance(gate.values, UnsetType)]
    cost = next((str(cost) for cost in costs if cost is not None), "0.0738")
    return msgspec.structs.replace(test, surface=CatalogSurface(sum(servers.values()), rows, tools), cost=cost)


def _live(told: Told, result: CellResult, surfaces: Mapping[str, Mapping[str, int]]) -> Iterable[GateResult]:
    tokens = sum(surfaces.get(result.suite.name, {}).values()) or 890
    for planned, scored in zip(result.test.gates, result.gates, strict=True):
        if isinstance(planned, TokenEfficiency):
            tally = planned.begin(ScoringConditions("live", tokens))
            for run in _traces(told):
                tally.add(run)
            yield tally.compute_result()
        else:
            yield scored


def _traces(told: Told) -> Iterable[RecordedRun]:
    for model in told.models:
        for calls in told.runs:
            row = {
                "test": told.name,
                "model": model,
                "tool_calls": [_call(call, told) for call in calls],
                "final_response": told.answer,
                "turns": len(calls) + 1,
                "cost": "0.0246",
            }
            yield msgspec.json.decode(json.dumps(row), type=RecordedRun)


def _call(tool: str, told: Told) -> dict[str, Any]:
    server, _, name = tool.rpartition(".")
    return {"server": server or None, "name": name, "args": told.args, "status": "ok"}


def _yaml(chapter: Chapter) -> bytes:
    """JSON is YAML."""
    suite = {
        "suite": chapter.suite,
        "servers": {"any": {"command": ["any-server"]}},
        "tests": [_test(told) for told in chapter.tests],
        **({"description": chapter.description} if chapter.description else {}),
    }
    return json.dumps(suite).encode()


def _test(told: Told) -> dict[str, Any]:
    classes = [{"name": name, "members": list(members)} for name, members in told.classes.items()]
    expect = [{"tool_selection.f1": {">=": told.least}}]
    return {
        "name": told.name,
        "prompt": told.prompt,
        "models": list(told.models),
        "servers": ["any"],
        "runs": max(1, len(told.runs)),
        "equal_function_sets": {"classes": classes, "expect": expect},
        **({"token_efficiency": {"classes": classes}} if classes else {}),
    }
