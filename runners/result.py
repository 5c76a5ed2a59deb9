"""What a runner gives back: for each cell the verdicts of its gates."""

from typing import Literal

import msgspec

from ..compiler.plan import Cell, PlannedTest, SuitePlan
from ..gates.result import GateResult
from ..gates.selection import CallOutcome

TestStatus = Literal["passed", "failed", "error", "skipped"]


class TraceResult(msgspec.Struct, frozen=True):
    """One run, with what became of each of its calls."""

    run: int
    tool_calls: tuple[CallOutcome, ...]


class RecordedTools(msgspec.Struct, frozen=True):
    """The tools that the agent saw."""

    fingerprint: str
    tools: int
    servers: tuple[str, ...]


class CellResult(msgspec.Struct, frozen=True):
    """One test with one model: its runs and the verdict of each gate."""

    suite: SuitePlan
    test: PlannedTest
    cell: Cell
    runs: int
    gates: tuple[GateResult, ...]
    traces: tuple[TraceResult, ...] | None = None
    tools: RecordedTools | None = None
    error: str | None = None
    details: tuple[str, ...] = ()

    @property
    def status(self) -> TestStatus:
        if self.error is not None:
            return "error"
        statuses = {gate.status for gate in self.gates}
        if "failed" in statuses:
            return "failed"
        return "passed" if "passed" in statuses else "skipped"
