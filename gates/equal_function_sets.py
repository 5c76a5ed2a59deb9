"""The gate `equal_function_sets`: precision, recall and F1 over classes of interchangeable tools."""

from collections.abc import Iterable
from typing import Annotated, Any, cast

import msgspec
from msgspec import UNSET, UnsetType
from pydantic import Field

from .block import GATE_MODELS, Block, GateModels
from .class_block import Classes, resolve_classes
from .expect_list import make_expect_list
from .expectation import Expectation
from .gate import NamedTool, ScoringConditions, check_values, list_class_members
from .gate_result import Counts, GateResult
from .grade import letter_grade
from .run_judge import RunJudge, choose_run_expectations
from .tool_selection import ToolClass, find_missed_classes, make_selection_tally
from .trace import Trace

NAME = "equal_function_sets"
DEFAULT = (Expectation("tool_selection.f1", {">=": 50}),)


class EqualFunctionSets(msgspec.Struct, frozen=True, tag=NAME, tag_field="gate"):
    """The resolved gate. Without any class it asserts that no tool is called."""

    classes: tuple[ToolClass, ...]
    expect: tuple[Expectation, ...] = DEFAULT
    run_expect: tuple[Expectation, ...] | UnsetType = UNSET

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
    run_expect: Annotated[tuple[Expectation, ...], make_expect_list(NAME, is_of_runs=True)] = Field(
        default=(), description="What a single run has to meet to pass; by default what `expect` asks of the counts."
    )
    models: GateModels = Field(default=cast(Any, None), description=GATE_MODELS)

    def resolve(self) -> EqualFunctionSets:
        return EqualFunctionSets(resolve_classes(self.classes), self.expect or DEFAULT, self.run_expect or UNSET)


BLOCK = EqualFunctionSetsBlock


class EqualFunctionSetsTally:
    """Scores runs one by one."""

    def __init__(self, gate: EqualFunctionSets) -> None:
        self._gate = gate
        self._selection = make_selection_tally(gate.classes)
        self._judge = RunJudge(choose_run_expectations(NAME, gate.run_expect or (), gate.expect, DEFAULT))

    def add(self, trace: Trace) -> bool:
        key = self._selection.add(trace)
        verdict = self._judge.count_run(key)
        if verdict is None:
            return self._judge.judge_run(key, _compute_values(self._selection.count_run(key)))
        return verdict

    def compute_result(self) -> GateResult:
        counts, classes = self._selection.counts, self._selection.make_class_results()
        values = {**_compute_values(counts), **self._judge.compute_values(self._gate.expect)}
        status, assertions = check_values(self._gate.expect, values)
        return GateResult(
            gate=NAME,
            status=status,
            grade=letter_grade(counts.f1),
            counts=msgspec.structs.asdict(counts),
            values={**values},
            runs_passed=self._judge.runs_passed,
            classes=classes,
            missed_classes=find_missed_classes(classes),
            unexpected_tools=self._selection.list_unexpected_tools(),
            assertions=assertions,
        )


def _compute_values(counts: Counts) -> dict[str, int]:
    return {
        "tool_selection.f1": counts.f1,
        "tool_selection.precision": counts.precision,
        "tool_selection.recall": counts.recall,
    }
