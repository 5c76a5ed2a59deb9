"""A live run from Python: real servers, and the models that the suites name or an agent of one's own."""

import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from .api import check_count
from .compiler.compilation import Compilation
from .compiler.plan import Plan
from .foundations.extras import require_extra
from .foundations.fault import BadInput
from .foundations.paths import Paths, StrPath
from .runners.agents.agent import Agent
from .runners.cell_selection import Selection
from .runners.events import Listener, discard_event
from .runners.models.budget import parse_dollars
from .runners.models.model_pool import DEFAULT_CONCURRENCY, ModelLimits
from .runners.suite_files import compile_suites, load_plan, map_suite_folders
from .site.report.report_model import Report, make_report


async def run_live(
    suites: Paths | Plan | Compilation,
    cassettes: StrPath | None = "cassettes",
    selection: Selection | None = None,
    *,
    agent: Agent | None = None,
    workers: int = 1,
    max_cost: Decimal | int | str | None = None,
    max_concurrency: int = DEFAULT_CONCURRENCY,
    environment: Mapping[str, str] | None = None,
    listener: Listener = discard_event,
) -> Report:
    """Run suites against their servers and return the report; write cassettes, unless `cassettes` is None.

    Servers are started as the suites say: run suites that you trust. `agent` runs every test in place of the models
    that the suites name. A cell that the world stops is an `error` of the report. Raise a `Fault` if the suites do not
    compile, a model is unknown or lacks a key, a variable is not set, or another run records the same suites.
    """
    require_extra("live", "`run_live`")
    from .runners.live_setup import LiveSettings, LiveSetup

    check_count("workers", workers)
    check_count("max_concurrency", max_concurrency)
    limits = ModelLimits(None if max_cost is None else parse_dollars(max_cost), max_concurrency)
    plan, folders = _locate_suites(suites)
    # A journal is for going on after an interruption, which a call from Python does not offer: it lasts for the call.
    with TemporaryDirectory() as journal_folder:
        settings = LiveSettings(
            plan=plan,
            cells=(selection or Selection()).select_cells(plan),
            folders=folders,
            environment=os.environ if environment is None else environment,
            cassettes=None if cassettes is None else Path(cassettes),
            journal_folder=Path(journal_folder),
            agent=agent,
            limits=limits,
            workers=workers,
        )
        return make_report(plan, await LiveSetup(settings, listener).run(), "live")


def _locate_suites(suites: Paths | Plan | Compilation) -> tuple[Plan, Mapping[str, Path]]:
    """Return the plan, and the folder in which the servers of each suite are started."""
    if isinstance(suites, Plan):
        for suite in suites.suites:
            if not Path(suite.file).is_file():
                help_ = "pass the paths of the suites, or what `compile_suites` returned"
                raise BadInput(f"{suite.file}: no such file below the working folder", help_)
        return suites, {suite.id: Path(suite.file).parent for suite in suites.suites}
    compilation = suites if isinstance(suites, Compilation) else compile_suites(suites)
    return load_plan(compilation), map_suite_folders(compilation)
