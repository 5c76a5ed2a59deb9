"""One cell, live: its runs against real servers with a real agent, recorded first and scored from the recording.

So a replay of the same cassettes gives the same verdicts: there is no second way to a result.
"""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from ..compiler.plan import AnyServer
from ..foundations.fault import BadInput, Fault
from ..gates.gate import Conditions
from ..gates.token_efficiency import TokenEfficiency
from .agent_loop import FinishedConversation, converse
from .agents.agent import Agent, OfferedTool, Task
from .cassettes.cassette import Cassette, shape_of
from .cassettes.recording import FinishedRun
from .catalogs.observed_tools import Seen, Sights
from .cell_result import CellResult, RecordedTools, Surface
from .cell_selection import PlannedCell
from .events import CallMade, Listener
from .journal import Entry
from .report_trace import as_recorded
from .scoring import CellScorer
from .servers.pool import RunSessions, ServerPool
from .servers.session import CallResult
from .servers.transports import Place

Keep = Callable[[PlannedCell, int, FinishedRun], Cassette]
"""What becomes of a finished run: the cassette of it, written or not."""


class LiveCell:
    """Runs the cells of one live run; what it learns about a tool set serves them all."""

    def __init__(self, pool: ServerPool, keep: Keep, listener: Listener) -> None:
        self._pool, self._keep, self._listener = pool, keep, listener
        self._sights = Sights()

    async def run(self, planned: PlannedCell, agent: Agent, place: Place) -> Entry:
        """Every run of a cell, one after another; a Fault where one of them cannot be finished."""
        suite, test, cell = planned
        seen: Seen | None = None
        cassettes: list[Cassette] = []
        retries = 0
        for number in range(1, test.runs + 1):
            began = time.monotonic()
            async with self._pool.sessions(suite.id, servers_of(planned), place) as sessions:
                now = self._sights.of(await sessions.listings())
                (seen or now).check_same(now)
                seen = now
                done = await self._converse(planned, agent, sessions, now)
                finished = _finished_run(done, now, sessions, time.monotonic() - began)
            retries += done.retries
            cassettes.append(self._keep(planned, number, finished))
        assert seen is not None, "this is a bug in toolgrade: a test has at least one run"
        digest = shape_of(*planned).digest
        warnings = seen.listed.warnings(test)
        return Entry(suite.id, cell.id, digest, tuple(cassettes), warnings, _surface(planned, seen), retries or None)

    async def _converse(
        self, planned: PlannedCell, agent: Agent, sessions: RunSessions, seen: Seen
    ) -> FinishedConversation:
        async def call(tool: OfferedTool, args: dict[str, Any]) -> CallResult:
            result = await sessions.call(tool, args)
            self._listener(CallMade(planned))
            return result

        test = planned[1]
        if test.prompt is None:
            raise BadInput(f"`{test.name}` has no prompt: it cannot be run", "give it a `prompt:`")
        changes = sessions.list_changes()
        task = Task(test.prompt, test.system_prompt, seen.offer.tools)
        done = await converse(agent, task, seen.offer, call, test.max_turns)
        if sessions.list_changes() != changes:
            seen.check_same(self._sights.of(await sessions.listings()))
        return done


def servers_of(planned: PlannedCell) -> tuple[AnyServer, ...]:
    """The servers of a test, in the order it names them."""
    suite, test, _ = planned
    by_name = {server.name: server for server in suite.servers}
    return tuple(by_name[name] for name in dict.fromkeys(test.servers))


def scored(planned: PlannedCell, entry: Entry) -> CellResult:
    """The verdict on a cell, from what was recorded of it."""
    conditions = Conditions("live", None if entry.surface is None else entry.surface.tokens)
    scorer = CellScorer(*planned, conditions, keep=as_recorded)
    for cassette in entry.cassettes:
        scorer.add(cassette.trace())
    tools = entry.cassettes[0].toolset
    texts = [*entry.warnings, *(text for cassette in entry.cassettes for text in cassette.warnings)]
    return msgspec.structs.replace(
        scorer.result(),
        tools=RecordedTools(tools.fingerprint, tools.tools, tools.servers),
        surface=entry.surface,
        retries=entry.retries,
        warnings=tuple(dict.fromkeys(texts)),
    )


def _surface(planned: PlannedCell, seen: Seen) -> Surface | None:
    """What the tools cost to read; that it cannot be counted matters to a gate on it alone."""
    if not isinstance(seen.surface, Fault):
        return seen.surface
    if any(isinstance(gate, TokenEfficiency) for gate in planned[1].gates):
        raise seen.surface
    return None


def _finished_run(done: FinishedConversation, seen: Seen, sessions: RunSessions, seconds: float) -> FinishedRun:
    return FinishedRun(
        tool_calls=done.tool_calls,
        tools=seen.listings,
        final_response=done.final_response,
        turns=done.turns,
        usage=done.usage,
        cost=done.cost,
        warnings=(*seen.offer.warnings, *sessions.warnings(), *done.warnings),
        meta={"duration_s": round(seconds, 3), "answered_by": list(done.answered_by), "notes": list(sessions.notes())},
    )
