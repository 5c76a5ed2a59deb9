"""Results come in the order of the plan, whoever finishes first."""

import random
import time
from pathlib import Path

from tests.recordings import compiled, make_shop
from toolgrade.runners.engine import CellFinished, run_cells
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

    events: list[CellFinished] = []
    serial = run_cells(cells, replay, 1, events.append)
    assert [event.done for event in events] == list(range(1, len(cells) + 1))
    for workers in (2, 8, 64):
        assert run_cells(cells, late, workers, lambda _event: None) == serial
