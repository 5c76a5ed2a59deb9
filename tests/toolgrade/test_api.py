"""The public Python API: every name is there, documented, loaded when used, and takes plain dicts."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolgrade

CLASSES = [{"name": "search", "members": ["brave.search", "google.search"]}, {"name": "fetch", "members": ["http.get"]}]
HIT = {"tool_calls": [{"server": "brave", "name": "search"}, {"server": "http", "name": "get", "args": {"url": "x"}}]}
MISS: dict[str, Any] = {"tool_calls": []}
SUITE = "tests: [{name: t, tool_correctness: {expected_tools: [a]}}]\n"


def test_the_public_names_are_the_ones_with_a_home() -> None:
    assert set(toolgrade.__all__) == set(toolgrade._HOMES)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("name", toolgrade.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(toolgrade, name).__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = toolgrade.nothing  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportAttributeAccessIssue]


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, toolgrade\n"
    code += "print([m for m in ('click', 'pydantic', 'yaml', 'msgspec', 'jsonschema_rs') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_selection_is_scored_from_plain_dicts() -> None:
    result = toolgrade.score_selection(CLASSES, [HIT, MISS], [{"tool_selection.f1": {">=": 60}}])
    assert (result.status, result.grade) == ("passed", "D")
    assert result.counts == {"tp": 2, "fp": 0, "fn": 2}


def test_a_trace_and_a_mapping_score_alike() -> None:
    trace = toolgrade.Trace((toolgrade.Call("search", "brave"), toolgrade.Call("get", "http")))
    assert toolgrade.score_selection(CLASSES, [trace]) == toolgrade.score_selection(CLASSES, [HIT])


def test_correctness_is_scored_in_any_of_its_ways() -> None:
    expected = ["http.get", "brave.search"]
    assert toolgrade.score_correctness(expected, [HIT]).values == {"tool_correctness.score": 100}
    assert toolgrade.score_correctness(expected, [HIT], check_ordering=True).values == {"tool_correctness.score": 50}
    assert toolgrade.score_correctness(expected, [HIT], exact_match=True).status == "passed"
    assert toolgrade.score_correctness(["http.get", "other"], [HIT], threshold=0.6).status == "failed"


def test_efficiency_is_scored_on_what_was_measured() -> None:
    result = toolgrade.score_efficiency(CLASSES, [HIT, HIT], tool_surface_tokens=1_000, cost="0.02")
    assert result.values == {
        "token_efficiency.f1": 100,
        "token_efficiency.tool_surface_tokens": 1_000,
        "token_efficiency.correct_selections": 4,
        "token_efficiency.tokens_per_correct": 250,
        "token_efficiency.cost": "0.02",
        "token_efficiency.cost_per_correct": "0.005",
    }


def test_plain_assertions_reach_into_arguments() -> None:
    expect = [{"tool_calls[1].args.url": {"exact": "x"}}]
    assert toolgrade.check_trace(expect, [HIT]).status == "passed"
    assert toolgrade.check_trace(expect, [HIT, MISS]).status == "failed"


def test_a_run_without_tool_calls_is_refused() -> None:
    with pytest.raises(ValueError, match="tool_calls"):
        toolgrade.score_selection(CLASSES, [{}])


def test_suites_are_compiled_scored_and_reported(tmp_path: Path) -> None:
    (tmp_path / "s.yml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "r.jsonl").write_text('{"tool_calls": [{"name": "a"}]}\n', encoding="utf-8")
    plan = toolgrade.compile_suites([str(tmp_path / "s.yml")]).plan
    assert plan is not None
    results = toolgrade.score_traces(plan, toolgrade.read_runs([str(tmp_path / "r.jsonl")]))
    report = toolgrade.make_report(plan, results, "score")
    assert json.loads(toolgrade.to_json(report))["summary"]["passed"] == 1
    with pytest.raises(toolgrade.Fault, match="no such file"):
        toolgrade.compile_suites([str(tmp_path / "nope.yml")])


def test_text_is_compiled_or_its_errors_are_given() -> None:
    good, bad = toolgrade.compile_text(SUITE), toolgrade.compile_text("tests: [{nam: t}]")
    assert isinstance(good.plan, toolgrade.Plan)
    assert good.diagnostics == ()
    assert bad.plan is None
    assert "TG101" in [diagnostic.code for diagnostic in bad.errors]
