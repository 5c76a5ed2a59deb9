"""Which cells of a plan are meant: by words, names, tags, models and shards."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..compiler.plan import Cell, Plan, PlannedTest, SuitePlan
from ..foundations.fault import BadInput

PlannedCell = tuple[SuitePlan, PlannedTest, Cell]


@dataclass(frozen=True, slots=True)
class Selection:
    """A narrowing of a plan; the empty one selects everything."""

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
        return self == Selection()

    def select_cells(self, plan: Plan) -> list[PlannedCell]:
        """The selected cells, in the order of the plan."""
        part, parts = self.shard
        chosen = [cell for cell in iterate_cells(plan) if self._is_selected(cell)]
        return [cell for index, cell in enumerate(chosen) if index % parts == part - 1]

    def _is_selected(self, planned: PlannedCell) -> bool:
        _, test, cell = planned
        by_text = self.text is None or self.text.casefold() in test.name.casefold()
        by_name = not self.names or test.name in self.names
        by_tag = not self.tags or any(tag in test.tags for tag in self.tags)
        return by_text and by_name and by_tag and (not self.models or cell.model in self.models)


def escape_model(model: str) -> str:
    """A model for `--models`, where a comma parts two of them."""
    return re.sub(r"[,\\]", r"\\\g<0>", model)


def split_models(text: str) -> tuple[str, ...]:
    """The models that `--models` names: parted by commas; `\\,` is a comma of a name."""
    found = re.findall(r"(?:[^,\\]|\\.)+", text, re.DOTALL)
    return tuple(re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in found)


def make_cell_key(planned: PlannedCell) -> str:
    """A cell's name among the cells of all suites."""
    suite, _, cell = planned
    return f"{suite.id}/{cell.id}"


def iterate_cells(plan: Plan) -> Iterator[PlannedCell]:
    """Every cell of a plan, in its order."""
    for suite in plan.suites:
        for test in suite.tests:
            for cell in test.cells:
                yield suite, test, cell
