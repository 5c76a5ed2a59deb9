"""What stands on stderr about the cells of a run: what was odd, and what stopped them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..runners.result import CellResult


def show_remarks(results: "Sequence[CellResult]", mode: str, note: Callable[[str], None]) -> None:
    """Warnings for those who want to hear them, and every error with its details."""
    from ..compiler.render import visible

    for text in dict.fromkeys(text for result in results for text in result.warnings):
        note(f"warning: {_where([result for result in results if text in result.warnings])}: {visible(text)}")
    for result in results:
        if result.error is not None:
            click.echo(f"{_stopped(result) if mode == 'live' else 'refused'}: {visible(result.error)}", err=True)
            for line in result.details:
                click.echo(f"  {visible(line)}", err=True)


def _where(results: "Sequence[CellResult]") -> str:
    from ..console import counted

    return _named(results[0]) if len(results) == 1 else counted(len(results), "test")


def _stopped(result: "CellResult") -> str:
    """A refusal names the cassette; what stopped a live cell is of the cell."""
    return f"error: {_named(result)}"


def _named(result: "CellResult") -> str:
    from ..compiler.render import visible

    model = f" [{visible(result.cell.model)}]" if result.cell.model else ""
    return f"{visible(result.test.name)}{model}"
