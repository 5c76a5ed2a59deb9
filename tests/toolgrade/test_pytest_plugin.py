"""The pytest plugin, in a project of its own: off until suites are named, readable failures, scoring, recording."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Finished
from tests.recordings import SHOP, TOOLS, make_shop, write_suite

FAILING = SHOP.replace('">=": 40', '">=": 80')
PLAIN = "def test_plain():\n    pass\n"
IMPORTED = """
import sys
def test_plain():
    heavy = ("pydantic", "yaml", "msgspec", "toolgrade.api", "toolgrade.pytest_items")
    assert not [name for name in heavy if name in sys.modules]
"""
SCORING = """
import pytest
RUN = {"tool_calls": [{"server": "docs", "name": "search"}, {"server": "docs", "name": "fetch"}]}

def test_a_good_run(toolgrade_score):
    found = toolgrade_score("suites/shop.yml", RUN, test="reads the revenue back", model="m1")
    assert (found.status, found.model) == ("passed", "m1")

def test_a_bad_run(toolgrade_score):
    toolgrade_score("suites/shop.yml", [RUN, {"tool_calls": []}], test="reads the revenue back", model="m1")

def test_an_unknown_test(toolgrade_score):
    toolgrade_score("suites/shop.yml", RUN, test="reads the revenue bak")
"""
RECORDING = f"""
SECRET = "hunter2-hunter2"
TOOLS = {{"docs": {TOOLS!r}}}

def test_my_agent(toolgrade_recorder):
    recorder = toolgrade_recorder("suites/shop.yml", secrets=[SECRET])
    recorder.record("answers in words", tool_calls=[], tools=TOOLS, final_response=f"Ada {{SECRET}}")
"""


def run_pytest(folder: Path, *arguments: str) -> Finished:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    command = [sys.executable, "-W", "error", "-m", "pytest", "-p", "no:cacheprovider", "-ra", *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120)
    return Finished(done.returncode, done.stdout, done.stderr)


def test_it_is_off_and_imports_nothing_until_suites_are_named(tmp_path: Path) -> None:
    make_shop(tmp_path)
    (tmp_path / "test_it.py").write_text(IMPORTED, encoding="utf-8")
    done = run_pytest(tmp_path, "-p", "no:hypothesispytest")
    assert (done.code, "1 passed" in done.stdout) == (0, True), done.stdout


def test_each_test_and_model_is_an_item(tmp_path: Path) -> None:
    make_shop(tmp_path)
    (tmp_path / "test_it.py").write_text(PLAIN, encoding="utf-8")
    done = run_pytest(tmp_path, "--toolgrade", "suites", "--collect-only", "-q")
    assert done.stdout.splitlines()[:4] == [
        "suites/shop.yml::reads the revenue back[m1]",
        "suites/shop.yml::reads the revenue back[m2]",
        "suites/shop.yml::answers in words[m1]",
        "test_it.py::test_plain",
    ]
    assert run_pytest(tmp_path, "--toolgrade", "suites", "-n", "2").code == 0
    assert "3 passed" in run_pytest(tmp_path, "--toolgrade", "suites/shop.yml", "-k", "shop").stdout
    assert "2 passed" in run_pytest(tmp_path, "--toolgrade", "suites/shop.yml", "-k", "smoke").stdout


def test_a_setting_names_suites_for_the_whole_run_alone(tmp_path: Path) -> None:
    make_shop(tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_it.py").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\ntoolgrade_suites = suites\n", encoding="utf-8")
    assert "4 passed" in run_pytest(tmp_path).stdout
    assert "1 passed" in run_pytest(tmp_path, "tests/test_it.py").stdout
    assert "3 passed" in run_pytest(tmp_path, "suites").stdout
    (tmp_path / "other").mkdir()
    assert "3 passed" in run_pytest(tmp_path / "other", "../suites").stdout


def test_a_failure_reads_like_the_table(tmp_path: Path) -> None:
    make_shop(tmp_path, FAILING)
    done = run_pytest(tmp_path, "--toolgrade", "suites")
    assert done.code == 1
    assert (
        "missed fetch in 2 of 2 runs\nunexpected docs.list x2\ntool_selection.f1: 50 is not >= 80\n"
        "token_efficiency skipped: replay has no live tool surface\n\nsuites/shop.yml:10\n"
        "reproduce: toolgrade run --test='reads the revenue back' --models=m1 suites/shop.yml\n"
    ) in done.stdout
    assert "Traceback" not in done.stdout
    assert "pytest_items.py" not in done.stdout


def test_what_cannot_be_replayed_fails_and_what_does_not_compile_is_an_error(tmp_path: Path) -> None:
    write_suite(tmp_path)
    done = run_pytest(tmp_path, "--toolgrade", "suites", "--toolgrade-cassettes", "tapes")
    assert (done.code, "tapes/shop/answers-in-words" in done.stdout) == (1, True)
    assert "not recorded yet" in done.stdout
    assert "--cassettes=tapes" in done.stdout
    (tmp_path / "suites/shop.yml").write_text(SHOP.replace("prompt: Who", "promt: Who"), encoding="utf-8")
    done = run_pytest(tmp_path, "--toolgrade", "suites")
    assert (done.code, "error[TG101]: unknown key `promt`" in done.stdout) == (2, True)


def test_a_trace_is_scored_inside_a_test(tmp_path: Path) -> None:
    write_suite(tmp_path, FAILING)
    (tmp_path / "test_it.py").write_text(SCORING, encoding="utf-8")
    done = run_pytest(tmp_path)
    assert "2 failed, 1 passed" in done.stdout
    assert (
        "reads the revenue back\nflaky: 1 of 2 runs passed; search, fetch come and go\nmissed search in 1 of 2 runs"
        in done.stdout
    )
    assert "no test is named `reads the revenue bak`\ndid you mean `reads the revenue back`?" in done.stdout


def test_an_agent_of_ones_own_is_recorded_when_asked_for(tmp_path: Path) -> None:
    write_suite(tmp_path)
    (tmp_path / "test_it.py").write_text(RECORDING, encoding="utf-8")
    done = run_pytest(tmp_path)
    assert (done.code, "1 skipped" in done.stdout) == (0, True)
    assert "--toolgrade-record runs it" in done.stdout
    assert not (tmp_path / "cassettes").exists()
    assert run_pytest(tmp_path, "--toolgrade-record").code == 0
    (cassette,) = (tmp_path / "cassettes").rglob("*.run1.json")
    assert "hunter2" not in cassette.read_text(encoding="utf-8")
    assert "1 passed" in run_pytest(tmp_path, "--toolgrade", "suites", "-k", "answers").stdout


@pytest.mark.parametrize("suite", ["nowhere", "suites/nowhere.yml"])
def test_a_suite_that_is_not_there_is_bad_usage(tmp_path: Path, suite: str) -> None:
    (tmp_path / "test_it.py").write_text(PLAIN, encoding="utf-8")
    done = run_pytest(tmp_path, "--toolgrade", suite)
    assert (done.code, "file or directory not found" in done.stderr) == (4, True)
