"""`toolgrade plan`: canonical JSON on stdout, or errors on stderr."""

import json
from pathlib import Path

from tests.conftest import RunToolgrade

SUITE = "tests: [{name: t, tool_correctness: {expected_tools: [a]}}]\n"
REFORMATTED = "# a comment\ntests:\n  - tool_correctness:\n      expected_tools: ['a']\n    name: t\n"


def test_the_digest_does_not_move_with_the_layout(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    digests: set[str] = set()
    for text in (SUITE, REFORMATTED):
        (tmp_path / "s.yml").write_text(text, encoding="utf-8")
        done = run_toolgrade("plan", "s.yml")
        assert (done.code, done.stderr) == (0, "")
        digests.add(json.loads(done.stdout)["digest"])
    assert len(digests) == 1


def test_the_plan_names_its_schema_and_no_folder_of_this_machine(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "s.yml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    done = run_toolgrade("plan", tmp_path / "s.yml", cwd=tmp_path / "elsewhere")
    plan = json.loads(done.stdout)
    assert (done.code, plan["schema"]) == (0, "toolgrade.plan/1")
    assert plan["suites"][0]["file"] == "s.yml"
    assert str(tmp_path) not in done.stdout


def test_errors_go_to_stderr_and_no_plan_is_printed(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "s.yml").write_text("tests: [{nam: t}]\n", encoding="utf-8")
    done = run_toolgrade("plan", "s.yml")
    assert (done.code, done.stdout) == (2, "")
    assert "error[TG101]" in done.stderr
