"""The report: what is counted, what is left out, and the same bytes everywhere."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from tests.conftest import Golden, RunToolgrade
from toolgrade.foundations.canonical_json import to_json
from toolgrade.site.report.report_file import read_report

CASES = Path(__file__).parents[2] / "golden" / "score"
CLASSES = "{classes: [{name: s, members: [a]}, {name: f, members: [b]}]}"


def score(run: RunToolgrade, folder: Path, suite: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    (folder / "s.yml").write_text(suite, encoding="utf-8")
    lines = "".join(json.dumps(line) + "\n" for line in runs)
    done = run("score", "s.yml", "-", "--format", "json", stdin=lines)
    assert (done.code in (0, 1), done.stderr) == (True, "")
    return json.loads(done.stdout)


def calls(test: str, *names: str) -> dict[str, Any]:
    return {"test": test, "tool_calls": [{"name": name} for name in names]}


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_golden_scorecards_and_reports(run_toolgrade: RunToolgrade, golden: Golden, tmp_path: Path, case: str) -> None:
    shutil.copytree(CASES / case, tmp_path / case)
    command = ("score", "suite.yml", "runs.jsonl", "--format")
    as_json, as_text = (run_toolgrade(*command, style, cwd=tmp_path / case) for style in ("json", "text"))
    has_failed = json.loads(as_json.stdout)["summary"]["failed"] > 0
    for done, name in ((as_json, "expected.json"), (as_text, "expected.txt")):
        assert (done.code, done.stderr) == (int(has_failed), "")
        golden(done.stdout, CASES / case / name)


def test_a_test_without_a_trace_is_skipped_and_not_passed(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    suite = f"tests: [{{name: one, equal_function_sets: {CLASSES}}}, {{name: two, equal_function_sets: {CLASSES}}}]"
    report = score(run_toolgrade, tmp_path, suite, [calls("one", "a", "b")])
    two = report["suites"][0]["tests"][1]
    skipped = {"gate": "equal_function_sets", "status": "skipped", "reason": "no trace was given for this test"}
    assert (two["status"], two["runs"], two["gates"]) == ("skipped", 0, [skipped])
    counts = {
        key: report["summary"][key] for key in ("tests", "passed", "failed", "errors", "skipped", "skipped_gates")
    }
    assert counts == {"tests": 2, "passed": 1, "failed": 0, "errors": 0, "skipped": 1, "skipped_gates": 1}


def test_a_suite_of_efficiency_alone_is_skipped_and_has_no_grade(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    suite = f"tests: [{{name: one, token_efficiency: {CLASSES}}}]"
    report = score(run_toolgrade, tmp_path, suite, [calls("one", "a")])
    (test,) = report["suites"][0]["tests"]
    assert test["status"] == "skipped"
    assert test["gates"][0]["reason"] == "a recorded trace has no live tool surface"
    for part in (report["summary"], report["suites"][0]):
        assert "grade" not in part
        assert "selection" not in part


def test_grades_come_from_pooled_counts_not_from_the_mean(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    suite = f"tests: [{{name: one, equal_function_sets: {CLASSES}}}, {{name: two, equal_function_sets: {CLASSES}}}]"
    runs = [*[calls("one", "a", "b")] * 9, calls("two")]
    report = score(run_toolgrade, tmp_path, suite, runs)
    assert [test["gates"][0]["grade"] for test in report["suites"][0]["tests"]] == ["A", "F"]
    pooled = {"tp": 18, "fp": 0, "fn": 2, "precision": 100, "recall": 90, "f1": 94}
    # The mean of 100 and 0 would be an F.
    assert (report["summary"]["selection"], report["summary"]["grade"]) == (pooled, "A")
    assert report["suites"][0]["selection"] == pooled


def test_the_report_is_the_same_bytes_everywhere(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    outputs: set[str] = set()
    places = [("0", "UTC", "C"), ("1", "Asia/Tokyo", "tr_TR.UTF-8"), ("2", "UTC", "tr_TR.UTF-8"), ("3", "UTC", "C")]
    for number, (seed, zone, locale) in enumerate(places):
        folder = tmp_path / f"place {number % 2}"
        shutil.copytree(CASES / "several-tests", folder, dirs_exist_ok=True)
        env = {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale, "PYTHONUTF8": "0" if number == 3 else "1"}
        command = ("score", "suite.yml", "runs.jsonl", "--format", "json", "--with-traces")
        outputs.add(run_toolgrade(*command, cwd=folder, env=env).stdout)
        whole = [str(folder / part) if "." in part else part for part in command]
        outputs.add(run_toolgrade(*whole, cwd=tmp_path / "place 0", env=env).stdout)
    (only,) = outputs
    assert str(tmp_path) not in only
    assert only.endswith("}\n")


def test_a_report_of_before_there_were_prompts_is_still_read() -> None:
    data = (CASES.parent / "report/before-prompts.json").read_bytes()
    report = read_report(data)
    assert (report.summary.tests, report.suites[0].tests[0].prompt) == (2, UNSET)
    assert to_json(report) == data


def test_a_report_shows_what_a_page_needs(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    calls = [{"name": "a", "args": {"z": 1, "token": "CANARY"}, "turn": 2, "status": "ok"}]
    run = {"tool_calls": calls, "final_response": "x" * 3_000, "turns": 3, "usage": {"input_tokens": 7}, "cost": "0.10"}
    suite = f"description: D\ntests: [{{name: one, prompt: P, model: m, servers: [], equal_function_sets: {CLASSES}}}]"
    (tmp_path / "s.yml").write_text(suite, encoding="utf-8")
    done = run_toolgrade("score", "s.yml", "-", "--format", "json", "--with-traces", stdin=json.dumps(run))
    (only,) = json.loads(done.stdout)["suites"]
    (test,) = only["tests"]
    assert (only["description"], test["prompt"], test["usage"], test["cost"]) == ("D", "P", {"input_tokens": 7}, "0.1")
    (trace,) = test["traces"]
    assert (trace["turns"], len(trace["final_response"])) == (3, len("x" * 2_000 + "… (cut: 3,000 characters)"))
    (call,) = trace["tool_calls"]
    assert call == {
        "id": "a", "status": "ok", "outcome": "hit", "class": "s", "turn": 2, "redacted": True,
        "args": {"token": "[redacted]", "z": 1},
    }  # fmt: skip
    assert to_json(read_report(done.stdout.encode())) == done.stdout.encode()


def test_names_that_would_steer_a_terminal_are_written_out(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    suite = {
        "tests": [{"name": "a\x1b[31m\nb", "equal_function_sets": {"classes": [{"name": "c\r", "members": ["m"]}]}}]
    }
    (tmp_path / "s.yml").write_text(json.dumps(suite), encoding="utf-8")
    run = {"tool_calls": [{"server": "s\x1b]0;x\x07", "name": "t\n2 tests: 2 passed\u202e"}]}
    done = run_toolgrade("score", "s.yml", "-", stdin=json.dumps(run))
    assert (done.code, done.stderr) == (1, "")
    assert not set(done.stdout) & set("\x1b\r\x07\u202e")
    assert "a\\u001b[31m\\nb" in done.stdout
    assert "missed c\\u000d" in done.stdout
    assert "unexpected s\\u001b]0;x\\u0007.t\\n2 tests: 2 passed\\u202e" in done.stdout
