"""`toolgrade doctor`: show what a catalog costs, and what is wrong with it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .servers import add_server_options, make_launch_context, make_server_from_options, print_server_start

if TYPE_CHECKING:
    from ..foundations.fault import ServerFault
    from ..runners.catalogs.checkup import CatalogCheckup
    from ..runners.catalogs.fingerprint import ServerListing

Catalogs = list[tuple[str, "Mapping[str, ServerListing]"]]


@click.command("doctor")
@click.argument("suite", required=False)
@add_server_options
@click.option("--max-tokens", type=click.IntRange(0), metavar="N", help="Exit 1 if a catalog has more tokens.")
@click.option(
    "--freeze", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the catalog to FILE, for `catalog:` in a suite; of several servers, a file each in the folder FILE.",
)  # fmt: skip
@click.option("--all", "show_all", is_flag=True, help="Show every tool, not just the largest.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def doctor_command(
    suite: str | None,
    command: str | None,
    url: str | None,
    headers: tuple[str, ...],
    name: str,
    max_tokens: int | None,
    freeze: Path | None,
    show_all: bool,
    style: str,
) -> None:
    """Show what a catalog of tools costs a model, and what is wrong with it.

    Connects to the servers of a SUITE (a file or a folder), or to the one that --command or --url names, and lists
    their tools; none is called and no model is asked. Findings are few: text that gives the model orders, names that
    clash or look alike, tools described in the same words or not at all, and tools of more than 1,000 tokens.

    \b
    toolgrade doctor suites/research.yml
    toolgrade doctor --command "python -m mcp_server_git"
    toolgrade doctor --url https://example.org/mcp \\
      --header 'Authorization: Bearer ${env:TOKEN}'
    toolgrade doctor suites/ --max-tokens 8000          a budget for CI
    toolgrade doctor --command "uvx excel-mcp-server stdio" \\
      --freeze suites/catalogs/excel.json
    """
    from ..foundations.extras import require_extra
    from ..runners.catalogs.checkup import check_catalog

    require_extra("live", "`toolgrade doctor`")
    catalogs, faults = _collect_catalogs(suite, command, url, headers, name)

    checkups = [check_catalog(label, listings) for label, listings in catalogs]
    _print_checkups(checkups, style, show_all)
    # Half a catalog is not frozen: a suite would take it for the whole.
    if freeze is not None and not faults:
        _freeze_catalogs(freeze, catalogs)
    heavy = [checkup for checkup in checkups if max_tokens is not None and checkup.tokens > max_tokens]
    for checkup in heavy:
        click.echo(f"{checkup.name}: {checkup.tokens:,} tokens are over the budget of {max_tokens:,}", err=True)
    _show_faults(faults)
    if faults or heavy:
        raise click.exceptions.Exit(3 if faults else 1)


def _collect_catalogs(
    suite: str | None, command: str | None, url: str | None, headers: tuple[str, ...], name: str
) -> "tuple[Catalogs, list[ServerFault]]":
    """Return what the servers list, by suite or for the one server that was named; and why some could not be listed."""
    from ..runners.servers.listings import collect_redacted_listings
    from ..runners.suite_files import compile_suites, map_suite_folders
    from .options import require_plan

    server = make_server_from_options(command, url, headers, name)
    if server is not None and suite is not None:
        raise click.UsageError("give a SUITE, or a server with --command or --url")
    if server is not None:
        listings, faults = collect_redacted_listings([server], make_launch_context(), print_server_start)
        return [(name, listings)] if listings else [], list(faults)
    if suite is None:
        raise click.UsageError("give a SUITE, --command or --url")
    compilation = compile_suites(suite)
    plan, folders = require_plan(compilation), map_suite_folders(compilation)
    catalogs: Catalogs = []
    failed: list[ServerFault] = []
    for one in plan.suites:
        place = make_launch_context(folders[one.id])
        listings, faults = collect_redacted_listings(one.servers, place, print_server_start)
        catalogs += [(one.file, listings)] if listings else []
        failed += faults
    return catalogs, failed


def _show_faults(faults: "list[ServerFault]") -> None:
    """Say which servers could not be listed, after what the others list."""
    from ..console import format_fault_message

    for fault in faults:
        click.echo(format_fault_message("\n".join((str(fault), *fault.details)), fault.help), err=True)


def _print_checkups(checkups: "list[CatalogCheckup]", style: str, show_all: bool) -> None:
    from ..console import choose_paint
    from ..doctor_text import format_checkup
    from ..foundations.canonical_json import to_json
    from ..runners.catalogs.checkup import SCHEMA

    if style == "json":
        click.echo(to_json({"schema": SCHEMA, "catalogs": checkups}), nl=False)
    else:
        click.echo("\n".join(format_checkup(checkup, choose_paint(), show_all) for checkup in checkups), nl=False)


def _freeze_catalogs(target: Path, catalogs: Catalogs) -> None:
    from ..compiler.identity import make_suite_id
    from ..foundations.fault import BadInput
    from ..runners.catalogs.frozen_catalog import freeze_catalog

    listings = {server: listing for _, found in catalogs for server, listing in found.items()}
    if len(listings) < sum(len(found) for _, found in catalogs):
        raise BadInput("two suites name different servers alike", "freeze one suite at a time")
    for server, listing in sorted(listings.items()):
        file = target if len(listings) == 1 else target / f"{make_suite_id(server)}.json"
        freeze_catalog(file, server, listing)
        click.echo(f"wrote {file.as_posix()}: {{catalog: {file.name}}} in a suite beside it", err=True)
