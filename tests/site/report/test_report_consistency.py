"""Reports that contradict themselves are refused; each figure of a real report is changed in turn."""

import json
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

import pytest

from tests.conftest import ROOT, RunToolgrade
from tests.torture.odd_values import Path, list_paths, replace_at
from toolgrade.foundations.fault import BadInput
from toolgrade.site.report.report_file import read_report
from toolgrade.site.report.report_model import ReportSummary

SELECTION = ROOT / "tests/golden/replay/selection/report.json"
CHECKED = {"grade", "f1", "precision", "recall", "tp", "fp", "fn", "status", "actual", "hit_runs", "score", "calls"}
SUMS = set(ReportSummary.__struct_fields__)


def _changed(value: Any) -> Any:
    """Another value that could stand there, too."""
    if isinstance(value, int):
        return value + 1
    return {"A": "B", "passed": "failed", "failed": "passed", "skipped": "passed"}.get(value, "A")


def _get_at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _contradictions(report: Any) -> Iterator[tuple[str, Any]]:
    for path in list_paths(report):
        name = str(path[-1]) if path else ""
        value = _get_at(report, path)
        is_figure = name.rpartition(".")[2] in CHECKED or (path[:1] == ("summary",) and name in SUMS)
        # What `expect` saw in a run, and in how many runs a tool was called, is not in the report a second time.
        is_alone = "expected_tools" in path or (name == "actual" and "values" not in _get_at(report, path[:-3]))
        if is_figure and not is_alone and "traces" not in path and isinstance(value, int | str):
            yield ".".join(map(str, path)), replace_at(report, path, _changed(value))


@pytest.mark.parametrize("file", [SELECTION, ROOT / "reports/live/report.json"], ids=["golden", "live"])
def test_every_figure_that_is_changed_is_found(file: FilePath) -> None:
    report = json.loads(file.read_bytes())
    read_report(file.read_bytes())
    report["suites"] = report["suites"][:1] if file == SELECTION else report["suites"]
    for suite in report["suites"]:
        for test in suite["tests"]:
            test.pop("traces", None)
    changed = list(_contradictions(report))[:: 1 if file == SELECTION else 31]
    assert len(changed) > 30
    accepted = [where for where, other in changed if not _is_refused(other)]
    assert accepted == []


def _is_refused(report: Any) -> bool:
    try:
        read_report(json.dumps(report).encode())
    except BadInput as error:
        return "contradicts itself" in str(error) or "not a report" in str(error)
    return False


def _only_gate(**fields: Any) -> Any:
    report = json.loads(SELECTION.read_bytes())
    gate = report["suites"][0]["tests"][0]["gates"][0]
    gate.update(fields)
    return report


@pytest.mark.parametrize(
    "matcher",
    [{"no such": 1}, {">=": "ten"}, {">=": None}, {"regex": "("}, {"schema": 5}, {"between": [1]}, {"==": []}],
)
def test_a_matcher_that_is_none_is_a_contradiction_and_no_crash(matcher: Any) -> None:
    assertion = {"target": "tool_selection.f1", "matcher": matcher, "actual": 100, "status": "passed"}
    assert _is_refused(_only_gate(assertions=[assertion]))


def test_a_status_that_its_assertions_do_not_give_is_named(run_toolgrade: RunToolgrade, tmp_path: FilePath) -> None:
    report = json.loads(SELECTION.read_bytes())
    test = report["suites"][0]["tests"][0]
    test["status"] = test["gates"][0]["status"] = "failed"
    (tmp_path / "report.json").write_text(json.dumps(report))
    done = run_toolgrade("diff", "report.json", SELECTION)
    assert done.code == 2
    assert "report.json: contradicts itself: " in done.stderr
    assert "the gate is said to have failed, and its assertions have not" in done.stderr


def test_a_floored_score_of_the_first_release_is_accepted() -> None:
    assertion = {
        "target": "tool_correctness.score",
        "matcher": {">=": 33.3},
        "actual": 33,
        "reason": "33 is not >= 33.3",
        "status": "failed",
    }
    report = json.loads(SELECTION.read_bytes())
    gate = {
        "gate": "tool_correctness",
        "status": "failed",
        "counts": {"matched": 1, "expected": 3},
        "values": {"tool_correctness.score": 33},
        "assertions": [assertion],
    }
    test = {"name": "t", "runs": 1, "status": "failed", "gates": [gate]}
    report["suites"] = [{"name": "s", "file": "s.yml", "tests": [test]}]
    report["summary"] = {"tests": 1, "passed": 0, "failed": 1, "errors": 0, "skipped": 0, "skipped_gates": 0}
    read_report(json.dumps(report).encode())
    gate["status"] = test["status"] = assertion["status"] = "passed"
    report["summary"] |= {"passed": 1, "failed": 0}
    read_report(json.dumps(report).encode())
    assertion["matcher"] = {">=": 34}
    assert _is_refused(report)
