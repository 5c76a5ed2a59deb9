"""Results come in the order of the plan, whoever finishes first, and listeners hear of everything."""

import random
import time
from pathlib import Path

from tests.recordings import compiled, make_shop
from toolgrade.runners.engine import run_cells
from toolgrade.runners.events import CellFinished, CellStarted, Event, RunFinished, RunStarted
from toolgrade.runners.replay import Replay
from toolgrade.runners.result import CellResult
from toolgrade.runners.selection import PlannedCell, all_cells


def test_the_order_of_results_does_not_depend_on_who_finishes_first(tmp_path: Path) -> None:
    make_shop(tmp_path)
    cells = list(all_cells(compiled(tmp_path))) * 6
    replay, chance = Replay(tmp_path / "cassettes"), random.Random(1)

    def late(cell: PlannedCell) -> CellResult:
        time.sleep(chance.random() / 500)
        return replay(cell)

    serial = run_cells(cells, replay)
    for workers in (2, 8, 64):
        assert run_cells(cells, late, workers) == serial


def test_listeners_hear_of_every_cell_one_thing_at_a_time(tmp_path: Path) -> None:
    make_shop(tmp_path)
    cells = list(all_cells(compiled(tmp_path))) * 4
    for workers in (1, 8):
        events: list[Event] = []
        results = run_cells(cells, Replay(tmp_path / "cassettes"), workers, events.append)
        assert events[0] == RunStarted(len(cells))
        assert events[-1] == RunFinished(results)
        finished = [event for event in events if isinstance(event, CellFinished)]
        assert [(event.done, event.total) for event in finished] == [(n + 1, len(cells)) for n in range(len(cells))]
        assert sum(isinstance(event, CellStarted) for event in events) == len(cells)
