"""Running one cell live: its runs are recorded first, and scored from the recording.

So a replay of the same cassettes gives the same verdicts: a live run has no other way to score.
"""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from ..compiler.plan import AnyServer
from ..foundations.fault import BadInput, Fault
from ..gates.gate import ScoringConditions
from ..gates.registry import GATES
from .agent_loop import FinishedConversation, run_conversation
from .agents.agent import Agent, OfferedTool, Task
from .cassettes.cassette import Cassette, make_run_shape
from .cassettes.recording import FinishedRun
from .catalogs.observed_tools import ObservedTools, ObservedToolsCache
from .cell_result import CatalogSurface, CellResult, RecordedTools
from .cell_selection import PlannedCell
from .drivers.driven_run import DriverSetup, run_driver
from .events import CallMade, DriverStarting, Listener, ServerStarting
from .journal import JournalEntry
from .report_trace import keep_as_recorded
from .scoring import CellScorer
from .servers.pool import RunSessions, ServerPool
from .servers.session import ServerCallResult
from .servers.transports import LaunchContext

StoreRun = Callable[[PlannedCell, int, FinishedRun], Cassette]
"""A function that makes the cassette of a finished run, and writes it if the run is recorded."""


class LiveCellRunner:
    """A runner for the cells of one live run, which share what is computed for a tool set."""

    def __init__(self, pool: ServerPool, store: StoreRun, listener: Listener) -> None:
        self._pool, self._store, self._listener = pool, store, listener
        self._observed = ObservedToolsCache()

    async def run(self, planned: PlannedCell, agent: Agent | None, context: LaunchContext) -> JournalEntry:
        """Make every run of a cell and return its journal entry. Raise `Fault` if a run cannot be finished.

        The agent is None if the test has a driver: then a program runs the conversation.
        """
        suite, test, cell = planned.suite, planned.test, planned.cell
        seen: ObservedTools | None = None
        cassettes: list[Cassette] = []
        retries = 0
        for number in range(1, test.runs + 1):
            if agent is None:
                finished, now = await self._run_driver(planned, context)
                (seen or now).check_same(now)
                seen = now
                cassettes.append(self._store(planned, number, finished))
                continue
            began = time.monotonic()
            async with self._pool.open_sessions(suite.id, list_test_servers(planned), context) as sessions:
                now = self._observed.get_observed_tools(await sessions.list_tools())
                (seen or now).check_same(now)
                seen = now
                done = await self._run_conversation(planned, agent, sessions, now)
                finished = _make_finished_run(done, now, sessions, time.monotonic() - began)
            retries += done.retries
            cassettes.append(self._store(planned, number, finished))
        assert seen is not None, "this is a bug in toolgrade: a test has at least one run"
        digest = make_run_shape(planned).digest
        warnings = seen.listed.find_warnings(test)
        return JournalEntry(
            suite.id, cell.id, digest, tuple(cassettes), warnings, _get_surface(planned, seen), retries or None
        )

    async def _run_driver(self, planned: PlannedCell, context: LaunchContext) -> tuple[FinishedRun, ObservedTools]:
        """Have the test's driver run its conversation once."""
        assert planned.test.driver is not None, "this is a bug in toolgrade: a cell without a driver has an agent"
        setup = DriverSetup(planned, planned.test.driver, list_test_servers(planned), context)
        for server in setup.servers:
            self._listener(ServerStarting(server))
        done = await run_driver(setup, lambda argv: self._listener(DriverStarting(setup.driver.label, argv)))
        for _ in done.finished.tool_calls:
            self._listener(CallMade(planned))
        seen = self._observed.get_observed_tools(done.listings)
        seen.check_same(self._observed.get_observed_tools(done.last_listings))
        return done.finished, seen

    async def _run_conversation(
        self, planned: PlannedCell, agent: Agent, sessions: RunSessions, seen: ObservedTools
    ) -> FinishedConversation:
        async def call_and_report(tool: OfferedTool, args: dict[str, Any]) -> ServerCallResult:
            result = await sessions.call_tool(tool, args)
            self._listener(CallMade(planned))
            return result

        test = planned.test
        if test.prompt is None:
            raise BadInput(f"`{test.name}` has no prompt: it cannot be run", "give it a `prompt:`")
        changes = sessions.count_list_changes()
        task = Task(test.prompt, test.system_prompt, seen.catalog.tools)
        done = await run_conversation(agent, task, seen.catalog, call_and_report, test.max_turns)
        # A server that changed its tools during the run may have changed them back: a notification alone is no proof.
        if sessions.count_list_changes() != changes:
            seen.check_same(self._observed.get_observed_tools(await sessions.list_tools()))
        return done


def list_test_servers(planned: PlannedCell) -> tuple[AnyServer, ...]:
    """Return the servers of a test, in the order in which it names them."""
    by_name = {server.name: server for server in planned.suite.servers}
    return tuple(by_name[name] for name in dict.fromkeys(planned.test.servers))


def score_journal_entry(planned: PlannedCell, entry: JournalEntry) -> CellResult:
    """Return the result of a finished cell, scored from its cassettes."""
    conditions = ScoringConditions("live", None if entry.surface is None else entry.surface.tokens)
    scorer = CellScorer(planned, conditions, keep_as_recorded)
    for cassette in entry.cassettes:
        scorer.add(cassette.to_trace())
    tools = entry.cassettes[0].toolset
    texts = [*entry.warnings, *(text for cassette in entry.cassettes for text in cassette.warnings)]
    return msgspec.structs.replace(
        scorer.make_cell_result(),
        tools=RecordedTools(tools.fingerprint, tools.tools, tools.servers),
        surface=entry.surface,
        retries=entry.retries,
        warnings=tuple(dict.fromkeys(texts)),
    )


def _get_surface(planned: PlannedCell, seen: ObservedTools) -> CatalogSurface | None:
    """Return what the tools cost to read; raise the Fault that says why it is unknown only if a gate needs it."""
    if not isinstance(seen.surface, Fault):
        return seen.surface
    if any(GATES[gate.name].needs_live_run for gate in planned.gates):
        raise seen.surface
    return None


def _make_finished_run(
    done: FinishedConversation, seen: ObservedTools, sessions: RunSessions, seconds: float
) -> FinishedRun:
    return FinishedRun(
        tool_calls=done.tool_calls,
        tools=seen.listings,
        final_response=done.final_response,
        turns=done.turns,
        usage=done.usage,
        cost=done.cost,
        warnings=(*seen.catalog.warnings, *sessions.list_warnings(), *done.warnings),
        meta={
            "duration_s": round(seconds, 3),
            "answered_by": list(done.answered_by),
            "notes": list(sessions.list_notes()),
        },
    )
