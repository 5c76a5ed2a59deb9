"""`toolgrade run --mode live --dry-run`: forecast turns, tokens and cost, before anything is spent."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from .servers import make_launch_context, print_server_start

if TYPE_CHECKING:
    from ..compiler.compilation import Compilation
    from ..runners.catalogs.fingerprint import ServerListing
    from ..runners.cell_selection import PlannedCell
    from ..runners.models.forecast import CellForecast


def print_forecast(compilation: "Compilation", cells: "Sequence[PlannedCell]") -> None:
    """List the tools of every cell, and print what running it would take."""
    from ..runners.live_cell import list_test_servers
    from ..runners.models.forecast import make_cell_forecasts
    from ..runners.servers.listings import require_server_listings
    from ..runners.suite_files import map_suite_folders

    folders = map_suite_folders(compilation)
    known: dict[tuple[str, tuple[str, ...]], Mapping[str, ServerListing]] = {}

    def list_tools(planned: "PlannedCell") -> "Mapping[str, ServerListing]":
        # Once for all cells with the same servers: each listing starts them anew.
        key = (planned.suite.id, planned.test.servers)
        if key not in known:
            known[key] = require_server_listings(
                list_test_servers(planned), make_launch_context(folders[planned.suite.id]), print_server_start
            )
        return known[key]

    found = make_cell_forecasts(cells, list_tools)
    for one in found:
        click.echo(_format_cell(one))
    click.echo(_format_total(found))


def _format_cell(one: "CellForecast") -> str:
    from ..foundations.untrusted_text import make_visible

    test = one.planned.test
    counts = f"{test.runs} runs, at most {one.turns} turns, {one.surface_tokens:,} surface tokens"
    name = f"{make_visible(test.name)} [{make_visible(one.planned.cell.model or '')}]"
    cost = "the program's own login pays" if test.driver else _format_cost_range(one.least, one.most)
    return f"{name}: {counts}, {cost}"


def _format_total(found: "Sequence[CellForecast]") -> str:
    priced = [(one.least, one.most) for one in found if one.least is not None and one.most is not None]
    least, most = (sum(amounts, Decimal(0)) for amounts in zip(*priced, strict=True)) if priced else (None, None)
    runs = sum(one.planned.test.runs for one in found)
    turns = sum(one.turns for one in found)
    return (
        f"{len(found)} cells, {runs} runs, at most {turns} turns, {_format_cost_range(least, most)}. Nothing was spent."
    )


def _format_cost_range(least: Decimal | None, most: Decimal | None) -> str:
    """Return the range of costs: from one turn a run, to every turn at its longest; tool answers come on top."""
    if least is None or most is None:
        return "no price"
    return f"${least:.4f} to ${most:.4f} and what tools answer"
