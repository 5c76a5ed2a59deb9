"""The events of a run. Runners emit them; progress displays and other listeners receive them."""

from collections.abc import Callable
from dataclasses import dataclass

from ..compiler.plan import AnyServer
from .cell_result import CellResult
from .cell_selection import PlannedCell


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run of `cells` cells begins."""

    cells: int


@dataclass(frozen=True, slots=True)
class CellStarted:
    """A cell begins to run."""

    cell: PlannedCell


@dataclass(frozen=True, slots=True)
class ServerStarting:
    """A server is about to be started, or connected to."""

    server: AnyServer


@dataclass(frozen=True, slots=True)
class DriverStarting:
    """A program that runs a conversation is about to be started."""

    label: str
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallMade:
    """A tool was called in a cell."""

    cell: PlannedCell


@dataclass(frozen=True, slots=True)
class CellFinished:
    """A cell has its verdict; `done` of `total` cells are finished."""

    result: CellResult
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class RunFinished:
    """Every cell has its verdict; the results are in the order of the plan."""

    results: tuple[CellResult, ...]


Event = RunStarted | CellStarted | ServerStarting | DriverStarting | CallMade | CellFinished | RunFinished
Listener = Callable[[Event], None]


def discard_event(_event: Event) -> None:
    """Ignore an event."""
