"""`toolgrade drift`: whether servers still list what the cassettes were recorded with."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import suites_argument
from .servers import make_launch_context, print_server_start

if TYPE_CHECKING:
    from ..compiler.plan import SuitePlan
    from ..foundations.fault import ServerFault
    from ..runners.recording_drift import RecordingComparison, SuiteRecordings


@click.command("drift")
@suites_argument
@click.option("--cassettes", type=click.Path(path_type=Path), default=Path("cassettes"), show_default=True)
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def drift_command(suites: tuple[str, ...], cassettes: Path, style: str) -> None:
    """Compare what servers list now with what cassettes were recorded with.

    Connects to the servers of each SUITE and lists their tools; no model is asked, no tool is called, nothing is
    written. Every change is named with its tool and field. What a model does not see, such as annotations or the
    order of tools, is shown and is no drift.

    Exit codes: 0 the recordings still fit; 3 a server could not be reached; 4 there is drift, or a cassette is missing
    or corrupt.

    \b
    toolgrade drift
    toolgrade drift suites/research.yml --format json
    """
    from ..foundations.extras import require_extra
    from ..runners.suite_files import compile_suites, map_suite_folders
    from .options import require_plan

    require_extra("live", "`toolgrade drift`")
    compilation = compile_suites(suites)
    plan, folders = require_plan(compilation), map_suite_folders(compilation)
    checked = [_compare_suite(suite, cassettes, folders[suite.id]) for suite in plan.suites]
    if style == "json":
        _print_json(checked)
    codes = [_report_suite(*one, is_text=style == "text") for one in checked]
    # A server that could not be reached comes before drift: what it lists is not known.
    if code := 3 if 3 in codes else max(codes):
        raise click.exceptions.Exit(code)


Checked = tuple["SuitePlan", "SuiteRecordings", "tuple[RecordingComparison, ...]", "dict[str, ServerFault]"]


def _compare_suite(suite: "SuitePlan", cassettes: Path, folder: Path) -> Checked:
    """Compare what a suite's cassettes were recorded with and what its servers list."""
    from ..foundations.fault import ServerFault
    from ..runners.recording_drift import compare_recordings, read_recordings
    from ..runners.servers.listings import collect_server_listings

    recorded = read_recordings(suite, cassettes)
    servers = [server for server in suite.servers if server.name in recorded.servers]
    found = collect_server_listings(servers, make_launch_context(folder), print_server_start) if servers else {}
    faults = {name: one for name, one in found.items() if isinstance(one, ServerFault)}
    listings = {name: one for name, one in found.items() if not isinstance(one, ServerFault)}
    return suite, recorded, compare_recordings(recorded, listings), faults


def _report_suite(
    suite: "SuitePlan",
    recorded: "SuiteRecordings",
    comparisons: "tuple[RecordingComparison, ...]",
    faults: "dict[str, ServerFault]",
    *,
    is_text: bool,
) -> int:
    """Print what was found for a suite, and return the exit code."""
    from ..console import format_fault_message
    from ..foundations.untrusted_text import make_visible
    from ..runners.cassettes.cassette_file import format_record_command

    for comparison in comparisons if is_text else ():
        click.echo(make_visible(f"{suite.file}: {_format_verdict(comparison)}"))
        for line in _describe_changes(comparison):
            click.echo(f"  {line}")
    for fault in faults.values():
        click.echo(format_fault_message("\n".join((str(fault), *fault.details)), fault.help), err=True)
    for refused in recorded.refused:
        click.echo(f"refused: {make_visible(refused)}", err=True)
    drifted = [name for comparison in comparisons if comparison.is_drift for name in comparison.tests]
    if drifted or recorded.refused:
        tests = [] if recorded.refused else list(dict.fromkeys(drifted))
        click.echo(f"next: {make_visible(format_record_command([suite.file], tests))}", err=True)
    return 3 if faults else 4 if drifted or recorded.refused else 0


def _format_verdict(comparison: "RecordingComparison") -> str:
    from ..console import format_counted_noun

    tests = format_counted_noun(len(comparison.tests), "test")
    servers = ", ".join(comparison.servers)
    return f"{tests} recorded with {servers}: {'the tools changed' if comparison.is_drift else 'no drift'}"


def _describe_changes(comparison: "RecordingComparison") -> list[str]:
    from ..runners.catalogs.drift import describe_tool_change

    lines = [describe_tool_change(change) for change in comparison.changes]
    if comparison.is_drift and not lines:
        lines = [f"recorded {comparison.recorded}", f"live     {comparison.live}"]
    return lines


def _print_json(checked: list[Checked]) -> None:
    from ..foundations.canonical_json import to_json

    suites = [
        {
            "suite": suite.name,
            "file": suite.file,
            "comparisons": comparisons,
            "refused": recorded.refused,
            "unreachable": {name: str(fault) for name, fault in faults.items()},
        }
        for suite, recorded, comparisons, faults in checked
    ]
    click.echo(to_json({"schema": "toolgrade.drift/1", "suites": suites}), nl=False)
