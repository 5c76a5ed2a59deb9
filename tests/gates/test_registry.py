"""A gate is one file and one row: a gate of a test's own is everywhere that the gates of toolgrade are."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.gates.reached_sets import NAME, ROW
from tests.recordings import SHOP, make_shop
from toolgrade.cli import run_command_line
from toolgrade.compiler.compilation import compile_text
from toolgrade.compiler.schema import build_json_schema
from toolgrade.gates.registry import GATES, GateDescription, describe_target, list_gates, register_gate
from toolgrade.site.report.report_file import read_report
from toolgrade.site.report.reproduce_command import format_cell_command

SUITE = SHOP.replace("equal_function_sets", NAME).replace("tool_selection.f1", f"{NAME}.f1").replace("40", "80")
Command = Callable[..., tuple[int, str]]


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch) -> GateDescription:
    """The gate, registered for one test."""
    for gate in list_gates():
        monkeypatch.setitem(GATES, gate.name, gate)
    monkeypatch.setitem(GATES, NAME, ROW)
    return ROW


@pytest.fixture
def command(
    row: GateDescription, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """A command in this process, where the gate is registered, below a folder with recordings of the suite."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    make_shop(tmp_path, SUITE)

    def run(*arguments: str) -> tuple[int, str]:
        code = run_command_line(arguments)
        return code, capsys.readouterr().out

    return run


def test_a_gate_is_registered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(GATES, NAME, raising=False)
    register_gate(ROW)
    with pytest.raises(ValueError, match="a gate named `reached_sets` is registered already"):
        register_gate(ROW)
    assert list_gates()[-1] is ROW
    del GATES[NAME]


def test_every_target_has_a_label_and_one_owner() -> None:
    targets = [target for gate in list_gates() for target in gate.targets]
    assert len(targets) == len(set(targets))
    assert all(described.label for target in targets if (described := describe_target(target)))
    assert describe_target("turns") is None


def test_the_table_has_grade_and_percents(command: Command) -> None:
    code, table = command("run")
    assert code == 1
    assert "  F     50   50   50  failed   reads the revenue back · m1" in table
    assert "missed fetch in 2 of 2 runs" in table
    assert "unexpected docs.list" in table
    assert f"{NAME}.f1: 50 is not >= 80" in table
    assert "grade F, F1 50" in table


def test_the_report_has_a_grade_and_the_outcome_of_every_call(command: Command) -> None:
    _, text = command("run", "--format", "json")
    report = json.loads(text)
    suite = report["suites"][0]
    assert (report["summary"]["grade"], suite["grade"], suite["selection"]["f1"]) == ("F", "F", 50)
    calls = suite["tests"][0]["traces"][0]["tool_calls"]
    assert [(call["outcome"], call.get("class")) for call in calls] == [("hit", "search"), ("unexpected", None)]


def test_the_outputs_for_ci_know_it(command: Command, tmp_path: Path) -> None:
    command("run", "--junit", "junit.xml", "--markdown", "summary.md")
    junit, summary = ((tmp_path / name).read_text(encoding="utf-8") for name in ("junit.xml", "summary.md"))
    assert "missed fetch in 2 of 2 runs" in junit
    assert f"{NAME}.f1: 50 is not &gt;= 80" in junit
    assert "reproduce: toolgrade run --test='reads the revenue back' --models=m1 suites/shop.yml" in junit
    assert "grade `F`, F1 50" in summary


def test_the_pages_have_its_labels_and_its_classes(command: Command, tmp_path: Path) -> None:
    command("run")
    pages = build_pages(command, tmp_path)
    assert "reached F1 ≥ 80" in pages
    assert f"{NAME}.f1" not in pages
    assert "fetch" in pages


def build_pages(command: Command, folder: Path) -> str:
    commit = folder / "history/one"
    commit.mkdir(parents=True)
    (folder / "reports/replay/report.json").rename(commit / "report.json")
    code, _ = command("site", "build", "--reports", "history", "--out", "pages")
    assert code == 0
    return "".join(page.read_text(encoding="utf-8") for page in sorted((folder / "pages").rglob("*.html")))


def test_the_schema_has_its_block(row: GateDescription) -> None:
    assert NAME in json.dumps(build_json_schema())


def test_the_schema_has_no_gate_that_is_not_registered() -> None:
    assert NAME not in json.dumps(build_json_schema())


@pytest.mark.parametrize(
    ("test", "code", "help_"),
    [
        ("reached_set: {classes: []}", "TG101", "did you mean `reached_sets`?"),
        (
            "reached_sets: {classes: [], expect: [reached_sets.f2: {'>=': 1}]}",
            "TG104",
            "did you mean `reached_sets.f1`?",
        ),
        (
            "expect: [reached_sets.f1: {'>=': 1}]",
            "TG104",
            "a target of `reached_sets` belongs in the `expect` of that gate",
        ),
        ("reached_sets: {classes: [], expect: [reached_sets.f1: {'>=': 101}]}", "TG107", None),
        (
            "agent: nobody",
            "TG202",
            "add one of equal_function_sets, token_efficiency, tool_correctness, forbidden_tools, expect, reached_sets",
        ),
    ],
)
def test_mistakes_in_it_are_explained(row: GateDescription, test: str, code: str, help_: str | None) -> None:
    found = {each.code: each.help for each in compile_text(f"tests: [{{name: t, {test}}}]").diagnostics}
    assert found[code] == help_


def test_the_ids_it_names_are_checked(row: GateDescription) -> None:
    classes = "[{name: a, members: [docs.x]}, {name: b, members: [docs.x, dosc.y]}]"
    servers = "servers: {docs: {command: [d]}}"
    test = f"{{name: t, prompt: p, servers: [docs], {NAME}: {{classes: {classes}}}}}"
    suite = f"{servers}\ntests: [{test}]"
    found = [each.code for each in compile_text(suite).diagnostics]
    assert found == ["TG220", "TG221"]


@pytest.mark.parametrize(("needs_live_run", "option"), [(True, "--mode=live "), (False, "")])
def test_a_failure_that_only_a_live_run_shows_is_reproduced_live(
    command: Command, monkeypatch: pytest.MonkeyPatch, needs_live_run: bool, option: str
) -> None:
    _, text = command("run", "--format", "json")
    test = read_report(text.encode()).suites[0].tests[0]
    monkeypatch.setitem(GATES, NAME, replace(ROW, needs_live_run=needs_live_run))
    shown = format_cell_command("suites/shop.yml", test, "live", {})
    assert shown == f"toolgrade run {option}--test='reads the revenue back' --models=m1 suites/shop.yml"


def test_the_plan_holds_it_under_its_name(row: GateDescription) -> None:
    plan = compile_text(f"tests: [{{name: t, {NAME}: {{classes: []}}}}]").plan
    assert plan is not None
    document: Any = msgspec.to_builtins(plan.to_document())
    assert document["suites"][0]["tests"][0]["gates"][0]["gate"] == NAME
