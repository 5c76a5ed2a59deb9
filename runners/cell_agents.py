"""The agents of a live run: one for each cell, all of them found before anything is started."""

from collections.abc import Iterator, Sequence

from ..compiler.plan import LEXICAL
from .agents.agent import Agent
from .agents.lexical import LexicalAgent
from .cell_selection import PlannedCell, make_cell_key
from .models.model_pool import ModelPool


def choose_cell_agents(cells: Sequence[PlannedCell], models: ModelPool) -> dict[str, Agent]:
    """An agent for each cell with a model, by the cell's key; a model that nobody knows stops the run here."""
    return dict(_iterate_cell_agents(cells, models))


def _iterate_cell_agents(cells: Sequence[PlannedCell], models: ModelPool) -> Iterator[tuple[str, Agent]]:
    lexical = LexicalAgent()
    for planned in cells:
        model = planned.cell.model
        if model == LEXICAL:
            yield make_cell_key(planned), lexical
        elif model is not None:
            yield make_cell_key(planned), models.make_agent(model, planned.suite, planned.test)
