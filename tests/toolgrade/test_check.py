"""`toolgrade check`: what is wrong on stdout, what was read on stderr."""

import json
import os
from pathlib import Path

import pytest

from tests.conftest import RunToolgrade

GOOD = "tests: [{name: t, tool_correctness: {expected_tools: [a]}}]\n"
BAD = "tests: [{nam: t, tool_correctness: {expected_tools: [a]}}]\n"


def write(folder: Path, **suites: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in suites.items():
        (folder / f"{name}.yml").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_has_a_summary_line_for_each_suite(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write(tmp_path / "suites", one=GOOD, two=GOOD)
    done = run_toolgrade("check", "suites")
    assert (done.code, done.stdout) == (0, "")
    lines = done.stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["suites/one.yml", "suites/two.yml", "no errors in 2 suites"]


def test_a_line_says_tests_models_runs_and_how_many_calls_a_live_run_makes(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    gate = "tool_correctness: {expected_tools: [a]}"
    server = "servers: {s: {command: [x]}}"
    live = f"{server}\ntests: [{{name: t, prompt: p, servers: [s], models: [a, b], runs: 3, max_turns: 5, {gate}}}]\n"
    write(tmp_path / "suites", live=live, scored=GOOD)
    lines = run_toolgrade("check").stderr.splitlines()
    assert lines[0] == "suites/live.yml: 1 test, 2 models, 6 runs; live, at most 30 model calls"
    assert lines[1] == "suites/scored.yml: 1 test, 1 run; scored only"


def test_suites_is_the_folder_where_none_is_named(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write(tmp_path / "suites", one=GOOD)
    assert run_toolgrade("check") == run_toolgrade("check", "suites")


def test_errors_go_to_stdout_at_their_line(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write(tmp_path, bad=BAD)
    done = run_toolgrade("check", "bad.yml")
    assert done.code == 2
    assert "error[TG101]: unknown key `nam`\n --> bad.yml:1:10\n" in done.stdout
    assert "did you mean `name`?" in done.stdout
    assert done.stderr.endswith(" in 1 suite\n")


def test_json_is_an_empty_list_where_nothing_is_wrong(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write(tmp_path, good=GOOD)
    done = run_toolgrade("check", "good.yml", "--format", "json")
    assert (done.code, json.loads(done.stdout)) == (0, [])


def test_json_is_nothing_but_json(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write(tmp_path, bad=BAD)
    done = run_toolgrade("check", "bad.yml", "--format", "json")
    found = json.loads(done.stdout)
    assert done.code == 2
    assert set(found[0]) == {"code", "severity", "message", "file", "line", "column", "help"}
    assert ("TG101", 1, 10) in [(row["code"], row["line"], row["column"]) for row in found]


def test_concise_is_a_line_for_each_finding(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write(tmp_path, bad=BAD)
    done = run_toolgrade("check", "bad.yml", "--format", "concise")
    assert done.code == 2
    assert "bad.yml:1:10: error[TG101] unknown key `nam`" in done.stdout.splitlines()


def test_a_missing_file_is_answered_with_the_nearest(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write(tmp_path, research=GOOD)
    done = run_toolgrade("check", "reserch.yml")
    expected = "toolgrade: reserch.yml: no such file or folder\n  did you mean `research.yml`?\n"
    assert (done.code, done.stdout, done.stderr) == (2, "", expected)


def test_an_empty_folder_is_refused(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run_toolgrade("check", "empty")
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("toolgrade: empty: no suite here")


@pytest.mark.parametrize("argument", ["pipe.yml", "."])
def test_a_fifo_is_refused_without_waiting_for_it(run_toolgrade: RunToolgrade, tmp_path: Path, argument: str) -> None:
    os.mkfifo(tmp_path / "pipe.yml")
    done = run_toolgrade("check", argument)
    assert (done.code, done.stdout, done.stderr) == (2, "", "toolgrade: pipe.yml: not a regular file\n")


def test_what_is_not_a_terminal_gets_no_colours(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write(tmp_path, bad=BAD)
    for env in ({"NO_COLOR": "1"}, {"NO_COLOR": "", "TERM": "xterm-256color"}):
        done = run_toolgrade("check", "bad.yml", env=env)
        assert "\x1b" not in done.stdout + done.stderr
