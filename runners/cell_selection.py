"""The cells of a plan, and selecting some of them by text, name, tag, model or shard."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..compiler.plan import Cell, Plan, PlannedTest, SuitePlan
from ..foundations.fault import BadInput
from ..gates.gate import Gate


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One test of a suite with one model."""

    suite: SuitePlan
    test: PlannedTest
    cell: Cell

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The gates of the test that apply to the model."""
        positions = self.cell.gates
        return self.test.gates if positions is None else tuple(self.test.gates[at] for at in positions)


@dataclass(frozen=True, slots=True)
class Selection:
    """The conditions that a cell must meet to be run; without any, every cell is selected."""

    text: str | None = None
    tags: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        part, parts = self.shard
        if not 1 <= part <= parts:
            raise BadInput(f"no part {part} of {parts} to select", "write shard=(i, n), such as (1, 4)")
        for field in ("tags", "models", "names"):
            if isinstance(getattr(self, field), str):  # else its letters would be taken for names
                raise BadInput(f"`{field}` must be a list of names, not text", f"write {field}=(name,)")

    @property
    def is_everything(self) -> bool:
        """Return whether no condition is set."""
        return self == Selection()

    def select_cells(self, plan: Plan) -> list[PlannedCell]:
        """Return the selected cells, in the order of the plan."""
        part, parts = self.shard
        chosen = [cell for cell in iterate_cells(plan) if self._is_selected(cell)]
        # Round robin: the tests of one slow suite are spread over all shards.
        return [cell for index, cell in enumerate(chosen) if index % parts == part - 1]

    def _is_selected(self, planned: PlannedCell) -> bool:
        test = planned.test
        by_text = self.text is None or self.text.casefold() in test.name.casefold()
        by_name = not self.names or test.name in self.names
        by_tag = not self.tags or any(tag in test.tags for tag in self.tags)
        return by_text and by_name and by_tag and (not self.models or planned.cell.model in self.models)


def escape_model(model: str) -> str:
    """Return a model's name as `--models` takes it, with commas and backslashes escaped."""
    return re.sub(r"[,\\]", r"\\\g<0>", model)


def split_models(text: str) -> tuple[str, ...]:
    """Return the names in a `--models` list. They are separated by commas; `\\,` is a comma within a name."""
    parts = re.findall(r"(?:[^,\\]|\\.)+", text, re.DOTALL)
    return tuple(re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in parts)


def make_cell_key(planned: PlannedCell) -> str:
    """Return the key of a cell, unique among the cells of all suites."""
    return f"{planned.suite.id}/{planned.cell.id}"


def iterate_cells(plan: Plan) -> Iterator[PlannedCell]:
    """Yield every cell of a plan, in its order."""
    for suite in plan.suites:
        for test in suite.tests:
            for cell in test.cells:
                yield PlannedCell(suite, test, cell)
