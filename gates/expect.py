"""The gate `expect`: plain assertions that have to hold on the trace of every run."""

from typing import Annotated

import msgspec
from pydantic import ConfigDict, RootModel
from pydantic_core import InitErrorDetails

from .block import make_finding
from .expect_list import ExpectList, explain_gate_target
from .expectation import Expectation
from .gate import NamedTool, ScoringConditions
from .gate_result import AssertionResult, GateResult
from .operators import Kind
from .target import TARGET_PATTERN, UnknownTarget, parse_target
from .trace import Trace

NAME = "expect"


def _resolve_kind(target: str) -> Kind | InitErrorDetails:
    try:
        return parse_target(target).kind
    except UnknownTarget as error:
        hint = f"did you mean `{error.suggestion}`?" if error.suggestion else explain_gate_target(target)
        label = f"expected {error.expected}"
        return make_finding("target", f"unknown target `{target}`", label=label, help=hint, on_key=True)


def _make_target_schema() -> dict[str, str]:
    return {"pattern": TARGET_PATTERN}


class Expect(msgspec.Struct, frozen=True, tag=NAME, tag_field="gate"):
    """The resolved gate."""

    expect: tuple[Expectation, ...]

    @property
    def name(self) -> str:
        return NAME

    def begin(self, conditions: ScoringConditions) -> "ExpectTally":  # noqa: ARG002 - asserts under any
        return ExpectTally(self)

    def list_classes(self) -> None:
        return None

    def list_tool_ids(self) -> tuple[NamedTool, ...]:
        return ()


class ExpectBlock(RootModel[Annotated[tuple[Expectation, ...], ExpectList(_resolve_kind, _make_target_schema)]]):
    """Assertions on the trace of every run."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    def resolve(self) -> Expect | None:
        return Expect(self.root) if self.root else None


BLOCK = ExpectBlock


class ExpectTally:
    """Checks every assertion on each run, and keeps the first run that broke it."""

    def __init__(self, gate: Expect) -> None:
        self._checks = [(expectation, parse_target(expectation.target)) for expectation in gate.expect]
        self._held = [0] * len(self._checks)
        self._shown: list[tuple[int, AssertionResult] | None] = [None] * len(self._checks)
        self._runs = 0

    def add(self, trace: Trace) -> None:
        self._runs += 1
        for index, (expectation, target) in enumerate(self._checks):
            result = expectation.check_value(target.read(trace))
            held = result.status == "passed"
            shown = self._shown[index]
            if shown is None or (not held and shown[1].status == "passed"):
                self._shown[index] = (self._runs, result)
            self._held[index] += held

    def compute_result(self) -> GateResult:
        assertions = tuple(self._collect_assertions())
        held = all(assertion.status == "passed" for assertion in assertions)
        return GateResult(NAME, "passed" if held else "failed", assertions=assertions)

    def _collect_assertions(self) -> list[AssertionResult]:
        return [
            msgspec.structs.replace(shown[1], run=shown[0], held_runs=held, runs=self._runs)
            for shown, held in zip(self._shown, self._held, strict=True)
            if shown is not None
        ]
