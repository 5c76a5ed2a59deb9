"""`toolgrade run --mode live`: real servers and a real agent, recorded as cassettes."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..compiler.compilation import Compilation
    from ..compiler.plan import Plan
    from ..runners.cell_result import CellResult
    from ..runners.cell_selection import PlannedCell


def _parse_dollars(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Decimal | None:
    from ..foundations.fault import BadInput
    from ..runners.models.budget import parse_dollars

    try:
        return None if value is None else parse_dollars(value)
    except BadInput as error:
        raise click.BadParameter(error.help or str(error)) from None


_OPTIONS = (
    click.option(
        "--record/--no-record", default=None,
        help="Live: write cassettes. Written by default; with CI=true one of the two is required.",
    ),
    click.option("--resume", is_flag=True, help="Live: go on with a run that was interrupted."),
    click.option("--only-missing", is_flag=True, help="Live: only cells without cassettes."),
    click.option("--only-stale", is_flag=True, help="Live: only cells whose cassettes no longer fit the suite."),
    click.option("--max-cost", metavar="DOLLARS", callback=_parse_dollars, help="Live: the most that models may cost."),
    click.option(
        "--max-concurrency", type=click.IntRange(1, 10_000), default=8, show_default=True,
        help="Live: requests under way at each model provider.",
    ),
    click.option("--dry-run", is_flag=True, help="Live: list the tools, print turns, tokens and cost; ask no model."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """The options of a live run."""

    record: bool | None
    resume: bool
    only_missing: bool
    only_stale: bool
    max_cost: Decimal | None
    max_concurrency: int
    dry_run: bool

    @property
    def is_narrowed(self) -> bool:
        return self.only_missing or self.only_stale

    def is_recording(self) -> bool:
        """Return whether cassettes are written. Raise `BadInput` in CI if neither --record nor --no-record is given."""
        from ..foundations.fault import BadInput

        if self.record is None and os.environ.get("CI", "").lower() in ("1", "true"):
            raise BadInput("CI=true: say whether this live run records", "add --record or --no-record")
        return self.record is not False


def add_live_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `LiveOptions` to a command; they reach it together, as `live`."""

    @wraps(command)
    def run_with_options(**given: Any) -> None:
        live = LiveOptions(**{field.name: given.pop(field.name) for field in fields(LiveOptions)})
        command(live=live, **given)

    decorated: Callable[..., None] = run_with_options
    # The decorator applied last comes first in --help.
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def select_cells_to_record(cells: "list[PlannedCell]", options: LiveOptions, cassettes: Path) -> "list[PlannedCell]":
    """Return all cells, or with --only-missing and --only-stale those that need a recording."""
    from ..runners.replay import find_recorded_state

    wanted = {"missing": options.only_missing, "stale": options.only_stale}
    return [
        cell for cell in cells if not options.is_narrowed or wanted.get(find_recorded_state(cassettes, cell), False)
    ]


def run_cells_live(
    compilation: "Compilation", cells: "Sequence[PlannedCell]", workers: int, cassettes: Path, options: LiveOptions
) -> "tuple[CellResult, ...]":
    """Run cells and return their results. Whatever can be known to be wrong is found before anything is started."""
    from ..progress import make_progress_listener
    from ..runners.interrupt import run_interruptibly
    from ..runners.live_setup import LiveSettings, LiveSetup
    from ..runners.models.model_pool import ModelLimits
    from ..runners.suite_files import load_plan, map_suite_folders

    listener = make_progress_listener()
    settings = LiveSettings(
        plan=load_plan(compilation),
        cells=cells,
        folders=map_suite_folders(compilation),
        environment=os.environ,
        cassettes=cassettes if options.is_recording() else None,
        journal_folder=Path.cwd(),
        resume=options.resume,
        limits=ModelLimits(options.max_cost, options.max_concurrency),
        workers=workers,
    )
    try:
        return run_interruptibly(LiveSetup(settings, listener).run())
    except KeyboardInterrupt:
        listener.close()
        click.echo("finished cells are kept: the same command with --resume goes on", err=True)
        raise
    finally:
        listener.close()


def collect_price_facts(results: "Sequence[CellResult]") -> dict[str, Any]:
    """Return the price table of a run, for run.json, or nothing if the run cost nothing."""
    if not any(result.cost is not None for result in results):
        return {}
    from datetime import UTC, datetime

    from ..runners.models.prices import describe_price_table

    return {"prices": describe_price_table(datetime.now(UTC).date())}


def discard_journal(plan: "Plan") -> None:
    """Delete the journal: its results are in the report."""
    from ..runners.journal import Journal

    Journal(Path.cwd(), plan.suites).discard()
