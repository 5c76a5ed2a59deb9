"""The engine runs cells on several threads and returns their results in the order of the plan. It emits events."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from .cell_result import CellResult
from .cell_selection import PlannedCell
from .events import CellFinished, CellStarted, Listener, RunFinished, RunStarted, discard_event

RunCell = Callable[[PlannedCell], CellResult]


def run_cells(
    cells: Sequence[PlannedCell], run_cell: RunCell, workers: int = 1, listener: Listener = discard_event
) -> tuple[CellResult, ...]:
    """Run every cell and return the results in the order of `cells`, whichever finishes first."""
    # Listeners print and count: they get one event at a time, whatever thread it comes from.
    one_at_a_time = Lock()
    done = 0

    def run_and_report(cell: PlannedCell) -> CellResult:
        nonlocal done
        with one_at_a_time:
            listener(CellStarted(cell))
        result = run_cell(cell)
        with one_at_a_time:
            done += 1
            listener(CellFinished(result, done, len(cells)))
        return result

    listener(RunStarted(len(cells)))
    results = tuple(_map_cells(run_and_report, cells, workers))
    listener(RunFinished(results))
    return results


def _map_cells(run: RunCell, cells: Sequence[PlannedCell], workers: int) -> Sequence[CellResult]:
    # No pool for one worker: starting threads costs more than replaying a small suite.
    if workers <= 1 or len(cells) <= 1:
        return [run(cell) for cell in cells]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(run, cells))
