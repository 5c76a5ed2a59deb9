"""The gate `token_efficiency`: selection F1, and the tokens and dollars per correct selection."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, cast

import msgspec
from pydantic import Field

from ..foundations.exact_number import format_dollars
from .block import GATE_MODELS, Block, GateModels
from .class_block import Classes, resolve_classes
from .expect_list import make_expect_list
from .expectation import Expectation, to_report_value
from .gate import NamedTool, ScoringConditions, check_values, list_class_members
from .gate_result import GateResult
from .grade import letter_grade
from .tool_selection import ToolClass, find_missed_classes, make_selection_tally
from .trace import Trace

NAME = "token_efficiency"
DEFAULT = (Expectation("token_efficiency.f1", {">=": 50}),)


class TokenEfficiency(msgspec.Struct, frozen=True, tag=NAME, tag_field="gate"):
    """The resolved gate."""

    classes: tuple[ToolClass, ...]
    expect: tuple[Expectation, ...] = DEFAULT

    @property
    def name(self) -> str:
        return NAME

    def begin(self, conditions: ScoringConditions) -> "TokenEfficiencyTally":
        return TokenEfficiencyTally(self, conditions)

    def list_classes(self) -> tuple[ToolClass, ...]:
        return self.classes

    def list_tool_ids(self) -> Iterable[NamedTool]:
        return list_class_members(self.classes)


class TokenEfficiencyBlock(Block):
    """Selection F1 and what the tool catalog costs per correct selection. Scored on live runs only."""

    classes: Annotated[Classes, Field(min_length=1)] = Field(description="The classes to reach, at least one.")
    expect: Annotated[tuple[Expectation, ...], make_expect_list(NAME)] = Field(
        default=(), description="By default `token_efficiency.f1 >= 50`."
    )
    models: GateModels = Field(default=cast(Any, None), description=GATE_MODELS)

    def resolve(self) -> TokenEfficiency:
        return TokenEfficiency(resolve_classes(self.classes), self.expect or DEFAULT)


BLOCK = TokenEfficiencyBlock


class TokenEfficiencyTally:
    """Scores live runs one by one; in other modes the gate is skipped with the reason."""

    def __init__(self, gate: TokenEfficiency, conditions: ScoringConditions) -> None:
        self._gate = gate
        self._conditions = conditions
        self._selection = make_selection_tally(gate.classes)
        self._cost: Decimal | None = Decimal(0)

    def add(self, trace: Trace) -> bool:
        self._selection.add(trace)
        if self._cost is not None:
            # One run of unknown cost makes the sum unknown: a part would look like the whole.
            self._cost = None if trace.cost is None else self._cost + trace.cost
        return True

    def compute_result(self) -> GateResult:
        surface = self._conditions.tool_surface_tokens
        if self._conditions.mode != "live" or surface is None:
            return GateResult(NAME, "skipped", reason=_SKIPPED[self._conditions.mode])
        counts, classes = self._selection.counts, self._selection.make_class_results()
        values = self._compute_values(surface, counts.f1, counts.tp)
        status, assertions = check_values(self._gate.expect, values)
        return GateResult(
            gate=NAME,
            status=status,
            grade=letter_grade(counts.f1),
            counts=msgspec.structs.asdict(counts),
            values={target: _format_value(target, value) for target, value in values.items()},
            classes=classes,
            missed_classes=find_missed_classes(classes),
            unexpected_tools=self._selection.list_unexpected_tools(),
            assertions=assertions,
        )

    def _compute_values(self, surface: int, f1: int, correct: int) -> dict[str, Any]:
        values: dict[str, Any] = {
            "token_efficiency.f1": f1,
            "token_efficiency.tool_surface_tokens": surface,
            "token_efficiency.correct_selections": correct,
        }
        if correct:
            values["token_efficiency.tokens_per_correct"] = Fraction(surface, correct)
        # A free run has no cost to report: 0 dollars per selection would pass any budget.
        if self._cost:
            values["token_efficiency.cost"] = self._cost
        if self._cost and correct:
            values["token_efficiency.cost_per_correct"] = Fraction(self._cost) / correct
        return values


def _format_value(target: str, value: Any) -> Any:
    return format_dollars(value) if target in _DOLLARS else to_report_value(value)


_DOLLARS = ("token_efficiency.cost", "token_efficiency.cost_per_correct")
_SKIPPED = {
    "live": "the tool surface was not measured",
    "replay": "replay has no live tool surface",
    "score": "a recorded trace has no live tool surface",
}
