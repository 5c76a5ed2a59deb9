"""`toolgrade run`: replay the cassettes of suites, or run them live, and score them."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from .completion_candidates import complete_models, complete_tags, complete_tests
from .live import (
    LiveOptions,
    add_live_options,
    collect_price_facts,
    discard_journal,
    run_cells_live,
    select_cells_to_record,
)
from .next_step import choose_next_step
from .options import suites_argument
from .outputs import OutputOptions, ReportContext, add_output_options, compare_with_base
from .remarks import show_remarks
from .report_files import WrittenReport, write_report

if TYPE_CHECKING:
    from ..compiler.compilation import Compilation
    from ..compiler.plan import Plan
    from ..runners.cell_result import CellResult
    from ..runners.cell_selection import PlannedCell
    from ..site.report.report_model import Report


def _parse_shard(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, int]:
    part, slash, parts = value.partition("/")
    # Short before `int` sees it, which refuses thousands of digits with an error of its own.
    if not (slash and part.isdecimal() and parts.isdecimal() and len(value) < 20 and 1 <= int(part) <= int(parts)):
        raise click.BadParameter("write i/n, such as 1/4")
    return int(part), int(parts)


@click.command("run")
@suites_argument
@click.option("--mode", type=click.Choice(["replay", "live"]), default="replay", show_default=True)
@click.option("-k", "text", metavar="TEXT", shell_complete=complete_tests, help="Only tests with TEXT in their name.")
@click.option(
    "--test",
    "names",
    metavar="NAME",
    multiple=True,
    shell_complete=complete_tests,
    help="Only the test with exactly this name; may be repeated.",
)
@click.option(
    "--tag",
    "tags",
    metavar="TAG",
    multiple=True,
    shell_complete=complete_tags,
    help="Only tests with this tag; may be repeated.",
)
@click.option("--models", metavar="A,B", default="", shell_complete=complete_models, help="Only these models.")
@click.option("--shard", metavar="I/N", default="1/1", callback=_parse_shard, help="Only the i-th of n parts.")
@click.option("-j", "workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Cells at once.")
@click.option("--cassettes", type=click.Path(path_type=Path), default=Path("cassettes"), show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the report.  [default: reports/MODE]")
@add_live_options
@add_output_options
def run_command(
    suites: tuple[str, ...],
    mode: Literal["replay", "live"],
    text: str | None,
    names: tuple[str, ...],
    tags: tuple[str, ...],
    models: str,
    shard: tuple[int, int],
    workers: int,
    cassettes: Path,
    out: Path | None,
    live: LiveOptions,
    outputs: OutputOptions,
) -> None:
    """Run suites and score them: from their cassettes, or live.

    A replay is free and offline: nothing is connected to and nothing is started. A live run starts the servers that the
    suites name, has an agent use them, and records cassettes. The report goes to report.json in --out; if only some
    tests were selected, it is written only if --out is given.

    \b
    toolgrade run
    toolgrade run suites/research.yml -k fetch
    toolgrade run --shard 1/4 --out parts/1
    toolgrade run --base main --markdown summary.md --junit junit.xml
    toolgrade run --quiet --format agent
    toolgrade run suites/research.yml --mode live -j 4
    toolgrade run --mode live --only-missing
    toolgrade run --mode live --dry-run
    toolgrade run --mode live -j 40 --max-concurrency 16 --max-cost 5
    """
    from ..compiler.suite_locations import SuiteLocations
    from ..foundations.extras import require_extra
    from ..foundations.fault import BadInput
    from ..runners.cell_selection import Selection, split_models
    from ..runners.suite_files import compile_suites
    from ..site.report.report_model import make_report
    from .options import require_plan

    if mode == "live":
        require_extra("live", "`toolgrade run --mode live`")
    compilation = compile_suites(suites)
    plan = require_plan(compilation, outputs.is_quiet)
    selection = Selection(text, tags, split_models(models), shard, names)
    cells = selection.select_cells(plan)
    if not cells:
        raise BadInput("nothing is selected", "`toolgrade plan` shows names, tags and models")
    if live.dry_run:
        _print_forecast(compilation, select_cells_to_record(cells, live, cassettes), mode)
        return
    base = outputs.read_base(mode)
    work = _RunInput(compilation, cells, workers, cassettes)
    stopwatch = _Stopwatch(mode)
    is_whole = selection.is_everything and not (mode == "live" and live.is_narrowed)
    results = _run_live(work, live, outputs) if mode == "live" else _replay_cells(work, is_whole, outputs)
    report = make_report(plan, results, mode)
    made = {**stopwatch.make_provenance(), **(collect_price_facts(results) if mode == "live" else {})}
    written = _write_whole_report(report, out, is_whole, made)
    # With errors the journal is kept: --resume goes on from it.
    if mode == "live" and not report.summary.errors:
        discard_journal(plan)
    compared = compare_with_base(base, report, suites, selection.is_everything)
    locations, options = SuiteLocations(compilation), _make_reproduce_options(cassettes)
    outputs.write_all(ReportContext(report, compared, locations, options, outputs.base or ""))
    show_remarks(results, mode, outputs.print_note)
    outputs.print_next_step(choose_next_step(report, results, written), is_needed=bool(report.summary.errors))
    # What stops a live run is the world; what stops a replay is a cassette.
    stopped = 3 if mode == "live" else 4
    code = stopped if report.summary.errors else 1 if report.summary.has_failed else 0
    if code:
        raise click.exceptions.Exit(code)


@dataclass(frozen=True, slots=True)
class _RunInput:
    """The cells to run, and the folder of their cassettes."""

    compilation: "Compilation"
    cells: "list[PlannedCell]"
    workers: int
    cassettes: Path

    @property
    def plan(self) -> "Plan":
        assert self.compilation.plan is not None
        return self.compilation.plan


def _print_forecast(compilation: "Compilation", cells: "list[PlannedCell]", mode: str) -> None:
    from .dry_run import print_forecast

    if mode != "live":
        raise click.UsageError("a replay costs nothing: --dry-run goes with --mode live")
    print_forecast(compilation, cells)


def _replay_cells(work: _RunInput, is_whole: bool, outputs: OutputOptions) -> "tuple[CellResult, ...]":
    from ..runners.engine import run_cells
    from ..runners.replay import Replay, find_unused_cassettes

    for path in find_unused_cassettes(work.cassettes, work.plan) if is_whole else ():
        outputs.print_note(f"unused: {path.as_posix()} belongs to no test")
    return run_cells(work.cells, Replay(work.cassettes), work.workers)


def _run_live(work: _RunInput, options: LiveOptions, outputs: OutputOptions) -> "tuple[CellResult, ...]":
    cells = select_cells_to_record(work.cells, options, work.cassettes)
    if not cells:
        outputs.print_note("nothing to record: the cassettes of every selected test fit")
    return run_cells_live(work.compilation, cells, work.workers, work.cassettes, options)


class _Stopwatch:
    """When a run began, by both clocks, and whether it was on top of changes; a replay does not start git to know."""

    def __init__(self, mode: str) -> None:
        from ..runners.provenance import has_changes

        self._started, self._clock = datetime.now(UTC), time.monotonic()
        self._is_dirty = has_changes(Path.cwd()) if mode == "live" else None

    def make_provenance(self) -> dict[str, Any]:
        from ..runners.provenance import collect_provenance

        seconds = time.monotonic() - self._clock
        return collect_provenance(Path.cwd(), self._started, datetime.now(UTC), seconds, self._is_dirty)


def _write_whole_report(
    report: "Report", out: Path | None, is_whole: bool, made: dict[str, Any]
) -> WrittenReport | None:
    """Write the report and return where, if it is whole or a folder was given for it."""
    if report.summary.errors:
        click.echo("report.json was not written: it holds whole results alone", err=True)
    elif out is not None or is_whole:
        return write_report(out or Path(f"reports/{report.mode}"), report, made)
    return None


def _make_reproduce_options(cassettes: Path) -> dict[str, str]:
    """Return the options that a command needs to find the same cassettes again."""
    return {} if cassettes == Path("cassettes") else {"--cassettes": cassettes.as_posix()}
