"""Results come in the order of the plan, whoever finishes first, and listeners hear of everything."""

import random
import time
from pathlib import Path

from tests.recordings import compiled, make_shop
from toolgrade.foundations.canonical_json import to_json
from toolgrade.runners.cell_result import CellResult
from toolgrade.runners.cell_selection import PlannedCell, iterate_cells
from toolgrade.runners.engine import run_cells
from toolgrade.runners.events import CellFinished, CellStarted, Event, RunFinished, RunStarted
from toolgrade.runners.replay import Replay
from toolgrade.site.report.report_model import make_report


def test_the_order_of_results_does_not_depend_on_who_finishes_first(tmp_path: Path) -> None:
    make_shop(tmp_path)
    cells = list(iterate_cells(compiled(tmp_path))) * 6
    replay, chance = Replay(tmp_path / "cassettes"), random.Random(1)

    def late(cell: PlannedCell) -> CellResult:
        time.sleep(chance.random() / 500)
        return replay(cell)

    serial = run_cells(cells, replay)
    for workers in (2, 8, 64):
        assert run_cells(cells, late, workers) == serial


def test_sixty_four_cells_at_once_in_a_hundred_orders_give_the_same_bytes(tmp_path: Path) -> None:
    tests = "".join(
        f"  - {{name: t{number}, prompt: p, model: m, tool_correctness: {{expected_tools: [search, fetch]}}}}\n"
        for number in range(64)
    )
    make_shop(tmp_path, f"tests:\n{tests}")
    plan, chance = compiled(tmp_path), random.Random(2)
    cells = list(iterate_cells(plan))
    replayed = run_cells(cells, Replay(tmp_path / "cassettes"))
    ready = {id(result.test): result for result in replayed}
    serial = to_json(make_report(plan, replayed, "replay"))
    orders: set[tuple[str, ...]] = set()
    for _ in range(100):
        delays = {id(cell.test): chance.random() / 200 for cell in cells}
        finished: list[str] = []

        def late(cell: PlannedCell, delays: dict[int, float] = delays) -> CellResult:
            time.sleep(delays[id(cell.test)])
            return ready[id(cell.test)]

        def listen(event: Event, finished: list[str] = finished) -> None:
            if isinstance(event, CellFinished):
                finished.append(event.result.test.name)

        results = run_cells(cells, late, 64, listen)
        orders.add(tuple(finished))
        assert to_json(make_report(plan, results, "replay")) == serial
    assert len(orders) > 90


def test_listeners_hear_of_every_cell_one_thing_at_a_time(tmp_path: Path) -> None:
    make_shop(tmp_path)
    cells = list(iterate_cells(compiled(tmp_path))) * 4
    for workers in (1, 8):
        events: list[Event] = []
        results = run_cells(cells, Replay(tmp_path / "cassettes"), workers, events.append)
        assert events[0] == RunStarted(len(cells))
        assert events[-1] == RunFinished(results)
        finished = [event for event in events if isinstance(event, CellFinished)]
        assert [(event.done, event.total) for event in finished] == [(n + 1, len(cells)) for n in range(len(cells))]
        assert sum(isinstance(event, CellStarted) for event in events) == len(cells)
