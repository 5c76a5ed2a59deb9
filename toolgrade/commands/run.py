"""`toolgrade run`: replay the cassettes of suites and score them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .next_step import next_step
from .options import suites_argument
from .outputs import FinishedRun, Outputs, output_options
from .report_files import WrittenReport, write_report

if TYPE_CHECKING:
    from ..compiler.plan import Plan
    from ..runners.result import CellResult
    from ..runners.selection import Selection
    from ..site.report import Report

DEFAULT_OUT = "reports/replay"


def _shard(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, int]:
    part, slash, parts = value.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and len(value) < 20 and 1 <= int(part) <= int(parts)):
        raise click.BadParameter("write i/n, such as 1/4")
    return int(part), int(parts)


@click.command()
@suites_argument
@click.option("--mode", type=click.Choice(["replay", "live"]), default="replay", show_default=True)
@click.option("-k", "text", metavar="TEXT", help="Only tests with TEXT in their name.")
@click.option(
    "--test", "names", metavar="NAME", multiple=True, help="Only the test of this very name; may be repeated."
)
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="Only tests with this tag; may be repeated.")
@click.option("--models", metavar="A,B", default="", help="Only these models.")
@click.option("--shard", metavar="I/N", default="1/1", callback=_shard, help="Only the i-th of n parts.")
@click.option("-j", "workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Cells at once.")
@click.option("--cassettes", type=click.Path(path_type=Path), default=Path("cassettes"), show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help=f"Folder of the report.  [default: {DEFAULT_OUT}]")
@output_options
def run(
    suites: tuple[str, ...],
    mode: str,
    text: str | None,
    names: tuple[str, ...],
    tags: tuple[str, ...],
    models: str,
    shard: tuple[int, int],
    workers: int,
    cassettes: Path,
    out: Path | None,
    outputs: Outputs,
) -> None:
    """Replay the cassettes of suites and score them.

    Free and offline: nothing is connected to and nothing is started. The report goes to report.json in --out; where
    only some tests were selected, it is written only if --out is given.

    \b
    toolgrade run
    toolgrade run suites/research.yml -k fetch
    toolgrade run --shard 1/4 --out parts/1
    toolgrade run --base main --markdown summary.md --junit junit.xml
    toolgrade run --quiet --format agent
    """
    from ..compiler.places import Places
    from ..runners.fault import BadInput
    from ..runners.selection import Selection, split_models
    from ..runners.suites import compile_suites
    from ..site.baseline import comparable
    from ..site.diff import diff as compare
    from .options import compiled

    compilation = compile_suites(suites)
    plan = compiled(compilation, outputs.is_quiet)
    if mode == "live":
        help_ = "runs made elsewhere become cassettes with toolgrade.cassette.Recorder (docs/cassettes.md)"
        raise BadInput("this version replays; it does not run live yet", help_)
    selection = Selection(text, tags, split_models(models), shard, names)
    if not selection.cells(plan):
        raise BadInput("nothing is selected", "`toolgrade plan` shows names, tags and models")
    base = outputs.read_base(mode)
    results, report, written = _replay(plan, selection, workers, cassettes, out, outputs)
    compared = compare(comparable(base, report, suites, selection.is_everything), report) if base else None
    outputs.write(FinishedRun(report, compared, Places(compilation), _placing(cassettes)))
    _show_refused(results)
    outputs.next_step(next_step(report, results, written), is_needed=bool(report.summary.errors))
    code = 4 if report.summary.errors else 1 if report.summary.failed else 0
    if code:
        raise click.exceptions.Exit(code)


def _replay(
    plan: "Plan", selection: "Selection", workers: int, cassettes: Path, out: Path | None, outputs: Outputs
) -> "tuple[tuple[CellResult, ...], Report, WrittenReport | None]":
    import time
    from datetime import UTC, datetime

    from ..runners.engine import run_cells
    from ..runners.provenance import provenance
    from ..runners.replay import Replay, unused_cassettes
    from ..site.report import make_report

    started, clock = datetime.now(UTC), time.monotonic()
    results = run_cells(selection.cells(plan), Replay(cassettes), workers)
    report = make_report(plan, results, "replay")
    if selection.is_everything:
        for path in unused_cassettes(cassettes, plan):
            outputs.note(f"unused: {path.as_posix()} belongs to no test")
    if report.summary.errors:
        click.echo("report.json was not written: it holds whole results alone", err=True)
    elif out is not None or selection.is_everything:
        made = provenance(Path.cwd(), started, datetime.now(UTC), time.monotonic() - clock)
        return results, report, write_report(out or Path(DEFAULT_OUT), report, made)
    return results, report, None


def _placing(cassettes: Path) -> dict[str, str]:
    """What the command that runs one test again has to say of where its cassettes are."""
    return {} if cassettes == Path("cassettes") else {"--cassettes": cassettes.as_posix()}


def _show_refused(results: "tuple[CellResult, ...]") -> None:
    from ..compiler.render import visible

    for result in results:
        if result.error is not None:
            click.echo(f"refused: {visible(result.error)}", err=True)
            for line in result.details:
                click.echo(f"  {visible(line)}", err=True)
