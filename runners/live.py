"""A live run: every cell against real servers, several at once, each journalled when it is finished."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..compiler.plan import LEXICAL
from ..foundations.fault import Fault
from ..gates.gate_result import GateResult
from .agents.agent import Agent
from .cassettes.redaction import Redactor
from .cell_result import CellResult
from .cell_selection import PlannedCell, make_cell_key
from .events import CellFinished, CellStarted, Listener, RunFinished, RunStarted
from .journal import Journal
from .live_cell import LiveCellRunner, StoreRun, list_test_servers, score_journal_entry
from .replay import NO_MODEL
from .servers.environment import check_server_variables
from .servers.limits import ServerLimits
from .servers.pool import ServerPool
from .servers.transports import LaunchContext


@dataclass(frozen=True, slots=True)
class LiveInputs:
    """What a live run takes from outside: variables, the folder of each suite, agents by cell, and secrets to hide."""

    environment: Mapping[str, str]
    folders: Mapping[str, Path]
    agents: Mapping[str, Agent]
    secrets: tuple[str, ...] = ()
    limits: ServerLimits = field(default_factory=ServerLimits)

    def get_launch_context(self, planned: PlannedCell) -> LaunchContext:
        return LaunchContext(self.environment, self.folders[planned.suite.id])


class LiveRun:
    """Runs cells; one that the world stops is an error, and the others go on."""

    def __init__(self, world: LiveInputs, journal: Journal, keep: StoreRun, listener: Listener) -> None:
        self._world, self._journal, self._keep, self._listener = world, journal, keep, listener
        self._stopped: dict[str, Fault] = {}
        self._done = 0

    async def run(self, cells: Sequence[PlannedCell], workers: int) -> tuple[CellResult, ...]:
        """Every cell, at most `workers` of them at once; the results are in the order of the plan."""
        for planned in cells:
            check_server_variables(list_test_servers(planned), self._world.environment)
        self._listener(RunStarted(len(cells)))
        places = asyncio.Semaphore(workers)
        async with ServerPool(self._world.limits, self._listener) as pool:
            live = LiveCellRunner(pool, self._keep, self._listener)

            async def run_one(planned: PlannedCell) -> CellResult:
                async with places:
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
            skipped = tuple(GateResult(gate.name, "skipped", reason=NO_MODEL) for gate in planned.test.gates)
            return CellResult(suite, planned.test, planned.cell, 0, skipped)
        entry = self._journal.find(planned)
        if entry is not None:
            return score_journal_entry(planned, entry)
        if suite.id in self._stopped and model != LEXICAL:
            return self._make_error_result(planned, Fault(f"not run: {self._stopped[suite.id]}"))
        try:
            entry = await live.run(
                planned, self._world.agents[make_cell_key(planned)], self._world.get_launch_context(planned)
            )
        except Fault as fault:
            if fault.ends_the_suite:
                self._stopped[suite.id] = fault
            return self._make_error_result(planned, fault)
        self._journal.add(entry)
        return score_journal_entry(planned, entry)

    def _make_error_result(self, planned: PlannedCell, fault: Fault) -> CellResult:
        """A cell without a verdict. What a server says of itself may hold a secret."""
        redactor = Redactor(self._world.secrets)
        lines = tuple(redactor.redact_text(line) for line in fault.details)
        error, test = redactor.redact_text(str(fault)), planned.test
        return CellResult(planned.suite, test, planned.cell, test.runs, (), error=error, details=lines)


async def _gather_results(work: Sequence[Coroutine[None, None, CellResult]]) -> tuple[CellResult, ...]:
    """The results of all; the first that fails, which is a bug of ours, ends the others and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one) for one in work]
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    return tuple(task.result() for task in running)
