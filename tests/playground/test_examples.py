"""The examples run as their pages say, live and from their cassettes, with what their pages show."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, RunToolgrade

EXAMPLES = ROOT / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/*.yml"))


@pytest.fixture
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of an example, without the reports of others."""
    copy = tmp_path / request.param
    shutil.copytree(EXAMPLES / request.param, copy, ignore=shutil.ignore_patterns("reports"))
    return copy


def report(place: Path, mode: str) -> dict[str, Any]:
    return json.loads((place / "reports" / mode / "report.json").read_text())


@pytest.mark.parametrize("place", NAMES, indirect=True)
def test_an_example_replays_from_its_cassettes(run_toolgrade: RunToolgrade, place: Path) -> None:
    done = run_toolgrade("run", f"{place.name}.yml", cwd=place)
    assert done.code == 0, done.stderr
    assert report(place, "replay")["summary"]["failed"] == 0


@pytest.mark.parametrize("place", NAMES, indirect=True)
def test_an_example_runs_live_and_records_the_same_again(run_toolgrade: RunToolgrade, place: Path) -> None:
    done = run_toolgrade("run", f"{place.name}.yml", "--mode", "live", "--record", cwd=place)
    assert done.code == 0, done.stderr
    summary = report(place, "live")["summary"]
    assert summary["passed"] == summary["tests"]
    for cassette in place.rglob("*.run*.json"):
        if not cassette.name.endswith(".meta.json"):
            assert cassette.read_bytes() == (EXAMPLES / place.name / cassette.relative_to(place)).read_bytes()


@pytest.mark.parametrize("place", ["efficiency"], indirect=True)
def test_the_page_on_efficiency_shows_the_figures_of_a_run(run_toolgrade: RunToolgrade, place: Path) -> None:
    run_toolgrade("run", "efficiency.yml", "--mode", "live", "--no-record", cwd=place)
    page = (place / "README.md").read_text()
    wide, trimmed = (test["gates"][0]["values"] for test in report(place, "live")["suites"][0]["tests"])
    for name in ("f1", "tool_surface_tokens", "tokens_per_correct"):
        target = f"token_efficiency.{name}"
        assert f"| `{target}` | {wide[target]} | {trimmed[target]} |" in page


@pytest.mark.parametrize("place", ["efficiency"], indirect=True)
def test_a_replay_that_can_score_nothing_asks_for_a_live_run(run_toolgrade: RunToolgrade, place: Path) -> None:
    done = run_toolgrade("run", "efficiency.yml", cwd=place)
    assert done.stderr.endswith("next: nothing here can be scored from a recording: add --mode live\n")


def test_the_suites_still_ask_what_the_conformance_suites_ask() -> None:
    for name in NAMES:
        asked = (ROOT / "tests/conformance" / f"{name}.yml").read_text()
        lines = {line.strip() for line in asked.splitlines() if "members" in line or "expected_tools" in line}
        assert lines
        assert lines <= {line.strip() for line in (EXAMPLES / name / f"{name}.yml").read_text().splitlines()}
