"""The results of a runner: for each cell the verdicts of its gates, its runs, and what they cost."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ..compiler.plan import Cell, PlannedTest, SuitePlan
from ..gates.gate_result import GateResult
from ..gates.tool_selection import CallOutcome
from ..gates.trace import Usage

TestStatus = Literal["passed", "failed", "error", "xfailed", "xpassed", "skipped"]


class ScoredCall(CallOutcome, frozen=True, omit_defaults=True, gc=False):
    """One call with its outcome, its turn, and its redacted arguments if they are short enough for a report."""

    # gc=False: thousands of these are made, and tracking each costs a replay time. They come from JSON: no cycles.

    turn: int | UnsetType = UNSET
    args: Any = UNSET
    redacted: bool = False


class TraceResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One run with the outcome of each of its calls."""

    run: int
    tool_calls: tuple[ScoredCall, ...]
    final_response: str | UnsetType = UNSET
    turns: int | UnsetType = UNSET


class RecordedTools(msgspec.Struct, frozen=True):
    """The fingerprint of the tools that the agent was offered, and the servers that listed them.

    `source` is set if that is what a trace says, and not what servers were seen to list.
    """

    fingerprint: str
    tools: int
    servers: tuple[str, ...]
    source: Literal["trace"] | UnsetType = UNSET


class ServerSurface(msgspec.Struct, frozen=True):
    """The tokens of the tools of one server."""

    name: str
    tools: int
    tokens: int


class ToolSurface(msgspec.Struct, frozen=True):
    """The tokens of one tool, named `server.tool`."""

    tool: str
    tokens: int


class CatalogSurface(msgspec.Struct, frozen=True):
    """The tokens of the merged catalog, as a live run counted them; the largest tools come first."""

    tokens: int
    servers: tuple[ServerSurface, ...]
    tools: tuple[ToolSurface, ...]


class CellResult(msgspec.Struct, frozen=True):
    """One test with one model: its runs and the verdict of each gate. A field that is not known is None."""

    suite: SuitePlan
    test: PlannedTest
    cell: Cell
    runs: int
    gates: tuple[GateResult, ...]
    traces: tuple[TraceResult, ...] | None = None
    runs_passed: int | None = None
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
        """Return the verdict on the cell: one failed gate fails it, and a skipped gate never passes it alone."""
        if self.error is not None:
            return "error"
        statuses = {gate.status for gate in self.gates}
        if "failed" in statuses:
            return "failed" if self.cell.xfail is None else "xfailed"
        if "passed" not in statuses:
            return "skipped"
        return "passed" if self.cell.xfail is None else "xpassed"
