"""Targets in the `expect` of another gate: the message says where they belong."""

import pytest

from toolgrade.gates.expect_list import explain_gate_target
from toolgrade.gates.registry import list_gates
from toolgrade.gates.target import PLAIN


@pytest.mark.parametrize(("gate", "target"), [(gate.name, target) for gate in list_gates() for target in gate.targets])
def test_a_target_of_a_gate_is_sent_to_that_gate(gate: str, target: str) -> None:
    assert explain_gate_target(target) == f"a target of `{gate}` belongs in the `expect` of that gate"


@pytest.mark.parametrize("target", [*PLAIN, "tool_calls[0].name", "nothing"])
def test_a_target_of_the_trace_is_of_no_gate(target: str) -> None:
    assert explain_gate_target(target) is None
