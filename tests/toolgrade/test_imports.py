"""Commands load what they use and nothing else: each is run in a process that then names the modules it has."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.recordings import make_shop
from tests.site.stories import write_atlas

PROGRAM = """
import json, sys
from toolgrade.cli import run_command_line
code = run_command_line(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""
SUITE_READERS = ("schema", "yaml_reader", "compilation", "plan_resolution", "suite_checks", "known_keys")
PAGES = ("toolgrade.site.pages", "toolgrade.site.build", "toolgrade.site.history", "jinja2", "mkdocs")


def loaded_by(folder: Path, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code in (0, 1), done.stderr
    return set(modules)


def reading_suites(modules: set[str]) -> set[str]:
    return modules & {"pydantic", "pydantic_core", *(f"toolgrade.compiler.{name}" for name in SUITE_READERS)}


def test_building_the_site_reads_no_suite(tmp_path: Path) -> None:
    """MkDocs itself imports yaml, so that its absence cannot be asserted; our reader of it is absent."""
    write_atlas(tmp_path, commits=1)
    modules = loaded_by(tmp_path, "site", "build")
    assert "toolgrade.site.pages.commit_pages" in modules
    assert reading_suites(modules) == set()


def test_comparing_reports_reads_no_suite_and_no_yaml(tmp_path: Path) -> None:
    write_atlas(tmp_path, commits=1)
    report = "reports/replay/report.json"
    modules = loaded_by(tmp_path, "diff", report, report)
    assert "toolgrade.site.report.comparison" in modules
    assert reading_suites(modules) | (modules & {"yaml", *PAGES}) == set()


def test_a_replay_does_not_pass_through_page_code(tmp_path: Path) -> None:
    make_shop(tmp_path)
    modules = loaded_by(tmp_path, "run")
    assert {"toolgrade.runners.replay", "pydantic", "yaml"} <= modules
    assert modules & set(PAGES) == set()
