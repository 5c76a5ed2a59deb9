"""Replay: cassettes instead of servers and models. Nothing is connected to and nothing is started."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..compiler.plan import Plan
from ..gates.gate import Conditions
from ..gates.result import GateResult
from ..gates.trace import Trace
from .cassette import Cassette, cassette_path, lock_path
from .result import CellResult, RecordedTools
from .scoring import CellScorer
from .selection import PlannedCell, all_cells
from .stale import Refusal, fitting_cassette

_REPLAYED = Conditions("replay")
NO_MODEL = "no model runs this test: score recorded traces with `toolgrade score`"


class Replay:
    """Runs cells from the cassettes in a folder; what cannot stand for a run is refused, and the cell is an error."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __call__(self, planned: PlannedCell) -> CellResult:
        suite, test, cell = planned
        if cell.model is None:
            skipped = tuple(GateResult(gate.name, "skipped", reason=NO_MODEL) for gate in test.gates)
            return CellResult(suite, test, cell, 0, skipped)
        try:
            cassettes = [self._load(planned, run) for run in range(1, test.runs + 1)]
            tools = _one_toolset(cassettes)
        except _Refused as refused:
            return CellResult(suite, test, cell, test.runs, (), error=refused.message, details=refused.details)
        scorer = CellScorer(suite, test, cell, _REPLAYED, keep=_as_recorded)
        for cassette in cassettes:
            scorer.add(cassette.trace())
        return msgspec.structs.replace(scorer.result(), tools=tools)

    def _load(self, planned: PlannedCell, run: int) -> Cassette:
        path = cassette_path(self._root, *planned, run)
        try:
            return fitting_cassette(path, *planned, run)
        except Refusal as refusal:
            raise _Refused(f"{path.as_posix()}: {refusal}", refusal.details) from None


class _Refused(Exception):
    """A cell cannot be replayed."""

    def __init__(self, message: str, details: tuple[str, ...]) -> None:
        super().__init__(message)
        self.message, self.details = message, details


def _as_recorded(trace: Trace) -> Trace:
    """What is on a cassette may be shown: secrets were taken out when it was written."""
    return trace


def _one_toolset(cassettes: list[Cassette]) -> RecordedTools:
    """The tools the runs saw; runs that saw different ones are not added up."""
    first = cassettes[0].toolset
    for cassette in cassettes[1:]:
        if cassette.toolset.fingerprint != first.fingerprint:
            details = (f"run 1: {first.fingerprint}", f"run {cassette.key.run}: {cassette.toolset.fingerprint}")
            raise _Refused("the tools changed between the runs of this cell", details)
    return RecordedTools(first.fingerprint, first.tools, first.servers)


def unused_cassettes(root: Path, plan: Plan) -> Iterator[Path]:
    """Recordings in the folders of these suites that no test of them uses."""
    used = {
        cassette_path(root, suite, test, cell, run)
        for suite, test, cell in all_cells(plan)
        if cell.model is not None
        for run in range(1, test.runs + 1)
    }
    used |= {lock_path(root, suite) for suite in plan.suites}
    for suite in plan.suites:
        folder = root / suite.id
        found = sorted(folder.rglob("*.json")) if folder.is_dir() else []
        yield from (path for path in found if path not in used and not path.name.endswith(".meta.json"))
