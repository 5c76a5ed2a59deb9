"""The protocols of a gate: a resolved form that scores, and the tally that turns runs into a verdict."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from .expectation import Expectation
from .gate_result import AssertionResult, GateResult
from .target import ABSENT
from .tool_selection import ToolClass
from .trace import Trace

Mode = Literal["live", "replay", "score"]


class ScoringConditions(msgspec.Struct, frozen=True):
    """The origin of the traces. Only a live run measures the tool surface."""

    mode: Mode
    tool_surface_tokens: int | None = None


class NamedTool(NamedTuple):
    """A tool id that a gate names: `where` says in which part of the gate, for messages."""

    where: str
    id: str


class GateTally(Protocol):
    """Takes runs one by one; gives the verdict on all of them."""

    def add(self, trace: Trace) -> bool:
        """Count one run. Return whether it passes by itself; True if the gate does not judge single runs."""
        ...

    def compute_result(self) -> GateResult: ...


class Gate(Protocol):
    """A resolved gate, ready to score: a frozen struct, tagged in the plan with the gate's name."""

    @property
    def name(self) -> str: ...

    def begin(self, conditions: ScoringConditions) -> GateTally: ...

    def list_classes(self) -> tuple[ToolClass, ...] | None:
        """Return the classes by which calls are told apart, or None if the gate has none."""
        ...

    def list_tool_ids(self) -> Iterable[NamedTool]:
        """Return every tool id that the gate names."""
        ...


def score_gate(gate: Gate, traces: Iterable[Trace], conditions: ScoringConditions) -> GateResult:
    """Return the verdict of one gate on these runs."""
    tally = gate.begin(conditions)
    for trace in traces:
        tally.add(trace)
    return tally.compute_result()


def check_values(
    expect: Iterable[Expectation], values: Mapping[str, Any]
) -> tuple[Literal["passed", "failed"], tuple[AssertionResult, ...]]:
    """Return the result of every expectation on the gate's values, and whether all of them hold."""
    results = tuple(expectation.check_value(values.get(expectation.target, ABSENT)) for expectation in expect)
    held = all(result.status == "passed" for result in results)
    return ("passed" if held else "failed"), results


def list_class_members(classes: Iterable[ToolClass]) -> Iterable[NamedTool]:
    """Return the tool ids that classes name, with the class of each."""
    return (NamedTool(f"class `{each.name}`", member) for each in classes for member in each.members)
