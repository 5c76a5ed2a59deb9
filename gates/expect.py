"""The gate `expect`: plain assertions that have to hold on the trace of every run."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType
from pydantic import ConfigDict, RootModel
from pydantic_core import InitErrorDetails

from ..foundations.exact_number import to_exact
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


class ExpectBlock(
    RootModel[Annotated[tuple[Expectation, ...], ExpectList(_resolve_kind, _make_target_schema, has_in_runs=True)]]
):
    """Assertions on the trace of every run."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    def resolve(self) -> Expect | None:
        return Expect(self.root) if self.root else None


BLOCK = ExpectBlock


class ExpectTally:
    """Checks every assertion on each run; keeps of each the first run that met it and the first that broke it."""

    def __init__(self, gate: Expect) -> None:
        self._checks = [_AssertionTally(expectation) for expectation in gate.expect]
        self._runs = self._passed = 0

    def add(self, trace: Trace) -> bool:
        self._runs += 1
        held = [check.add(trace, self._runs) for check in self._checks]
        self._passed += all(held)
        return all(held)

    def compute_result(self) -> GateResult:
        assertions = tuple(check.make_result(self._runs) for check in self._checks)
        held = all(assertion.status == "passed" for assertion in assertions)
        runs_passed = self._passed if self._runs > 1 else UNSET
        return GateResult(NAME, "passed" if held else "failed", runs_passed=runs_passed, assertions=assertions)


class _AssertionTally:
    """One assertion over runs."""

    def __init__(self, expectation: Expectation) -> None:
        self._expectation = expectation
        self._target = parse_target(expectation.target)
        self._held = 0
        self._first: dict[str, AssertionResult] = {}

    def add(self, trace: Trace, run: int) -> bool:
        result = self._expectation.check_value(self._target.read(trace))
        # One of each status: which of them the report shows is known only after the last run.
        if result.status not in self._first:
            self._first[result.status] = msgspec.structs.replace(result, run=run)
        self._held += result.status == "passed"
        return result.status == "passed"

    def make_result(self, runs: int) -> AssertionResult:
        """Return the first run that shows why the assertion stands as it does."""
        percent = self._expectation.in_runs
        least = 100 if isinstance(percent, UnsetType) else to_exact(percent)
        # Multiplied out: a rounded share could meet a threshold that the runs do not.
        status = "passed" if 100 * self._held >= least * runs else "failed"
        return msgspec.structs.replace(self._first[status], held_runs=self._held, runs=runs, in_runs=percent)
