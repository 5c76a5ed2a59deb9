"""The engine: cells in, results out in the order of the plan, however many work at once. It emits events."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from .result import CellResult
from .selection import PlannedCell

RunCell = Callable[[PlannedCell], CellResult]


@dataclass(frozen=True, slots=True)
class CellFinished:
    """A cell has its verdict."""

    result: CellResult
    done: int
    total: int


Listener = Callable[[CellFinished], None]


def run_cells(cells: Sequence[PlannedCell], run_cell: RunCell, workers: int, listener: Listener) -> list[CellResult]:
    """Run every cell; the order of the results does not depend on who finishes first."""
    done = 0

    def finish(result: CellResult) -> CellResult:
        nonlocal done
        done += 1
        listener(CellFinished(result, done, len(cells)))
        return result

    if workers <= 1 or len(cells) <= 1:
        return [finish(run_cell(cell)) for cell in cells]
    with ThreadPoolExecutor(workers) as pool:
        return [finish(result) for result in pool.map(run_cell, cells)]
