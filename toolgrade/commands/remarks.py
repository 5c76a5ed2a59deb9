"""Remarks on stderr about the cells of a run: warnings, and errors with their details."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..runners.cell_result import CellResult


def show_remarks(results: "Sequence[CellResult]", mode: str, note: Callable[[str], None]) -> None:
    """Print the warnings of a run through `note`, and every error with its details."""
    from ..foundations.untrusted_text import make_visible

    for text in dict.fromkeys(text for result in results for text in result.warnings):
        cells = _describe_cells([result for result in results if text in result.warnings])
        note(f"warning: {cells}: {make_visible(text)}")
    for result in results:
        if result.error is not None:
            click.echo(
                f"{_describe_stopped_cell(result) if mode == 'live' else 'refused'}: {make_visible(result.error)}",
                err=True,
            )
            for line in result.details:
                click.echo(f"  {make_visible(line)}", err=True)


def _describe_cells(results: "Sequence[CellResult]") -> str:
    from ..console import format_counted_noun

    return _describe_cell(results[0]) if len(results) == 1 else format_counted_noun(len(results), "test")


def _describe_stopped_cell(result: "CellResult") -> str:
    """Return the start of a live cell's error; a refused replay names its cassette instead."""
    return f"error: {_describe_cell(result)}"


def _describe_cell(result: "CellResult") -> str:
    from ..foundations.untrusted_text import make_visible

    model = f" [{make_visible(result.cell.model)}]" if result.cell.model else ""
    return f"{make_visible(result.test.name)}{model}"
