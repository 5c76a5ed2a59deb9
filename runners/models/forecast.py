"""Forecasts of a live run's cost, before anything is spent: tools are listed, and no model is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ...compiler.plan import LEXICAL, PlannedTest
from ..catalogs.fingerprint import ServerListing
from ..catalogs.token_surface import count_surface, count_tokens, load_encoding
from ..cell_selection import PlannedCell
from .model_pool import require_models_extra

ListTools = Callable[[PlannedCell], Mapping[str, ServerListing]]


@dataclass(frozen=True, slots=True)
class CellForecast:
    """A cell before it is run. `least` and `most` are dollars; without a price there are none."""

    planned: PlannedCell
    turns: int
    surface_tokens: int
    least: Decimal | None = None
    most: Decimal | None = None


def make_cell_forecasts(cells: Sequence[PlannedCell], list_tools: ListTools) -> tuple[CellForecast, ...]:
    """Return what every cell with an agent would take."""
    return tuple(
        _make_cell_forecast(planned, count_surface(list_tools(planned)).tokens)
        for planned in cells
        if planned.cell.model
    )


def _make_cell_forecast(planned: PlannedCell, surface: int) -> CellForecast:
    test, model = planned.test, planned.cell.model
    turns = test.runs * test.max_turns
    if model is None or model == LEXICAL or test.base_url is not None or test.driver is not None:
        return CellForecast(planned, turns, surface)
    require_models_extra(model)
    from .prices import find_price
    from .providers import resolve_model_name

    price = find_price(resolve_model_name(model))
    if price is None:
        return CellForecast(planned, turns, surface)
    start = surface + _count_prompt_tokens(test)
    most = sum(
        (price.compute_cost(*_compute_turn_tokens(test, start, turn)) for turn in range(test.max_turns)), Decimal(0)
    )
    # The least is one turn a run with an empty answer.
    return CellForecast(planned, turns, surface, test.runs * price.compute_cost(start, 0), test.runs * most)


def _compute_turn_tokens(test: PlannedTest, start: int, turn: int) -> tuple[int, int]:
    """Return the most tokens in and out of a turn, without tool answers, if every earlier one was at its longest."""
    longest = test.sampling.max_tokens
    return start + turn * longest, longest


def _count_prompt_tokens(test: PlannedTest) -> int:
    encoding = load_encoding()
    return sum(count_tokens(encoding, text) for text in (test.prompt, test.system_prompt) if text)
