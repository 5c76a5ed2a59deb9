"""Gates for some models of a test: which cell gets which."""

from toolgrade.compiler.compilation import compile_text
from toolgrade.gates.trace import Call
from toolgrade.runners.cell_selection import iterate_cells
from toolgrade.runners.scoring import score_traces
from toolgrade.runners.trace_file import RecordedRun, TraceFileEntry

SUITE = b"""
tests:
  - name: finds it
    models: [small, large]
    equal_function_sets:
      - {models: [small], classes: [{name: search, members: [search]}], expect: [tool_selection.f1: {">=": 50}]}
      - {models: [large], classes: [{name: search, members: [search]}], expect: [tool_selection.f1: {"==": 100}]}
    tool_correctness: {models: [large], expected_tools: [search]}
    forbidden_tools:
      - {models: [small], tools: [shell]}
    expect: [tool_names: {contains: search}]
  - name: is the same for all
    models: [small, large]
    forbidden_tools: [shell]
"""
COMPILATION = compile_text(SUITE, "shop.yml")


def test_a_cell_has_the_gates_of_its_model() -> None:
    assert COMPILATION.plan is not None, COMPILATION.errors
    gates = {
        (cell.test.name, cell.cell.model): [gate.name for gate in cell.gates]
        for cell in iterate_cells(COMPILATION.plan)
    }
    assert gates == {
        ("finds it", "small"): ["equal_function_sets", "forbidden_tools", "expect"],
        ("finds it", "large"): ["equal_function_sets", "tool_correctness", "expect"],
        ("is the same for all", "small"): ["forbidden_tools"],
        ("is the same for all", "large"): ["forbidden_tools"],
    }


def test_a_strong_model_is_held_to_more_than_a_weak_one() -> None:
    assert COMPILATION.plan is not None
    calls = (Call("search"), Call("other"))
    runs = [RecordedRun(tool_calls=calls, test="finds it", model=model) for model in ("small", "large")]
    entries = [TraceFileEntry("run", number, run, None) for number, run in enumerate(runs, 1)]
    results = score_traces(COMPILATION.plan, entries, "finds it")
    assert [result.status for result in results] == ["passed", "failed"]


def test_without_models_the_plan_is_as_it_was() -> None:
    assert COMPILATION.plan is not None
    first, second = COMPILATION.plan.suites[0].tests
    assert [cell.gates for cell in first.cells] == [(0, 3, 4), (1, 2, 4)]
    assert [cell.gates for cell in second.cells] == [None, None]
