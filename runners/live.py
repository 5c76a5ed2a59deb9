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
from .cell_selection import PlannedCell, cell_key
from .events import CellFinished, CellStarted, Listener, RunFinished, RunStarted
from .journal import Journal
from .live_cell import Keep, LiveCell, scored, servers_of
from .replay import NO_MODEL
from .servers.environment import check_environment
from .servers.limits import Limits
from .servers.pool import ServerPool
from .servers.transports import Place


@dataclass(frozen=True, slots=True)
class World:
    """What a live run takes from outside: variables, the folder of each suite, agents by cell, and secrets to hide."""

    environment: Mapping[str, str]
    folders: Mapping[str, Path]
    agents: Mapping[str, Agent]
    secrets: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    def place_of(self, planned: PlannedCell) -> Place:
        return Place(self.environment, self.folders[planned[0].id])


class LiveRun:
    """Runs cells; one that the world stops is an error, and the others go on."""

    def __init__(self, world: World, journal: Journal, keep: Keep, listener: Listener) -> None:
        self._world, self._journal, self._keep, self._listener = world, journal, keep, listener
        self._stopped: dict[str, Fault] = {}
        self._done = 0

    async def run(self, cells: Sequence[PlannedCell], workers: int) -> tuple[CellResult, ...]:
        """Every cell, at most `workers` of them at once; the results are in the order of the plan."""
        for planned in cells:
            check_environment(servers_of(planned), self._world.environment)
        self._listener(RunStarted(len(cells)))
        places = asyncio.Semaphore(workers)
        async with ServerPool(self._world.limits, self._listener) as pool:
            live = LiveCell(pool, self._keep, self._listener)

            async def one(planned: PlannedCell) -> CellResult:
                async with places:
                    return await self._cell(live, planned, len(cells))

            results = await _all([one(planned) for planned in cells])
        self._listener(RunFinished(results))
        return results

    async def _cell(self, live: LiveCell, planned: PlannedCell, total: int) -> CellResult:
        self._listener(CellStarted(planned))
        result = await self._result(live, planned)
        self._done += 1
        self._listener(CellFinished(result, self._done, total))
        return result

    async def _result(self, live: LiveCell, planned: PlannedCell) -> CellResult:
        suite, test, cell = planned
        if cell.model is None:
            skipped = tuple(GateResult(gate.name, "skipped", reason=NO_MODEL) for gate in test.gates)
            return CellResult(suite, test, cell, 0, skipped)
        entry = self._journal.find(planned)
        if entry is not None:
            return scored(planned, entry)
        if suite.id in self._stopped and cell.model != LEXICAL:
            return self._error(planned, Fault(f"not run: {self._stopped[suite.id]}"))
        try:
            entry = await live.run(planned, self._world.agents[cell_key(planned)], self._world.place_of(planned))
        except Fault as fault:
            if fault.ends_the_suite:
                self._stopped[suite.id] = fault
            return self._error(planned, fault)
        self._journal.add(entry)
        return scored(planned, entry)

    def _error(self, planned: PlannedCell, fault: Fault) -> CellResult:
        """A cell without a verdict. What a server says of itself may hold a secret."""
        suite, test, cell = planned
        redactor = Redactor(self._world.secrets)
        lines = tuple(redactor.text(line) for line in fault.details)
        return CellResult(suite, test, cell, test.runs, (), error=redactor.text(str(fault)), details=lines)


async def _all(work: Sequence[Coroutine[None, None, CellResult]]) -> tuple[CellResult, ...]:
    """The results of all; the first that fails, which is a bug of ours, ends the others and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one) for one in work]
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    return tuple(task.result() for task in running)
