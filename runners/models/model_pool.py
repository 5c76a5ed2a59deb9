"""The models of a live run: reached once, held to one budget and to a number of requests for each provider at once."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING

from ...compiler.plan import PlannedTest, SuitePlan
from ...foundations.fault import BadInput, Fault
from ..agents.agent import Agent
from .budget import Budget
from .retries import Clock, Patience, RealClock

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from .names import ModelName

DEFAULT_CONCURRENCY = 8


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """What a run may do at most: dollars over all suites, and requests under way at each provider."""

    max_cost: Decimal | None = None
    max_concurrency: int = DEFAULT_CONCURRENCY
    patience: Patience = field(default_factory=Patience)


class Models:
    """Gives an agent for each cell with a model. Whatever a model lacks is found here, before anything starts."""

    def __init__(
        self, environ: Mapping[str, str], limits: ModelLimits | None = None, clock: Clock | None = None
    ) -> None:
        self._environ = environ
        self._limits = limits or ModelLimits()
        self._clock = clock or RealClock()
        self.budget = Budget(self._limits.max_cost)
        self._suite_budgets: dict[str, Budget] = {}
        self._connected: dict[tuple[str, str | None, str | None], tuple[ModelName, Model]] = {}
        self._semaphores: dict[str, asyncio.Semaphore] = {}
        self._open = AsyncExitStack()

    def agent(self, model: str, suite: SuitePlan, test: PlannedTest) -> Agent:
        """The agent that a test of a suite runs with this model."""
        check_extra(model)
        from .conversation import Line, ModelAgent
        from .prices import price_of

        name, connection = self._connect(model, test)
        budget = self._budget(suite)
        price = price_of(name)
        if price is None and budget.is_limited and test.base_url is None:
            help_ = f"run without a budget, or without this model (--models), or update genai-prices for `{name.model}`"
            raise BadInput(f"no price is known for `{model}`: a budget cannot hold it", help_)
        limit = self._semaphore(test.base_url or name.provider)
        return ModelAgent(
            Line(model, connection, test.sampling, limit, budget, price, self._limits.patience, self._clock)
        )

    async def __aenter__(self) -> "Models":
        for _, connection in self._connected.values():
            await self._open.enter_async_context(connection)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    def _connect(self, model: str, test: PlannedTest) -> "tuple[ModelName, Model]":
        from .providers import connect, key_for

        key = (model, test.base_url, test.api_key_env)
        if key not in self._connected:
            api_key = key_for(test.api_key_env, self._environ) if test.base_url else None
            self._connected[key] = connect(model, test.base_url, api_key)
        return self._connected[key]

    def _budget(self, suite: SuitePlan) -> Budget:
        return self._suite_budgets.setdefault(suite.id, Budget(suite.max_cost, inside=self.budget))

    def _semaphore(self, provider: str) -> asyncio.Semaphore:
        return self._semaphores.setdefault(provider, asyncio.Semaphore(self._limits.max_concurrency))


def check_extra(model: str) -> None:
    """Refuse a model where what asks models is not installed."""
    try:
        is_installed = find_spec("pydantic_ai") is not None
    except ValueError:
        is_installed = False
    if not is_installed:
        raise Fault(f"`{model}` needs the extra `models`", "pip install 'toolgrade[models]'")
