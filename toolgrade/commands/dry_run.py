"""`toolgrade run --mode live --dry-run`: what a live run would take, before anything is spent."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from .servers import announce, here

if TYPE_CHECKING:
    from ..compiler.compile import Compilation
    from ..runners.catalogs.fingerprint import ServerListing
    from ..runners.cell_selection import PlannedCell
    from ..runners.models.forecast import CellForecast


def dry_run(compilation: "Compilation", cells: "Sequence[PlannedCell]") -> None:
    """List the tools of every cell, and print what running it would take."""
    from ..runners.live_cell import servers_of
    from ..runners.models.forecast import forecast
    from ..runners.servers.listings import listed
    from ..runners.suite_files import suite_folders

    folders = suite_folders(compilation)
    known: dict[tuple[str, tuple[str, ...]], Mapping[str, ServerListing]] = {}

    def list_tools(planned: "PlannedCell") -> "Mapping[str, ServerListing]":
        suite, test, _ = planned
        key = (suite.id, test.servers)
        if key not in known:
            known[key] = listed(servers_of(planned), here(folders[suite.id]), announce)
        return known[key]

    found = forecast(cells, list_tools)
    for one in found:
        click.echo(_line(one))
    click.echo(_total(found))


def _line(one: "CellForecast") -> str:
    from ..foundations.outside_text import make_visible

    _, test, cell = one.planned
    counts = f"{test.runs} runs, at most {one.turns} turns, {one.surface_tokens:,} surface tokens"
    return f"{make_visible(test.name)} [{make_visible(cell.model or '')}]: {counts}, {_range(one.least, one.most)}"


def _total(found: "Sequence[CellForecast]") -> str:
    priced = [(one.least, one.most) for one in found if one.least is not None and one.most is not None]
    least, most = (sum(amounts, Decimal(0)) for amounts in zip(*priced, strict=True)) if priced else (None, None)
    runs = sum(one.planned[1].runs for one in found)
    turns = sum(one.turns for one in found)
    return f"{len(found)} cells, {runs} runs, at most {turns} turns, {_range(least, most)}. Nothing was spent."


def _range(least: Decimal | None, most: Decimal | None) -> str:
    """From one unanswered turn a run to every turn at its longest; what tools answer comes on top."""
    if least is None or most is None:
        return "no price"
    return f"${least:.4f} to ${most:.4f} and what tools answer"
