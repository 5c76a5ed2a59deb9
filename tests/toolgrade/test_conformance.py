"""The examples that must hold, through the real command: one suite and one file of runs for all of them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.conftest import RunToolgrade

CONFORMANCE = Path(__file__).parent.parent / "conformance"


def load(name: str) -> list[dict[str, Any]]:
    return json.loads((CONFORMANCE / name).read_text(encoding="utf-8"))


def score(run: RunToolgrade, folder: Path, tests: list[Any], runs: list[Any]) -> list[dict[str, Any]]:
    """The tests of the report; JSON is YAML, so the suite needs no other writer."""
    (folder / "suite.yml").write_text(json.dumps({"tests": tests}), encoding="utf-8")
    (folder / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in runs), encoding="utf-8")
    done = run("score", "suite.yml", "runs.jsonl", "--format", "json")
    assert done.code in (0, 1), done.stderr
    return json.loads(done.stdout)["suites"][0]["tests"]


def test_every_selection_case_holds(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    cases = load("selection.json")
    tests = [{"name": case["why"], "equal_function_sets": {"classes": case["classes"]}} for case in cases]
    runs = [{"test": case["why"], **run} for case in cases for run in case["runs"]]
    reported = score(run_toolgrade, tmp_path, tests, runs)
    assert len(reported) == len(cases)
    for case, test in zip(cases, reported, strict=True):
        (gate,) = test["gates"]
        values = {key: gate["values"][f"tool_selection.{key}"] for key in ("precision", "recall", "f1")}
        missed = {entry["name"]: entry["runs"] for entry in gate["missed_classes"]}
        unexpected = {entry["tool"]: entry["calls"] for entry in gate["unexpected_tools"]}
        found = {**gate["counts"], **values, "grade": gate["grade"], "missed": missed, "unexpected": unexpected}
        assert (test["name"], found) == (case["why"], case["expected"])
        assert test["status"] == ("passed" if values["f1"] >= 50 else "failed")


def test_every_condition_case_holds(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    cases = load("conditions.json")
    tests = [{"name": case["why"], "equal_function_sets": {"classes": case["classes"]}} for case in cases]
    runs = [{"test": case["why"], **run} for case in cases for run in case["runs"]]
    for case, test in zip(cases, score(run_toolgrade, tmp_path, tests, runs), strict=True):
        (gate,) = test["gates"]
        values = {key: gate["values"][f"tool_selection.{key}"] for key in ("precision", "recall", "f1")}
        expected = case["expected"]
        assert {**gate["counts"], **values} == {key: expected[key] for key in (*gate["counts"], *values)}, case["why"]
        missed = Counter(name for names in expected["missed"] for name in names)
        assert {entry["name"]: entry["runs"] for entry in gate["missed_classes"]} == missed
        unexpected = [call for calls in expected["unexpected"] for call in calls]
        assert sum(entry["calls"] for entry in gate["unexpected_tools"]) == len(unexpected)
        reasons = Counter(call["reason"] for call in unexpected if call["reason"] != "no_class")
        told: Counter[str] = Counter()
        for each in gate["unexpected_tools"]:
            told.update(each.get("reasons", {}))
        assert told == reasons, case["why"]


def test_every_correctness_case_holds(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    cases = load("correctness.json")
    keys = ("expected_tools", "exact_match", "check_ordering")
    tests = [
        {"name": case["why"], "tool_correctness": {key: case[key] for key in keys if key in case}} for case in cases
    ]
    runs = [
        {"test": case["why"], "tool_calls": [{"name": name} for name in case["tools_called"]]} for case in cases
    ]  # fmt: skip
    reported = score(run_toolgrade, tmp_path, tests, runs)
    assert [(test["name"], test["gates"][0]["values"]["tool_correctness.score"]) for test in reported] == [
        (case["why"], case["score"]) for case in cases
    ]
