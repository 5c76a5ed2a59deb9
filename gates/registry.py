"""The gates there are, one row each.

A row holds what the site, the reports and the compiler's help need to know without loading the gate: importing a
gate's module imports pydantic, and only the compiler and the scorer pay for that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from .gate import Gate
from .operators import Kind
from .run_targets import is_run_target


class TargetDescription(NamedTuple):
    """A target of a gate: the kind of its value, and the words that a report's page has for it."""

    kind: Kind
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class GateDescription:
    """A gate's row.

    `name` is its key in a test. `module` holds `BLOCK`, the pydantic model of what stands below that key.
    `tool_ids` are the places in the authored block where tool ids stand; `*` is every entry of a list.
    """

    name: str
    module: str
    targets: Mapping[str, TargetDescription] = field(default_factory=dict[str, TargetDescription])
    tool_ids: tuple[str, ...] = ()
    needs_live_run: bool = False
    """Whether the gate is scored only on a live run, from the measured tool surface."""
    judges_single_runs: bool = True
    """Whether a single run passes or fails the gate."""
    can_differ_by_model: bool = True
    """Whether a test may have the gate several times, each for other models."""
    is_inherited: bool = False
    """Whether a test takes the gate over from its agent. An agent that has no other gate is a definition, no test."""
    run_target_family: str = ""
    """What the gate's run targets (`pass_rate`, `pass^3`) have before the dot; empty if it has none."""

    @property
    def target_families(self) -> frozenset[str]:
        """Return what the gate's targets have before the dot."""
        return frozenset(target.partition(".")[0] for target in self.targets)

    def find_target(self, target: str) -> TargetDescription | None:
        """Return the description of a target, also of a run target; None if the gate has no such target."""
        family, _, word = target.partition(".")
        if self.run_target_family == family and is_run_target(word):
            return TargetDescription("percent", RUN_TARGET_LABELS.get(word, word))
        return self.targets.get(target)


RUN_TARGET_LABELS = {"pass_rate": "pass rate", "lower_95": "pass rate, lower bound"}


class GateBlock(Protocol):
    """A gate as authored. `resolve` returns None if the block asserts nothing."""

    def resolve(self) -> Gate | None: ...


FORBIDDEN_TOOLS = "forbidden_tools"
ALL_TOOLS = ".*"
"""What a pattern for all tools of a server ends with."""

GATES: dict[str, GateDescription] = {}
"""The gates of a test by their key, in the order in which they are scored and reported."""


def register_gate(gate: GateDescription) -> None:
    """Add a gate; suites that are compiled later may use it. Raise ValueError if its name is taken."""
    if gate.name in GATES:
        raise ValueError(f"a gate named `{gate.name}` is registered already")
    GATES[gate.name] = gate


def list_gates() -> tuple[GateDescription, ...]:
    """Return every gate, in the order in which they are scored and reported."""
    return tuple(GATES.values())


def load_gate_block(gate: GateDescription) -> type[Any]:
    """Return the pydantic model of a gate's block, whose instances are a `GateBlock`."""
    # Relative to this package for our own gates; the name of any module for one that is registered.
    return import_module(gate.module, __package__).BLOCK


def describe_target(target: str) -> TargetDescription | None:
    """Return the description of a gate's target; None for a target of the trace."""
    return next((found for gate in list_gates() if (found := gate.find_target(target)) is not None), None)


# The order of the rows is that of scoring and of every report.
for _gate in (
    GateDescription(
        "equal_function_sets",
        ".equal_function_sets",
        targets={
            "tool_selection.f1": TargetDescription("percent", "F1"),
            "tool_selection.precision": TargetDescription("percent", "precision"),
            "tool_selection.recall": TargetDescription("percent", "recall"),
        },
        tool_ids=("classes.*.members.*",),
        run_target_family="tool_selection",
    ),
    GateDescription(
        "token_efficiency",
        ".token_efficiency",
        targets={
            "token_efficiency.f1": TargetDescription("percent", "F1"),
            "token_efficiency.tool_surface_tokens": TargetDescription("number", "surface tokens"),
            "token_efficiency.correct_selections": TargetDescription("number", "correct selections"),
            "token_efficiency.cost": TargetDescription("number", "cost"),
            "token_efficiency.tokens_per_correct": TargetDescription("number", "tokens per correct"),
            "token_efficiency.cost_per_correct": TargetDescription("number", "cost per correct"),
        },
        tool_ids=("classes.*.members.*",),
        needs_live_run=True,
        judges_single_runs=False,
    ),
    GateDescription(
        "tool_correctness",
        ".tool_correctness",
        targets={"tool_correctness.score": TargetDescription("percent", "correctness")},
        tool_ids=("expected_tools.*",),
        run_target_family="tool_correctness",
    ),
    GateDescription(
        FORBIDDEN_TOOLS,
        ".forbidden_tools",
        targets={"forbidden_tools.calls": TargetDescription("number", "forbidden calls")},
        tool_ids=("*", "tools.*"),
        is_inherited=True,
    ),
    GateDescription("expect", ".expect", can_differ_by_model=False),
):
    register_gate(_gate)
