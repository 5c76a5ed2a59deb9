"""What happens during a run, as data: runners emit events, and whoever shows or keeps a run listens."""

from collections.abc import Callable
from dataclasses import dataclass

from ..compiler.plan import AnyServer
from .cell_result import CellResult
from .cell_selection import PlannedCell


@dataclass(frozen=True, slots=True)
class RunStarted:
    """So many cells are about to run."""

    cells: int


@dataclass(frozen=True, slots=True)
class CellStarted:
    """A cell is being run."""

    cell: PlannedCell


@dataclass(frozen=True, slots=True)
class ServerStarting:
    """A server is about to be started, or reached."""

    server: AnyServer


@dataclass(frozen=True, slots=True)
class CallMade:
    """A tool was called in a cell."""

    cell: PlannedCell


@dataclass(frozen=True, slots=True)
class CellFinished:
    """A cell has its verdict; it is the `done`-th of `total`."""

    result: CellResult
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class RunFinished:
    """Every cell has its verdict; they are in the order of the plan."""

    results: tuple[CellResult, ...]


Event = RunStarted | CellStarted | ServerStarting | CallMade | CellFinished | RunFinished
Listener = Callable[[Event], None]


def discard_event(_event: Event) -> None:
    """The listener that does nothing."""
