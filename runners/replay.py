"""Replaying cassettes instead of running servers and models. No socket is opened and no process is started."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from ..compiler.plan import Plan, SuitePlan
from ..gates.gate import ScoringConditions
from ..gates.gate_result import GateResult
from .cassettes.cassette import Cassette, list_cassette_files, locate_cassette, make_run_shape
from .cassettes.cassette_file import Refusal, check_fit, load_cassette
from .cassettes.toolset_lock import BrokenToolsetLock, ToolsetLock, get_toolset_lock_path, read_toolset_lock
from .catalogs.drift import describe_tool_change, find_drift
from .catalogs.fingerprint import Toolset
from .catalogs.named_tools import ListedTools
from .cell_result import CellResult, RecordedTools
from .cell_selection import PlannedCell, iterate_cells
from .report_trace import keep_as_recorded
from .scoring import CellScorer

RecordedState = Literal["fitting", "missing", "stale"]

_REPLAYED = ScoringConditions("replay")
NO_MODEL = "no model runs this test: score recorded traces with `toolgrade score`"


class Replay:
    """A runner that scores cells from the cassettes in a folder. A cell whose cassette is refused is an error."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._locks: dict[str, ToolsetLock] = {}
        self._tools: dict[str, ListedTools] = {}

    def __call__(self, planned: PlannedCell) -> CellResult:
        """Return the result of a cell, scored from its cassettes."""
        if planned.cell.model is None:
            skipped = tuple(GateResult(gate.name, "skipped", reason=NO_MODEL) for gate in planned.gates)
            return CellResult(planned.suite, planned.test, planned.cell, 0, skipped)
        try:
            return self._score_cell(planned)
        except Refusal as refusal:
            test, error, details = planned.test, str(refusal), refusal.details
            return CellResult(planned.suite, test, planned.cell, test.runs, (), error=error, details=details)

    def _score_cell(self, planned: PlannedCell) -> CellResult:
        cassettes = self._load_cassettes(planned)
        toolset = self._find_common_toolset(planned.suite, cassettes)
        scorer = CellScorer(planned, _REPLAYED, keep_as_recorded)
        for cassette in cassettes:
            _add_run(scorer, cassette)
        recorded = cassettes[0].toolset
        named = self._get_listed_tools(toolset).find_warnings(planned.test)
        return msgspec.structs.replace(
            scorer.make_cell_result(),
            tools=RecordedTools(recorded.fingerprint, recorded.tools, recorded.servers),
            warnings=tuple(dict.fromkeys([*named, *(text for one in cassettes for text in one.warnings)])),
        )

    def _load_cassettes(self, planned: PlannedCell) -> list[Cassette]:
        """Return the cassette of every run of a cell. Raise `Refusal` if one is damaged or does not fit the suite."""
        shape = make_run_shape(planned)
        digest = shape.digest  # hashed once for all runs of the cell
        cassettes: list[Cassette] = []
        for run, file in enumerate(list_cassette_files(self._root, planned), 1):
            try:
                cassettes.append(load_cassette(file))
                check_fit(cassettes[-1], planned, run, shape, digest)
            except Refusal as refusal:
                raise Refusal(f"{file}: {refusal}", refusal.details) from None
        return cassettes

    def _find_common_toolset(self, suite: SuitePlan, cassettes: list[Cassette]) -> Toolset:
        """Return the tools that all runs saw. Raise `Refusal` if they differ: such runs are not added up."""
        first = self._find_cassette_toolset(suite, cassettes[0])
        for cassette in cassettes:
            if cassette.toolset.fingerprint != first.fingerprint:
                changes = (
                    describe_tool_change(change)
                    for change in find_drift(first, self._find_cassette_toolset(suite, cassette))
                )
                details = tuple(f"between run 1 and run {cassette.key.run}: {change}" for change in changes)
                raise Refusal("the tools changed between the runs of this cell", details)
        return first

    def _get_listed_tools(self, toolset: Toolset) -> ListedTools:
        """Return the tools as the warnings need them, made once for each tool set."""
        if toolset.fingerprint not in self._tools:
            self._tools[toolset.fingerprint] = ListedTools((tool.server, tool.name) for tool in toolset.tools)
        return self._tools[toolset.fingerprint]

    def _find_cassette_toolset(self, suite: SuitePlan, cassette: Cassette) -> Toolset:
        """Return the tools that a cassette names. Raise `Refusal` if the suite's lock file lacks them or is damaged."""
        path, fingerprint = get_toolset_lock_path(self._root, suite), cassette.toolset.fingerprint
        try:
            lock = self._locks.get(suite.id) or read_toolset_lock(path)
        except BrokenToolsetLock as error:
            raise Refusal(str(error), ("restore it from git, or record the suite again",)) from None
        self._locks[suite.id] = lock
        if fingerprint not in lock.toolsets:
            raise Refusal(
                f"{path.as_posix()}: the tools of a cassette are missing", (f"their fingerprint is {fingerprint}",)
            )
        return lock.toolsets[fingerprint]


def _add_run(scorer: CellScorer, cassette: Cassette) -> None:
    try:
        scorer.add(cassette.to_trace())
    except (msgspec.DecodeError, UnicodeDecodeError, ArithmeticError, ValueError) as error:
        # The integrity hash is not a signature: another program may have sealed arguments that are not JSON.
        raise Refusal(f"run {cassette.key.run} is corrupt", (str(error) or type(error).__name__,)) from None


def find_recorded_state(root: Path, planned: PlannedCell) -> RecordedState:
    """Return `missing` if a run of a cell has no cassette, `stale` if a replay would refuse one, else `fitting`."""
    if planned.cell.model is None:
        return "fitting"
    if not all(locate_cassette(root, planned, run).exists() for run in range(1, planned.test.runs + 1)):
        return "missing"
    return "fitting" if Replay(root)(planned).error is None else "stale"


def find_unused_cassettes(root: Path, plan: Plan) -> Iterator[Path]:
    """Yield the recordings in the folders of a plan's suites that none of their tests uses."""
    cells = [planned for planned in iterate_cells(plan) if planned.cell.model is not None]
    used = {Path(file) for planned in cells for file in list_cassette_files(root, planned)}
    used |= {get_toolset_lock_path(root, suite) for suite in plan.suites}
    for suite in plan.suites:
        folder = root / suite.id
        found = sorted(folder.rglob("*.json")) if folder.is_dir() else []
        yield from (path for path in found if path not in used and not path.name.endswith(".meta.json"))
