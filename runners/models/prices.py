"""The cost of a request: a provider's usage times a maintained price table. What is not priced is absent, never 0."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import genai_prices
from genai_prices.data import providers as price_table
from genai_prices.types import StartDateConstraint
from pydantic_ai.messages import ModelResponse

from .names import ModelName

_PROBE = 1_000_000  # any number does: it only shows whether tokens cost anything


class ModelPrice:
    """What a model's tokens cost."""

    def __init__(self, name: ModelName) -> None:
        self._name = name

    def compute_cost(self, input_tokens: int, output_tokens: int) -> Decimal:
        usage = genai_prices.Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        return genai_prices.calc_price(usage, self._name.model, provider_id=self._name.provider).total_price


def find_price(name: ModelName) -> ModelPrice | None:
    """Return a model's price, or None if the table has none or says that it is free."""
    price = ModelPrice(name)
    try:
        return price if price.compute_cost(_PROBE, _PROBE) else None
    except (LookupError, ValueError):
        return None


def compute_response_cost(response: ModelResponse) -> Decimal | None:
    """Return the dollars that one response cost, or None if usage or price is missing, or the price is zero."""
    try:
        return response.cost().total_price or None
    except Exception:  # noqa: BLE001 - whatever a price table fails on, the cost is not known
        return None


def describe_price_table(today: date) -> dict[str, str]:
    """Describe the price table that was used. It has no date of its own: the newest price in it stands for one."""
    started = [found for found in _list_start_dates() if found <= today]
    newest = {"newest_price": max(started).isoformat()} if started else {}
    return {"name": "genai-prices", "version": genai_prices.__version__, **newest}


def _list_start_dates() -> Iterator[date]:
    for model in (model for provider in price_table for model in provider.models):
        for entry in model.prices if isinstance(model.prices, list) else []:
            if isinstance(entry.constraint, StartDateConstraint):
                yield entry.constraint.start_date
