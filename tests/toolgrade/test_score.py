"""`toolgrade score`: the forms a trace may have, which test it belongs to, and the report that comes of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Finished, RunToolgrade

SUITE = """\
tests:
  - name: picks
    equal_function_sets:
      classes:
        - {name: search, members: [brave.search, google.search]}
        - {name: fetch, members: [http.get]}
"""
MATRIX = "tests: [{name: t, models: [small, large], tool_correctness: {expected_tools: [a]}}]\n"
HIT: dict[str, Any] = {"tool_calls": [{"server": "brave", "name": "search"}, {"server": "http", "name": "get"}]}
LINE, PRETTY = json.dumps(HIT), json.dumps(HIT, indent=2)


@pytest.fixture(autouse=True)
def suite(tmp_path: Path) -> None:
    (tmp_path / "s.yml").write_text(SUITE, encoding="utf-8")


def report(done: Finished) -> dict[str, Any]:
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "text", "runs"),
    [
        ("one.json", LINE, 1),
        ("one.json", PRETTY, 1),
        ("two.jsonl", f"{LINE}\n{LINE}\n", 2),
        ("two.ndjson", f"{LINE}\n{LINE}", 2),
        ("crlf.jsonl", f"{LINE}\r\n{LINE}\r\n", 2),
        ("blank.jsonl", f"\n{LINE}\n\n  \n{LINE}\n\n", 2),
        ("bom.jsonl", f"\ufeff{LINE}\n", 1),
        ("bom.json", f"\ufeff{PRETTY}\n", 1),
        ("no-suffix", f"{LINE}\n{LINE}\n", 2),
    ],
)
def test_a_file_of_runs_is_read(run_toolgrade: RunToolgrade, tmp_path: Path, name: str, text: str, runs: int) -> None:
    (tmp_path / name).write_bytes(text.encode())
    done = run_toolgrade("score", "s.yml", name, "--format", "json")
    assert done.code == 0
    assert report(done)["suites"][0]["tests"][0]["runs"] == runs


@pytest.mark.parametrize(("text", "runs"), [(f"{LINE}\n{LINE}\n", 2), (PRETTY, 1), (f"\ufeff{LINE}\n", 1)])
def test_stdin_is_lines_or_one_document(run_toolgrade: RunToolgrade, text: str, runs: int) -> None:
    done = run_toolgrade("score", "s.yml", "-", "--format", "json", stdin=text)
    assert done.code == 0
    assert report(done)["suites"][0]["tests"][0]["runs"] == runs


def test_several_files_are_added_up(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(PRETTY, encoding="utf-8")
    (tmp_path / "b.jsonl").write_text(f"{LINE}\n{LINE}\n", encoding="utf-8")
    done = run_toolgrade("score", "s.yml", "a.json", "b.jsonl", "--format", "json")
    assert report(done)["summary"]["selection"] == {
        "tp": 6,
        "fp": 0,
        "fn": 0,
        "precision": 100,
        "recall": 100,
        "f1": 100,
    }


def test_a_failed_gate_is_exit_code_one(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("score", "s.yml", "-", stdin='{"tool_calls": []}')
    assert (done.code, done.stderr) == (1, "")
    assert "missed search, fetch" in done.stdout


def test_arguments_and_statuses_are_read_and_can_be_asserted_on(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    text = 'tests: [{name: t, expect: [{"tool_calls[0].args.q": {exact: [1, null]}}]}]'
    (tmp_path / "e.yml").write_text(text, encoding="utf-8")
    run = {"tool_calls": [{"name": "a", "args": {"q": [1, None]}, "status": "error"}]}
    assert run_toolgrade("score", "e.yml", "-", stdin=json.dumps(run)).code == 0
    for args in (None, {}, {"q": 2}):
        done = run_toolgrade("score", "e.yml", "-", stdin=json.dumps({"tool_calls": [{"name": "a", "args": args}]}))
        assert (done.code, done.stderr) == (1, "")


def test_the_option_test_says_which_one_is_meant(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    tests = ", ".join(f"{{name: {name}, tool_correctness: {{expected_tools: [a]}}}}" for name in ("one", "two"))
    (tmp_path / "many.yml").write_text(f"tests: [{tests}]\n", encoding="utf-8")
    run = '{"tool_calls": [{"name": "a"}]}'
    done = run_toolgrade("score", "many.yml", "-", "--test", "two", "--format", "json", stdin=run)
    assert [(test["name"], test["status"]) for test in report(done)["suites"][0]["tests"]] == [("two", "passed")]
    unclear = run_toolgrade("score", "many.yml", "-", stdin=run)
    assert (unclear.code, unclear.stdout) == (2, "")
    assert "<stdin>:1: the suite has several tests" in unclear.stderr
    unknown = run_toolgrade("score", "many.yml", "-", "--test", "twoo", stdin=run)
    assert (unknown.code, unknown.stdout) == (2, "")
    assert unknown.stderr == "toolgrade: no test is named `twoo`\n  did you mean `two`?\n"


def test_the_model_of_a_run_chooses_its_cell(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "m.yml").write_text(MATRIX, encoding="utf-8")
    lines = '{"model": "large", "tool_calls": [{"name": "a"}]}\n{"model": "small", "tool_calls": []}\n'
    done = run_toolgrade("score", "m.yml", "-", "--format", "json", stdin=lines)
    tests = json.loads(done.stdout)["suites"][0]["tests"]
    assert [(test["model"], test["status"]) for test in tests] == [("small", "failed"), ("large", "passed")]
    for run in ('{"tool_calls": []}', '{"model": "huge", "tool_calls": []}'):
        unclear = run_toolgrade("score", "m.yml", "-", stdin=run)
        assert (unclear.code, unclear.stdout) == (2, "")
        assert "one of small, large" in unclear.stderr


def test_calls_are_hits_repeats_or_unexpected(run_toolgrade: RunToolgrade) -> None:
    calls = [("brave", "search", "ok"), ("google", "search", None), ("shell", "exec", "error")]
    run = {"tool_calls": [{"server": s, "name": n, **({"status": t} if t else {})} for s, n, t in calls]}
    done = run_toolgrade("score", "s.yml", "-", "--with-traces", "--format", "json", stdin=json.dumps(run))
    (trace,) = json.loads(done.stdout)["suites"][0]["tests"][0]["traces"]
    assert trace == {
        "run": 1,
        "tool_calls": [
            {"id": "brave.search", "status": "ok", "outcome": "hit", "class": "search"},
            {"id": "google.search", "outcome": "repeat", "class": "search"},
            {"id": "shell.exec", "status": "error", "outcome": "unexpected"},
        ],
    }
