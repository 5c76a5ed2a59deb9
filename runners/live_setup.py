"""What a live run is made of: one wiring of models, agents, servers, journal and recorder, for commands and Python."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ..compiler.plan import Plan
from ..foundations.redaction import Redactor
from .agents.agent import Agent
from .cassettes.recorder import Recorder
from .cassettes.recording import make_cassette
from .catalogs.fingerprint import fingerprint
from .cell_agents import choose_cell_agents
from .cell_result import CellResult
from .cell_selection import PlannedCell, make_cell_key
from .events import Listener, discard_event
from .journal import Journal
from .live import LiveInputs, LiveRun
from .live_cell import StoreRun
from .models.model_pool import ModelLimits, ModelPool
from .servers.environment import list_plan_secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSettings:
    """What a live run is told: the cells, the folder of each suite, where to record, and the limits.

    Without `cassettes` nothing is recorded. `agent` runs every cell in place of the models that the suites name. The
    journal is kept in `journal_folder`, and `resume` goes on with the one that is there.
    """

    plan: Plan
    cells: Sequence[PlannedCell]
    folders: Mapping[str, Path]
    environment: Mapping[str, str]
    cassettes: Path | None
    journal_folder: Path
    resume: bool = False
    agent: Agent | None = None
    limits: ModelLimits = field(default_factory=ModelLimits)
    workers: int = 1


class LiveSetup:
    """A live run that is ready to begin. Whatever can be known to be wrong is found when it is made."""

    def __init__(self, settings: LiveSettings, listener: Listener = discard_event) -> None:
        self._settings, self._listener = settings, listener
        self._models = ModelPool(settings.environment, settings.limits)
        self._secrets = list_plan_secrets(settings.plan, settings.environment)
        self._inputs = LiveInputs(settings.environment, settings.folders, self._choose_agents(), self._secrets)
        self._journal = Journal(settings.journal_folder, settings.plan.suites)

    async def run(self) -> tuple[CellResult, ...]:
        """Run the cells and return their results, in the order of the plan."""
        with ExitStack() as stack:
            # The recorder locks the suites first: a second run is refused before the journal is touched.
            store = self._open_recorder(stack)
            self._journal.begin(self._settings.resume)
            async with self._models:
                run = LiveRun(self._inputs, self._journal, store, self._listener)
                return await run.run(self._settings.cells, self._settings.workers)

    def _choose_agents(self) -> Mapping[str, Agent]:
        """Return the agent of each cell, by the cell's key. Raise a `Fault` if a model is unknown or lacks a key."""
        agent = self._settings.agent
        if agent is None:
            return choose_cell_agents(self._settings.cells, self._models)
        return {make_cell_key(planned): agent for planned in self._settings.cells}

    def _open_recorder(self, stack: ExitStack) -> StoreRun:
        """Return the function that makes a finished run a cassette, in a file or for scoring alone."""
        if self._settings.cassettes is not None:
            recorder = Recorder(self._settings.plan, self._settings.cassettes, self._secrets)
            return stack.enter_context(recorder).record_run
        redactor = Redactor(self._secrets, Path.cwd())
        return lambda planned, run, done: make_cassette(
            planned, run, done, fingerprint(done.collect_listings()), redactor
        )
