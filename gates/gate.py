"""What a gate is: a block of YAML, a resolved form of it, and a tally that turns runs into a verdict."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from .expectation import Expectation
from .gate_result import AssertionResult, GateResult
from .target import ABSENT
from .trace import Trace

Mode = Literal["live", "replay", "score"]


class ScoringConditions(msgspec.Struct, frozen=True):
    """How the traces came about: what a live run measured is known only there."""

    mode: Mode
    tool_surface_tokens: int | None = None


class GateTally(Protocol):
    """Takes runs one by one; gives the verdict on all of them."""

    def add(self, trace: Trace) -> None: ...

    def compute_result(self) -> GateResult: ...


class Gate(Protocol):
    """A resolved gate, ready to score."""

    def begin(self, conditions: ScoringConditions) -> GateTally: ...


def score_gate(gate: Gate, traces: Iterable[Trace], conditions: ScoringConditions) -> GateResult:
    """The verdict of one gate on these runs."""
    tally = gate.begin(conditions)
    for trace in traces:
        tally.add(trace)
    return tally.compute_result()


def check_values(
    expect: Iterable[Expectation], values: Mapping[str, Any]
) -> tuple[Literal["passed", "failed"], tuple[AssertionResult, ...]]:
    """Every expectation on the gate's values, and whether all hold."""
    results = tuple(expectation.check_value(values.get(expectation.target, ABSENT)) for expectation in expect)
    held = all(result.status == "passed" for result in results)
    return ("passed" if held else "failed"), results
