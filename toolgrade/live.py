"""A live run from Python: real servers, and the models that the suites name or an agent of your own."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from decimal import Decimal
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from .compiler.compilation import Compilation
from .compiler.plan import Plan
from .runners.agents.agent import Agent
from .runners.cassettes.recorder import Recorder
from .runners.cassettes.recording import make_cassette
from .runners.cassettes.redaction import Redactor
from .runners.catalogs.fingerprint import fingerprint
from .runners.cell_agents import choose_cell_agents
from .runners.cell_selection import Selection, make_cell_key
from .runners.events import Listener, discard_event
from .runners.journal import Journal
from .runners.live import LiveInputs, LiveRun
from .runners.live_cell import StoreRun
from .runners.models.model_pool import ModelLimits, ModelPool
from .runners.servers.environment import list_plan_secrets
from .runners.suite_files import map_suite_folders
from .site.report.report_model import Report, make_report

StrPath = str | PathLike[str]


async def run_live(
    compilation: Compilation,
    cassettes: StrPath | None = "cassettes",
    selection: Selection | None = None,
    *,
    agent: Agent | None = None,
    workers: int = 1,
    max_cost: Decimal | None = None,
    environment: Mapping[str, str] | None = None,
    listener: Listener = discard_event,
) -> Report:
    """Run against the servers, with the models that the suites name or an agent of your own; None records nothing.

    Servers are started as the suites say: run suites that you trust. A cell that the world stops is an `error`.
    """
    plan = compilation.plan
    assert plan is not None, "a suite that does not compile cannot run: look at `compilation.errors`"
    variables = os.environ if environment is None else environment
    cells = (selection or Selection()).select_cells(plan)
    secrets = list_plan_secrets(plan, variables)
    models = ModelPool(variables, ModelLimits(max_cost))
    agents = choose_cell_agents(cells, models) if agent is None else {make_cell_key(cell): agent for cell in cells}
    world = LiveInputs(variables, map_suite_folders(compilation), agents, secrets)
    with ExitStack() as stack:
        journal = Journal(Path(stack.enter_context(TemporaryDirectory())), plan.suites)
        keep = make_cassette_keeper(stack, plan, cassettes, secrets)
        journal.begin(resume=False)
        async with models:
            return make_report(plan, await LiveRun(world, journal, keep, listener).run(cells, workers), "live")


def make_cassette_keeper(stack: ExitStack, plan: Plan, cassettes: StrPath | None, secrets: tuple[str, ...]) -> StoreRun:
    """What becomes of a finished run: a cassette in a file, or the same cassette for scoring alone."""
    if cassettes is not None:
        return stack.enter_context(Recorder(plan, Path(cassettes))).record_run
    redactor = Redactor(secrets, Path.cwd())
    return lambda planned, run, done: make_cassette(planned, run, done, fingerprint(done.collect_listings()), redactor)
