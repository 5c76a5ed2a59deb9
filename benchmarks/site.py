"""Measures how fast pages are written, against plain MkDocs, and the cost of one more commit on a large site."""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from toolgrade.compiler.compilation import SuiteSource, compile_sources
from toolgrade.foundations.canonical_json import to_json
from toolgrade.gates.trace import Call
from toolgrade.runners.scoring import score_traces
from toolgrade.runners.trace_file import RecordedRun, TraceFileEntry
from toolgrade.site.build import SiteOptions, build_site
from toolgrade.site.history.folder_history import FolderHistory
from toolgrade.site.report.report_model import make_report

TESTS = 1000
HISTORIES = (10, 100, 500)


def main() -> None:
    """Print the rates, the time of one more commit and the peak memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _against_mkdocs(folder)
        for commits in HISTORIES:
            _one_more(folder, commits, tests=100)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"peak memory {peak} MB")


def _against_mkdocs(folder: Path) -> None:
    """Compare one commit of a thousand tests with as many Markdown pages in MkDocs' default theme."""
    _write_report(folder / "one", 0, TESTS)
    with FolderHistory(folder / "one") as history:
        start = time.perf_counter()
        built = build_site(history, folder / "site")
        ours = time.perf_counter() - start
    docs = folder / "plain/docs"
    docs.mkdir(parents=True)
    for index in range(built.pages):
        text = f"# Test {index}\n\nSome words.\n\n| class | run 1 | run 2 |\n|---|---|---|\n| search | hit | missed |\n"
        (docs / (f"test{index}.md" if index else "index.md")).write_text(text, encoding="utf-8")
    plain: dict[str, Any] = {"site_name": "plain", "plugins": [], "theme": {"name": "mkdocs"}}
    (folder / "plain/mkdocs.yml").write_text(json.dumps(plain), encoding="utf-8")
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=folder / "plain", check=True)
    theirs = time.perf_counter() - start
    rates = [built.pages / seconds for seconds in (ours, theirs)]
    print(f"{built.pages:,} pages: {ours:.1f} s, {rates[0]:.0f} pages/s; plain MkDocs {theirs:.1f} s, "
          f"{rates[1]:.0f} pages/s; {theirs / ours:.1f} times as fast")  # fmt: skip


def _one_more(folder: Path, commits: int, tests: int) -> None:
    reports = folder / f"reports-{commits}"
    for index in range(commits):
        _write_report(reports, index, tests)
    out = folder / f"site-{commits}"
    with FolderHistory(reports) as history:
        build_site(history, out, SiteOptions(keep=5))
    _write_report(reports, commits, tests)
    with FolderHistory(reports) as history:
        start = time.perf_counter()
        built = build_site(history, out, SiteOptions(keep=5))
        seconds = time.perf_counter() - start
    print(f"one more commit of {tests} tests after {commits}: {seconds:.2f} s, {built.pages} pages")
    shutil.rmtree(out)


def _write_report(folder: Path, commit: int, tests: int) -> None:
    place = folder / f"commit{commit:05}"
    place.mkdir(parents=True)
    (place / "report.json").write_bytes(_report(commit, tests))
    (place / "run.json").write_text(json.dumps({"commit": f"{commit:040x}", "started": f"{commit:08}"}))


def _report(commit: int, tests: int) -> bytes:
    classes = [{"name": "search", "members": ["a.search", "b.search"]}, {"name": "fetch", "members": ["c.get"]}]
    suite: dict[str, Any] = {
        "suite": "wide",
        "servers": {"any": {"command": ["any"]}},
        "tests": [
            {"name": f"test-{index}", "prompt": "Find it", "model": "m", "servers": ["any"], "runs": 2,
             "equal_function_sets": {"classes": classes}}
            for index in range(tests)
        ],
    }  # fmt: skip
    plan = compile_sources([SuiteSource("suites/wide.yml", json.dumps(suite).encode())]).plan
    assert plan is not None
    results = score_traces(
        plan, [_run(index, run, commit) for index in range(tests) for run in range(2)], keep_traces=True
    )
    return to_json(make_report(plan, results, "replay"))


def _run(test: int, run: int, commit: int) -> TraceFileEntry:
    calls = [Call("search", "a"), Call("get", "c") if (test + run + commit) % 7 else Call("exec", "shell")]
    return TraceFileEntry("runs", 1, RecordedRun(tuple(calls), test=f"test-{test}"), None)


if __name__ == "__main__":
    main()
