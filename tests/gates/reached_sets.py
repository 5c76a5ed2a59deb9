"""A gate that toolgrade does not have: `equal_function_sets` under another name, as a contributor would add it."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from pydantic import Field

from toolgrade.gates.block import Block
from toolgrade.gates.class_block import Classes, resolve_classes
from toolgrade.gates.expect_list import make_expect_list
from toolgrade.gates.expectation import Expectation
from toolgrade.gates.gate import NamedTool, ScoringConditions, check_values, list_class_members
from toolgrade.gates.gate_result import GateResult
from toolgrade.gates.grade import letter_grade
from toolgrade.gates.registry import GateDescription, TargetDescription
from toolgrade.gates.tool_selection import SelectionTally, ToolClass, find_missed_classes
from toolgrade.gates.trace import Trace

NAME = "reached_sets"
DEFAULT = (Expectation("reached_sets.f1", {">=": 50}),)


class ReachedSets(msgspec.Struct, frozen=True, tag=NAME, tag_field="gate"):
    """The resolved gate. No classes at all asserts that no tool is called."""

    classes: tuple[ToolClass, ...]
    expect: tuple[Expectation, ...] = DEFAULT

    @property
    def name(self) -> str:
        return NAME

    def begin(self, conditions: ScoringConditions) -> "ReachedSetsTally":
        return ReachedSetsTally(self)

    def list_classes(self) -> tuple[ToolClass, ...]:
        return self.classes

    def list_tool_ids(self) -> Iterable[NamedTool]:
        return list_class_members(self.classes)


class ReachedSetsBlock(Block):
    """Precision, recall and F1 over classes of interchangeable tools."""

    classes: Classes = Field(description="The classes to reach. An empty list asserts that no tool is called.")
    expect: Annotated[tuple[Expectation, ...], make_expect_list(NAME)] = Field(
        default=(), description="By default `reached_sets.f1 >= 50`."
    )

    def resolve(self) -> ReachedSets:
        return ReachedSets(resolve_classes(self.classes), self.expect or DEFAULT)


BLOCK = ReachedSetsBlock


class ReachedSetsTally:
    """Scores runs as they come."""

    def __init__(self, gate: ReachedSets) -> None:
        self._gate = gate
        self._selection = SelectionTally(gate.classes)

    def add(self, trace: Trace) -> bool:
        return self._selection.count_run(self._selection.add(trace)).f1 >= 50

    def compute_result(self) -> GateResult:
        counts, classes = self._selection.counts, self._selection.make_class_results()
        values = {
            "reached_sets.f1": counts.f1,
            "reached_sets.precision": counts.precision,
            "reached_sets.recall": counts.recall,
        }
        status, assertions = check_values(self._gate.expect, values)
        return GateResult(
            gate=NAME,
            status=status,
            grade=letter_grade(counts.f1),
            counts=msgspec.structs.asdict(counts),
            values={**values},
            classes=classes,
            missed_classes=find_missed_classes(classes),
            unexpected_tools=self._selection.list_unexpected_tools(),
            assertions=assertions,
        )


ROW = GateDescription(
    NAME,
    __name__,
    targets={
        "reached_sets.f1": TargetDescription("percent", "reached F1"),
        "reached_sets.precision": TargetDescription("percent", "reached precision"),
        "reached_sets.recall": TargetDescription("percent", "reached recall"),
    },
    tool_ids=("classes.*.members.*",),
)
