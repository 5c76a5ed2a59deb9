"""A live run: cells run against real servers, several at once, and each is journalled when it finishes."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..compiler.plan import LEXICAL
from ..foundations.fault import Fault
from ..foundations.redaction import Redactor
from ..gates.gate_result import GateResult
from .agents.agent import Agent
from .cell_result import CellResult
from .cell_selection import PlannedCell, make_cell_key
from .drivers.driven_run import check_driver
from .events import CellFinished, CellStarted, Listener, RunFinished, RunStarted
from .journal import Journal, JournalEntry
from .live_cell import LiveCellRunner, StoreRun, list_test_servers, score_journal_entry
from .replay import NO_MODEL
from .servers.environment import check_server_variables
from .servers.limits import ServerLimits
from .servers.pool import ServerPool
from .servers.transports import LaunchContext
from .unexpected_error import make_unexpected_error


@dataclass(frozen=True, slots=True)
class LiveInputs:
    """The inputs of a live run besides the plan: environment, suite folders, agents by cell key, secrets to redact."""

    environment: Mapping[str, str]
    folders: Mapping[str, Path]
    agents: Mapping[str, Agent]
    secrets: tuple[str, ...] = ()
    limits: ServerLimits = field(default_factory=ServerLimits)

    def get_launch_context(self, planned: PlannedCell) -> LaunchContext:
        """Return the environment and the folder that the servers of a cell are started with."""
        return LaunchContext(self.environment, self.folders[planned.suite.id])


class LiveRun:
    """A run of cells, in which a cell that fails, whatever the reason, becomes an error and the others go on."""

    def __init__(self, inputs: LiveInputs, journal: Journal, keep: StoreRun, listener: Listener) -> None:
        self._inputs, self._journal, self._keep, self._listener = inputs, journal, keep, listener
        self._stopped: dict[str, Fault] = {}
        self._unkept: Fault | None = None
        self._done = 0

    async def run(self, cells: Sequence[PlannedCell], workers: int) -> tuple[CellResult, ...]:
        """Run every cell, at most `workers` at once, and return the results in the order of `cells`.

        Raise `BadInput` if a server needs an environment variable that is not set.
        """
        # All variables are checked before the first server starts: nothing is spent on a run that cannot finish.
        for planned in cells:
            check_server_variables(list_test_servers(planned), self._inputs.environment)
            if planned.test.driver is not None:
                check_driver(planned, planned.test.driver, self._inputs.environment)
        self._listener(RunStarted(len(cells)))
        # A cell waits here before it opens a session, so a waiting cell holds no server.
        slots = asyncio.Semaphore(workers)
        async with ServerPool(self._inputs.limits, self._listener) as pool:
            live = LiveCellRunner(pool, self._keep, self._listener)

            async def run_one(planned: PlannedCell) -> CellResult:
                async with slots:
                    return await self._run_cell(live, planned, len(cells))

            results = await _gather_results([run_one(planned) for planned in cells])
        self._listener(RunFinished(results))
        return results

    async def _run_cell(self, live: LiveCellRunner, planned: PlannedCell, total: int) -> CellResult:
        self._listener(CellStarted(planned))
        result = await self._compute_result(live, planned)
        self._done += 1
        self._listener(CellFinished(result, self._done, total))
        return result

    async def _compute_result(self, live: LiveCellRunner, planned: PlannedCell) -> CellResult:
        suite, model = planned.suite, planned.cell.model
        if model is None:
            skipped = tuple(GateResult(gate.name, "skipped", reason=NO_MODEL) for gate in planned.gates)
            return CellResult(suite, planned.test, planned.cell, 0, skipped)
        try:
            entry = self._journal.find(planned)
            if entry is None:
                self._check_not_stopped(planned)
                agent = self._inputs.agents.get(make_cell_key(planned))
                entry = await live.run(planned, agent, self._inputs.get_launch_context(planned))
                self._keep_entry(entry)
            return score_journal_entry(planned, entry)
        except Fault as fault:
            if fault.ends_the_suite:
                self._stopped[suite.id] = fault
            return self._make_error_result(planned, fault)
        except Exception as error:  # noqa: BLE001 - a cell is the smallest unit: the others get their verdicts
            fault = make_unexpected_error(error, Redactor(self._inputs.secrets), self._journal.folder)
            return self._make_error_result(planned, fault)

    def _check_not_stopped(self, planned: PlannedCell) -> None:
        """Raise the reason why no further cell is to be begun."""
        if self._unkept is not None:
            raise Fault(f"not run: {self._unkept}")
        # Once the budget is used up, every later cell with a model would fail alike. The lexical agent costs nothing.
        if planned.suite.id in self._stopped and planned.cell.model != LEXICAL:
            raise Fault(f"not run: {self._stopped[planned.suite.id]}")

    def _keep_entry(self, entry: JournalEntry) -> None:
        """Journal a finished cell; once that fails nothing more is begun, as it could be lost."""
        try:
            self._journal.add(entry)
        except Fault as fault:
            self._unkept = fault
            raise

    def _make_error_result(self, planned: PlannedCell, fault: Fault) -> CellResult:
        """Return a cell with an error instead of a verdict, redacted: a server's own output may hold a secret."""
        redactor = Redactor(self._inputs.secrets)
        lines = redactor.redact_lines(fault.details)
        error, test = redactor.redact_text(str(fault)), planned.test
        return CellResult(planned.suite, test, planned.cell, test.runs, (), error=error, details=lines)


async def _gather_results(work: Sequence[Coroutine[None, None, CellResult]]) -> tuple[CellResult, ...]:
    """Return the results of all work. Raise the first exception as it is, not as a group, and cancel the rest."""
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one) for one in work]
    # Cells turn faults into results themselves: what gets here is a bug, and its own traceback is what helps.
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    return tuple(task.result() for task in running)
