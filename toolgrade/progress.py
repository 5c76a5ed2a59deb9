"""The progress of a live run on stderr: a bar on a terminal, a line for each cell elsewhere."""

import sys
from typing import TYPE_CHECKING, Any

import click

from .console import describe_driver_start, describe_server_start
from .foundations.untrusted_text import make_visible
from .runners.events import CallMade, CellFinished, DriverStarting, Event, RunFinished, RunStarted, ServerStarting
from .site.report.report_model import BROKEN

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def make_progress_listener() -> "ProgressLines | ProgressBar":
    """Return a listener that fits stderr. It shows each command before it starts: a suite may come from anywhere."""
    return ProgressBar() if sys.stderr.isatty() else ProgressLines()


class ProgressLines:
    """A line for each server that is started and each cell that is finished."""

    def __call__(self, event: Event) -> None:
        match event:
            case ServerStarting(server):
                click.echo(describe_server_start(server), err=True)
            case DriverStarting(label, argv):
                click.echo(describe_driver_start(label, argv), err=True)
            case CellFinished(result, done, total):
                model = f" [{make_visible(result.cell.model)}]" if result.cell.model else ""
                click.echo(f"{done}/{total} {result.status}: {make_visible(result.test.name)}{model}", err=True)
            case _:
                pass

    def close(self) -> None:
        """Do nothing: lines need no end."""


class ProgressBar:
    """A bar of cells, with the number of calls."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._calls = 0

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted(cells):
                self._start_bar(cells)
            case ServerStarting(server):
                self._print_above_bar(describe_server_start(server))
            case DriverStarting(label, argv):
                self._print_above_bar(describe_driver_start(label, argv))
            case CallMade():
                self._calls += 1
                self._update_bar()
            case CellFinished(result, done, _):
                if result.status in BROKEN:
                    self._print_above_bar(f"{result.status}: {make_visible(result.test.name)}")
                self._update_bar(completed=done)
            case RunFinished():
                self.close()
            case _:
                pass

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start_bar(self, cells: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("cells, {task.fields[calls]} calls"))
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=cells, calls=0)
        self._bar.start()

    def _update_bar(self, **fields: Any) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, calls=self._calls, **fields)

    def _print_above_bar(self, text: str) -> None:
        if self._bar is not None:
            # Names of tests may hold brackets, which rich would read as its markup.
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
