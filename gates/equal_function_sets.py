"""The gate `equal_function_sets`: precision, recall and F1 over classes of interchangeable tools."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from pydantic import Field

from .block import Block
from .class_block import Classes, resolve_classes
from .expect_list import make_expect_list
from .expectation import Expectation
from .gate import NamedTool, ScoringConditions, check_values, list_class_members
from .gate_result import GateResult
from .grade import letter_grade
from .tool_selection import SelectionTally, ToolClass, find_missed_classes

NAME = "equal_function_sets"
DEFAULT = (Expectation("tool_selection.f1", {">=": 50}),)


class EqualFunctionSets(msgspec.Struct, frozen=True, tag=NAME, tag_field="gate"):
    """The resolved gate. Without any class it asserts that no tool is called."""

    classes: tuple[ToolClass, ...]
    expect: tuple[Expectation, ...] = DEFAULT

    @property
    def name(self) -> str:
        return NAME

    def begin(self, conditions: ScoringConditions) -> "EqualFunctionSetsTally":  # noqa: ARG002 - scores under any
        return EqualFunctionSetsTally(self)

    def list_classes(self) -> tuple[ToolClass, ...]:
        return self.classes

    def list_tool_ids(self) -> Iterable[NamedTool]:
        return list_class_members(self.classes)


class EqualFunctionSetsBlock(Block):
    """Precision, recall and F1 over classes of interchangeable tools."""

    classes: Classes = Field(description="The classes to reach. An empty list asserts that no tool is called.")
    expect: Annotated[tuple[Expectation, ...], make_expect_list(NAME)] = Field(
        default=(), description="By default `tool_selection.f1 >= 50`."
    )

    def resolve(self) -> EqualFunctionSets:
        return EqualFunctionSets(resolve_classes(self.classes), self.expect or DEFAULT)


BLOCK = EqualFunctionSetsBlock


class EqualFunctionSetsTally:
    """Scores runs one by one."""

    def __init__(self, gate: EqualFunctionSets) -> None:
        self._gate = gate
        self._selection = SelectionTally(gate.classes)
        self.add = self._selection.add

    def compute_result(self) -> GateResult:
        counts, classes = self._selection.counts, self._selection.make_class_results()
        values = {
            "tool_selection.f1": counts.f1,
            "tool_selection.precision": counts.precision,
            "tool_selection.recall": counts.recall,
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
