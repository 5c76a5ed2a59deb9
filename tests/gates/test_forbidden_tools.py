"""The gate `forbidden_tools`: which calls it counts, and what it says of them."""

from typing import Any

import pytest

from toolgrade.compiler.compilation import compile_text
from toolgrade.gates.forbidden_tools import ForbiddenToolsBlock
from toolgrade.gates.gate import ScoringConditions, score_gate
from toolgrade.gates.gate_result import ForbiddenTool, GateResult
from toolgrade.gates.trace import Call, Trace


def score(block: Any, *runs: str) -> GateResult:
    """Score runs that are given as ids `server.tool`, or bare names."""
    gate = ForbiddenToolsBlock.model_validate(block).resolve()
    assert gate is not None
    traces = [Trace(tuple(_make_call(each) for each in run.split())) for run in runs]
    return score_gate(gate, traces, ScoringConditions("score"))


def _make_call(text: str) -> Call:
    server, _, name = text.rpartition(".")
    return Call(name, server or None)


@pytest.mark.parametrize(
    ("pattern", "call", "calls"),
    [
        ("docs.delete", "docs.delete", 1), ("docs.delete", "web.delete", 0), ("delete", "docs.delete", 1),
        ("delete", "delete", 1), ("docs.delete", "delete", 0), ("docs.*", "docs.delete", 1),
        ("docs.*", "docs2.delete", 0),
        ("docs.*", "docs.v2.delete", 0), ("docs.v2.*", "docs.v2.delete", 1), ("docs.*", "docs", 0),
    ],
)  # fmt: skip
def test_a_pattern_names_a_tool_a_bare_name_or_a_server(pattern: str, call: str, calls: int) -> None:
    result = score([pattern], call)
    assert dict(result.values or {}) == {"forbidden_tools.calls": calls}
    assert result.status == ("failed" if calls else "passed")


@pytest.mark.parametrize("status", ["error", "malformed", "unknown_tool", "refused"])
def test_a_call_counts_whatever_became_of_it(status: str) -> None:
    gate = ForbiddenToolsBlock.model_validate(["delete"]).resolve()
    assert gate is not None
    trace = Trace((Call("delete", status=status),))
    assert score_gate(gate, [trace], ScoringConditions("score")).status == "failed"


def test_the_verdict_names_tools_and_runs() -> None:
    result = score(["docs.*"], "docs.a docs.b docs.a", "web.a", "docs.b docs.b")
    assert result.forbidden_tools == (ForbiddenTool("docs.b", 3, (1, 3)), ForbiddenTool("docs.a", 2, (1,)))
    assert result.runs_passed == 1


def test_some_calls_may_be_let_pass() -> None:
    block = {"tools": ["docs.delete"], "expect": [{"forbidden_tools.calls": {"<=": 1}}]}
    assert score(block, "docs.delete", "docs.read").status == "passed"
    assert score(block, "docs.delete", "docs.delete").status == "failed"


AGENT = """
servers: {docs: {command: [docs]}}
agents:
  - {name: reader, servers: [docs], prompt: Read., forbidden_tools: [docs.delete]}
tests:
  - {name: reads, agent: reader, tool_correctness: {expected_tools: [docs.read]}}
  - {name: writes, agent: reader, forbidden_tools: [docs.read], tool_correctness: {expected_tools: [docs.write]}}
  - {name: is free, agent: reader, forbidden_tools: [], tool_correctness: {expected_tools: [docs.delete]}}
  - {name: does nothing wrong, agent: reader}
"""


def test_tests_inherit_it_from_their_agent_and_may_say_otherwise() -> None:
    compilation = compile_text(AGENT.encode())
    assert compilation.plan is not None, compilation.errors
    tests = {test.name: test for test in compilation.plan.suites[0].tests}
    assert {name: [gate.name for gate in test.gates] for name, test in tests.items()} == {
        "reads": ["tool_correctness", "forbidden_tools"],
        "writes": ["tool_correctness", "forbidden_tools"],
        "is free": ["tool_correctness"],
        "does nothing wrong": ["forbidden_tools"],
    }
