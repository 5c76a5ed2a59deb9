"""What a runner gives back: for each cell the verdicts of its gates, and what is known of its runs."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ..compiler.plan import Cell, PlannedTest, SuitePlan
from ..gates.gate_result import GateResult
from ..gates.tool_selection import CallOutcome
from ..gates.trace import Usage

TestStatus = Literal["passed", "failed", "error", "skipped"]


class ScoredCall(CallOutcome, frozen=True, omit_defaults=True, gc=False):
    """One call: what became of it, in which turn it was made, and its arguments without secrets, if they are short.

    What is made by the thousand is not watched for cycles (`gc=False`): it has none, as it comes from JSON.
    """

    turn: int | UnsetType = UNSET
    args: Any = UNSET
    redacted: bool = False


class TraceResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One run, with what became of each of its calls."""

    run: int
    tool_calls: tuple[ScoredCall, ...]
    final_response: str | UnsetType = UNSET
    turns: int | UnsetType = UNSET


class RecordedTools(msgspec.Struct, frozen=True):
    """The tools that the agent saw."""

    fingerprint: str
    tools: int
    servers: tuple[str, ...]


class ServerSurface(msgspec.Struct, frozen=True):
    """What the tools of one server cost the model to read."""

    name: str
    tools: int
    tokens: int


class ToolSurface(msgspec.Struct, frozen=True):
    """What one tool, `server.tool`, costs the model to read."""

    tool: str
    tokens: int


class CatalogSurface(msgspec.Struct, frozen=True):
    """What the merged catalog costs the model to read, as a live run measured it; the largest tools first."""

    tokens: int
    servers: tuple[ServerSurface, ...]
    tools: tuple[ToolSurface, ...]


class CellResult(msgspec.Struct, frozen=True):
    """One test with one model: its runs and the verdict of each gate. What is not known is None."""

    suite: SuitePlan
    test: PlannedTest
    cell: Cell
    runs: int
    gates: tuple[GateResult, ...]
    traces: tuple[TraceResult, ...] | None = None
    tools: RecordedTools | None = None
    surface: CatalogSurface | None = None
    usage: Usage | None = None
    cost: str | None = None
    retries: int | None = None
    warnings: tuple[str, ...] = ()
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
