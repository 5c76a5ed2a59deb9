"""The agents of a live run: one for each cell, all of them found before anything is started."""

from collections.abc import Iterator, Sequence

from ..compiler.plan import LEXICAL
from .agents.agent import Agent
from .agents.lexical import LexicalAgent
from .cell_selection import PlannedCell, cell_key
from .models.model_pool import Models


def agents_for(cells: Sequence[PlannedCell], models: Models) -> dict[str, Agent]:
    """An agent for each cell with a model, by the cell's key; a model that nobody knows stops the run here."""
    return dict(_agents(cells, models))


def _agents(cells: Sequence[PlannedCell], models: Models) -> Iterator[tuple[str, Agent]]:
    lexical = LexicalAgent()
    for planned in cells:
        suite, test, cell = planned
        if cell.model == LEXICAL:
            yield cell_key(planned), lexical
        elif cell.model is not None:
            yield cell_key(planned), models.agent(cell.model, suite, test)
