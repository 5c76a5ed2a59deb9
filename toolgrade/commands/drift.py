"""`toolgrade drift`: whether servers still list what the cassettes were recorded with."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import suites_argument
from .servers import announce, here

if TYPE_CHECKING:
    from ..compiler.plan import SuitePlan
    from ..foundations.fault import ServerFault
    from ..runners.recording_drift import Comparison, Recorded


@click.command()
@suites_argument
@click.option("--cassettes", type=click.Path(path_type=Path), default=Path("cassettes"), show_default=True)
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def drift(suites: tuple[str, ...], cassettes: Path, style: str) -> None:
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
    from ..runners.suite_files import compile_suites
    from .options import compiled

    plan = compiled(compile_suites(suites))
    checked = [_check(suite, cassettes) for suite in plan.suites]
    if style == "json":
        _print_json(checked)
    codes = [_report(*one, is_text=style == "text") for one in checked]
    if code := 3 if 3 in codes else max(codes):
        raise click.exceptions.Exit(code)


Checked = tuple["SuitePlan", "Recorded", "tuple[Comparison, ...]", "dict[str, ServerFault]"]


def _check(suite: "SuitePlan", cassettes: Path) -> Checked:
    """What a suite's cassettes say against what its servers list."""
    from ..foundations.fault import ServerFault
    from ..runners.recording_drift import compare, read_recorded
    from ..runners.servers.listings import list_servers

    recorded = read_recorded(suite, cassettes)
    servers = [server for server in suite.servers if server.name in recorded.servers]
    found = list_servers(servers, here(Path(suite.file).parent), announce) if servers else {}
    faults = {name: one for name, one in found.items() if isinstance(one, ServerFault)}
    listings = {name: one for name, one in found.items() if not isinstance(one, ServerFault)}
    return suite, recorded, compare(recorded, listings), faults


def _report(
    suite: "SuitePlan",
    recorded: "Recorded",
    comparisons: "tuple[Comparison, ...]",
    faults: "dict[str, ServerFault]",
    *,
    is_text: bool,
) -> int:
    """Say what was found, and the exit code of it."""
    from ..console import message
    from ..foundations.outside_text import make_visible
    from ..runners.cassettes.cassette_file import record_command

    for comparison in comparisons if is_text else ():
        click.echo(make_visible(f"{suite.file}: {_verdict(comparison)}"))
        for line in _lines(comparison):
            click.echo(f"  {line}")
    for fault in faults.values():
        click.echo(message("\n".join((str(fault), *fault.details)), fault.help), err=True)
    for refused in recorded.refused:
        click.echo(f"refused: {make_visible(refused)}", err=True)
    drifted = [name for comparison in comparisons if comparison.is_drift for name in comparison.tests]
    if drifted or recorded.refused:
        tests = [] if recorded.refused else list(dict.fromkeys(drifted))
        click.echo(f"next: {make_visible(record_command([suite.file], tests))}", err=True)
    return 3 if faults else 4 if drifted or recorded.refused else 0


def _verdict(comparison: "Comparison") -> str:
    from ..console import counted

    tests = counted(len(comparison.tests), "test")
    servers = ", ".join(comparison.servers)
    return f"{tests} recorded with {servers}: {'the tools changed' if comparison.is_drift else 'no drift'}"


def _lines(comparison: "Comparison") -> list[str]:
    from ..runners.catalogs.drift import describe

    lines = [describe(change) for change in comparison.changes]
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
