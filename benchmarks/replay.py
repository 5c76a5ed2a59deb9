"""Measures how fast cassettes are replayed, against json.loads of the same files in one process."""

import json
import sys
import tempfile
from pathlib import Path

from timing import best_of

import toolgrade
from toolgrade.cassette import FinishedRun, Recorder, Redactor, fingerprint
from toolgrade.compiler.plan import Plan
from toolgrade.runners.cassettes.cassette import locate_cassette, seal_cassette
from toolgrade.runners.cassettes.recording import make_cassette
from toolgrade.runners.cell_selection import iterate_cells
from toolgrade.runners.engine import run_cells
from toolgrade.runners.replay import Replay
from toolgrade.site.report.report_model import make_report

RUNS, CALLS = 3, 5
TOOLS = [{"name": f"tool{number}"} for number in range(12)]
TEST = """\
  - name: test {number}
    prompt: What was the revenue in year {number}?
    model: m1
    servers: [docs]
    runs: {runs}
    equal_function_sets:
      classes: [{{name: search, members: [docs.tool0]}}, {{name: fetch, members: [docs.tool1, docs.tool2]}}]
"""


def make_plan(folder: Path, cells: int) -> Plan:
    """Return the plan of a suite with this many cells."""
    text = "".join(TEST.format(number=number, runs=RUNS) for number in range(cells))
    suite = folder / f"suite{cells}.yml"
    suite.write_text(f"servers:\n  docs: {{command: [docs-server]}}\ntests:\n{text}", encoding="utf-8")
    plan = toolgrade.compile_suites([str(suite)]).plan
    assert plan is not None
    return plan


def record(plan: Plan, root: Path) -> list[Path]:
    """Write the cassettes of all cells and return their paths.

    The Recorder writes one run with the lock file; the others are written directly, since recording is not measured.
    """
    calls = [
        {
            "server": "docs",
            "name": f"tool{number}",
            "args": {"query": "quarterly revenue", "limit": 10},
            "result": "x" * 200,
        }
        for number in range(CALLS)
    ]
    done = FinishedRun(tool_calls=calls, tools={"docs": TOOLS}, final_response="It was 12.")
    toolset = fingerprint(done.collect_listings())
    cells = list(iterate_cells(plan))
    Recorder(plan, root).record_run(cells[0], 1, done)
    files: list[Path] = []
    for planned in cells:
        for run in range(1, RUNS + 1):
            file = locate_cassette(root, planned, run)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(seal_cassette(make_cassette(planned, run, done, toolset, Redactor())))
            files.append(file)
    return files


def replay(plan: Plan, root: Path) -> None:
    """Replay all cells and make the report."""
    results = run_cells(list(iterate_cells(plan)), Replay(root))
    report = make_report(plan, results, "replay")
    assert report.summary.errors == 0
    toolgrade.to_json(report)


def load(files: list[Path]) -> None:
    """Read the same files with json.loads."""
    for file in files:
        json.loads(file.read_bytes())


def main(sizes: tuple[int, ...]) -> None:
    """Print the times for each number of cells and how they grow."""
    took: list[float] = []
    for cells in sizes:
        with tempfile.TemporaryDirectory() as name:
            plan, root = make_plan(Path(name), cells), Path(name, "cassettes")
            files = record(plan, root)
            ours, theirs = best_of(3, lambda: replay(plan, root)), best_of(3, lambda: load(files))  # noqa: B023
        took.append(ours)
        print(f"replay, {cells:,} cells of {RUNS} runs, {CALLS} calls each")
        print(f"  replay, score and report: {ours:.3f} s")
        print(f"  json.loads of the files:  {theirs:.3f} s; ratio {ours / theirs:.2f} (aim: 4)")
    if len(took) > 1:
        print(f"  growth from {sizes[0]:,} to {sizes[-1]:,} cells: {took[-1] / took[0]:.1f} times the time")


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]) or (1_000, 10_000))
