"""From an authored suite to the plan: references followed, defaults filled, models expanded into cells."""

import pickle
from pathlib import Path

import pytest

from tests.compiler.corpus import VALID
from toolgrade.compiler.compilation import compile_text
from toolgrade.compiler.plan import DEFAULT_MAX_TURNS, HttpServer, Plan, PlannedTest, StdioServer
from toolgrade.gates.equal_function_sets import EqualFunctionSets
from toolgrade.gates.expect import Expect
from toolgrade.gates.expectation import Expectation
from toolgrade.gates.token_efficiency import TokenEfficiency
from toolgrade.gates.tool_correctness import ToolCorrectness

GATE = "tool_correctness: {expected_tools: [a]}"


def plan_of(text: str, file: str = "suite.yml") -> Plan:
    compilation = compile_text(text, file)
    assert compilation.plan is not None, compilation.diagnostics
    return compilation.plan


def only_test(text: str) -> PlannedTest:
    (test,) = plan_of(text).suites[0].tests
    return test


def test_what_is_left_out_is_filled_in() -> None:
    test = only_test(f"tests: [{{name: t, {GATE}}}]")
    assert (test.runs, test.max_turns, test.servers, test.tags) == (1, DEFAULT_MAX_TURNS, (), ())
    assert (test.agent, test.prompt, test.system_prompt) == (None, None, None)


def test_a_test_takes_from_its_agent_what_it_does_not_say_itself() -> None:
    agent = "{name: a, model: big, servers: [s], system_prompt: Be brief., prompt: Find it., max_turns: 3, runs: 2}"
    text = f"servers: {{s: {{command: [x]}}}}\nagents: [{agent}]\ntests: [{{name: t, agent: a, runs: 5, {GATE}}}]"
    test = only_test(text)
    assert [cell.model for cell in test.cells] == ["big"]
    assert (test.servers, test.system_prompt, test.prompt) == (("s",), "Be brief.", "Find it.")
    assert (test.max_turns, test.runs, test.agent) == (3, 5, "a")


@pytest.mark.parametrize(
    ("own", "models"), [("model: c", ["c"]), ("models: [c, d]", ["c", "d"]), ("runs: 1", ["a", "b"])]
)
def test_a_model_of_its_own_stands_for_all_of_the_agents_models(own: str, models: list[str]) -> None:
    text = f"agents: [{{name: x, models: [a, b]}}]\ntests: [{{name: t, agent: x, {own}, {GATE}}}]"
    assert [cell.model for cell in only_test(text).cells] == models


def test_an_agent_with_a_gate_is_a_test_and_one_without_is_not() -> None:
    text = f"agents: [{{name: one, {GATE}}}, {{name: two, model: m}}]\ntests: [{{name: three, agent: one, {GATE}}}]"
    assert [test.name for test in plan_of(text).suites[0].tests] == ["one", "three"]


def test_the_gates_of_an_agent_are_not_those_of_a_test() -> None:
    text = f"agents: [{{name: a, {GATE}}}]\ntests: [{{name: t, agent: a, expect: [{{turns: {{'>': 0}}}}]}}]"
    _, test = plan_of(text).suites[0].tests
    assert [gate.name for gate in test.gates] == ["expect"]


def test_there_is_a_cell_for_each_model_with_an_id_of_its_own() -> None:
    test = only_test(f"tests: [{{name: t, prompt: p, models: [small, large], {GATE}}}]")
    assert [cell.model for cell in test.cells] == ["small", "large"]
    assert all(cell.id.startswith(f"{test.id}/") for cell in test.cells)
    assert len({cell.id for cell in test.cells}) == 2


@pytest.mark.parametrize(
    ("keys", "model"), [("prompt: p,", "lexical"), ("", None), ("agent: nobody, prompt: p,", None)]
)
def test_without_a_model_the_lexical_agent_runs_what_can_be_run(keys: str, model: str | None) -> None:
    (cell,) = only_test(f"tests: [{{name: t, {keys} {GATE}}}]").cells
    assert cell.model == model


def test_default_gates_are_made_explicit() -> None:
    classes = "{classes: [{name: c, members: [a]}]}"
    gates = f"equal_function_sets: {classes}, token_efficiency: {classes}, {GATE}, expect: [{{turns: {{'<': 3}}}}]"
    selection, efficiency, correctness, plain = only_test(f"tests: [{{name: t, {gates}}}]").gates
    assert isinstance(selection, EqualFunctionSets)
    assert isinstance(efficiency, TokenEfficiency)
    assert isinstance(correctness, ToolCorrectness)
    assert isinstance(plain, Expect)
    assert selection.expect == (Expectation("tool_selection.f1", {">=": 50}),)
    assert efficiency.expect == (Expectation("token_efficiency.f1", {">=": 50}),)
    assert correctness.expect == (Expectation("tool_correctness.score", {">=": 50}),)


def test_a_threshold_is_the_percent_a_person_meant() -> None:
    (gate,) = only_test("tests: [{name: t, tool_correctness: {expected_tools: [a], threshold: 0.29}}]").gates
    assert isinstance(gate, ToolCorrectness)
    assert gate.expect == (Expectation("tool_correctness.score", {">=": 29}),)


def test_both_forms_of_an_expectation_are_one() -> None:
    short = "tests: [{name: t, expect: [{turns: {'<=': 3}}]}]"
    long = "tests: [{name: t, expect: [{target: turns, matcher: {'<=': 3}}]}]"
    assert plan_of(short) == plan_of(long)


def test_servers_come_by_name_and_keep_their_references() -> None:
    text = (
        f"servers:\n  b: {{url: 'http://h/${{env:X}}', headers: {{A: 'Bearer ${{env:T}}'}}}}\n"
        f"  a: {{command: [x, '${{env:X}}'], env: {{K: '${{env:X}}'}}}}\ntests: [{{name: t, {GATE}}}]"
    )
    assert plan_of(text).suites[0].servers == (
        StdioServer("a", ("x", "${env:X}"), {"K": "${env:X}"}),
        HttpServer("b", "http://h/${env:X}", {"A": "Bearer ${env:T}"}),
    )


@pytest.mark.parametrize("file", ["deep/research.yml", "research.yaml", "C:\\suites\\research.yml"])
def test_a_suite_without_a_name_has_that_of_its_file(file: str) -> None:
    assert plan_of(f"tests: [{{name: t, {GATE}}}]", file).suites[0].name == "research"


def test_how_long_a_live_run_is_counts_models_runs_and_turns() -> None:
    tests = f"[{{name: t, prompt: p, models: [a, b], runs: 3, max_turns: 5, {GATE}}}, {{name: u, {GATE}}}]"
    suite = plan_of(f"tests: {tests}").suites[0]
    assert (len(suite.tests), suite.models, suite.run_count, suite.call_bound) == (2, ("a", "b"), 7, 30)


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.name)
def test_a_plan_reaches_another_process_whole(file: Path) -> None:
    plan = plan_of(file.read_text(encoding="utf-8"))
    assert pickle.loads(pickle.dumps(plan)) == plan
