"""What stands on stderr about the cells of a run: what was odd, and what stopped them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..runners.cell_result import CellResult


def show_remarks(results: "Sequence[CellResult]", mode: str, note: Callable[[str], None]) -> None:
    """Warnings for those who want to hear them, and every error with its details."""
    from ..foundations.outside_text import make_visible

    for text in dict.fromkeys(text for result in results for text in result.warnings):
        note(f"warning: {_where([result for result in results if text in result.warnings])}: {make_visible(text)}")
    for result in results:
        if result.error is not None:
            click.echo(f"{_stopped(result) if mode == 'live' else 'refused'}: {make_visible(result.error)}", err=True)
            for line in result.details:
                click.echo(f"  {make_visible(line)}", err=True)


def _where(results: "Sequence[CellResult]") -> str:
    from ..console import counted

    return _named(results[0]) if len(results) == 1 else counted(len(results), "test")


def _stopped(result: "CellResult") -> str:
    """A refusal names the cassette; what stopped a live cell is of the cell."""
    return f"error: {_named(result)}"


def _named(result: "CellResult") -> str:
    from ..foundations.outside_text import make_visible

    model = f" [{make_visible(result.cell.model)}]" if result.cell.model else ""
    return f"{make_visible(result.test.name)}{model}"
