"""Runs with drivers as whole commands: several cells at once, missing recordings, interruptions, and the forecast."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, RunToolgrade
from tests.rogues import ROGUE, started_by_us

AGENT = ROOT / "tests" / "programs" / "agent.py"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Three tests of one program; the second fails to run."""
    tests = "".join(
        f"""\
  - name: test {number}
    driver:
      command: [{sys.executable}, {AGENT}, "{{mcp_config}}", {behaviour}, --, "{{prompt}}"]
      trace: toolgrade
      env: {{ROGUE_OF: "{os.getpid()}"}}
    servers: [docs]
    prompt: docs.echo
    equal_function_sets: {{classes: [{{name: echo, members: [docs.echo]}}]}}
"""
        for number, behaviour in ((1, "plain"), (2, "fails"), (3, "plain"))
    )
    server = f"{{command: [{sys.executable}, {ROGUE}], env: {{ROGUE_OF: '{os.getpid()}'}}}}"
    file = tmp_path / "suite.yml"
    file.write_text(f"suite: s\nservers: {{docs: {server}}}\ntests:\n{tests}")
    return file


def test_cells_run_at_once_and_only_what_is_missing_runs_again(suite: Path, run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("run", suite, "--mode", "live", "-j", "3")
    assert started_by_us() == []
    assert done.code == 3
    assert "ended with code 1" in done.stdout + done.stderr
    assert "no licence found" in done.stdout + done.stderr
    suite.write_text(suite.read_text().replace("fails", "plain"))
    again = run_toolgrade("run", suite, "--mode", "live", "--only-missing")
    assert again.code == 0
    assert again.stderr.count(": starting ") == 2  # the program, and its server
    assert run_toolgrade("run", suite).code == 0


def test_an_interrupted_run_goes_on_with_what_is_not_finished(suite: Path, run_toolgrade: RunToolgrade) -> None:
    assert run_toolgrade("run", suite, "--mode", "live", "--test", "test 2").code == 3
    run_toolgrade("run", suite, "--mode", "live")
    suite.write_text(suite.read_text().replace("fails", "plain"))
    assert run_toolgrade("run", suite, "--mode", "live", "--resume").code == 0


def test_a_change_of_the_program_makes_recordings_stale(suite: Path, run_toolgrade: RunToolgrade) -> None:
    run_toolgrade("run", suite, "--mode", "live", "--test", "test 1")
    assert run_toolgrade("run", suite, "--test", "test 1").code == 0
    suite.write_text(
        suite.read_text().replace("      trace: toolgrade", "      trace: toolgrade\n      timeout_s: 100")
    )
    assert run_toolgrade("run", suite, "--test", "test 1").code == 0
    suite.write_text(suite.read_text().replace("plain", "other"))
    stale = run_toolgrade("run", suite, "--test", "test 1")
    assert stale.code == 4
    assert "recorded before a change of program" in stale.stdout + stale.stderr


def test_a_dry_run_says_who_pays_and_starts_no_program(suite: Path, run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("run", suite, "--mode", "live", "--dry-run", "--test", "test 1")
    assert done.code == 0
    assert "the program's own login pays" in done.stdout
    assert "agent.py" not in done.stderr


def test_meta_holds_what_varies_and_the_cassette_the_program(suite: Path, run_toolgrade: RunToolgrade) -> None:
    run_toolgrade("run", suite, "--mode", "live", "--test", "test 1")
    files = {
        path.name.partition(".")[2]: json.loads(path.read_text()) for path in suite.parent.glob("cassettes/s/*/*.json")
    }
    assert files["run1.meta.json"]["duration_s"] > 0
    shape = files["run1.json"]["key"]["shape"]
    assert (shape["driver"], shape["program"]["kind"]) == ("program", "command")


def test_what_a_command_would_not_hear_of_is_an_error(suite: Path, run_toolgrade: RunToolgrade) -> None:
    suite.write_text(
        suite.read_text().replace("    servers: [docs]\n", "    servers: [docs]\n    system_prompt: Be brief.\n")
    )
    done = run_toolgrade("run", suite, "--mode", "live")
    assert done.code == 2
    assert "`system_prompt` of `test 1` does not reach the driver `command:" in done.stderr
