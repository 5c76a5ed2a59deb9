"""Choosing the agent of each cell of a live run, before any server is started."""

from collections.abc import Iterator, Sequence

from ..compiler.plan import LEXICAL
from .agents.agent import Agent
from .agents.lexical import LexicalAgent
from .cell_selection import PlannedCell, make_cell_key
from .models.model_pool import ModelPool


def choose_cell_agents(cells: Sequence[PlannedCell], models: ModelPool) -> dict[str, Agent]:
    """Return the agent of each cell that has a model and no driver, by the cell's key.

    Raise `BadInput` if a model is unknown.
    """
    return dict(_iterate_cell_agents(cells, models))


def _iterate_cell_agents(cells: Sequence[PlannedCell], models: ModelPool) -> Iterator[tuple[str, Agent]]:
    lexical = LexicalAgent()
    for planned in cells:
        model = planned.cell.model
        if model == LEXICAL:
            yield make_cell_key(planned), lexical
        elif model is not None and planned.test.driver is None:
            yield make_cell_key(planned), models.make_agent(model, planned.suite, planned.test)
