"""The models of a live run: reached once, held to one budget and to a number of requests for each provider at once."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from types import TracebackType
from typing import TYPE_CHECKING

from ...compiler.plan import PlannedTest, SuitePlan
from ...foundations.extras import require_extra
from ...foundations.fault import BadInput
from ..agents.agent import Agent
from .budget import Budget
from .retries import Clock, RealClock, RetryPolicy

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from .names import ModelName

DEFAULT_CONCURRENCY = 8


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """What a run may do at most: dollars over all suites, and requests under way at each provider."""

    max_cost: Decimal | None = None
    max_concurrency: int = DEFAULT_CONCURRENCY
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)


class ModelPool:
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

    def make_agent(self, model: str, suite: SuitePlan, test: PlannedTest) -> Agent:
        """Return the agent for a test with this model. Raise a `Fault` if the model is unknown or lacks a key."""
        require_models_extra(model)
        from .conversation import ModelAgent, ModelConnection
        from .prices import find_price

        name, connection = self._connect_once(model, test)
        budget = self._get_suite_budget(suite)
        price = find_price(name)
        # A model at an address of one's own has no price, and spends none of the budget.
        if price is None and budget.is_limited and test.base_url is None:
            help_ = f"run without a budget, or without this model (--models), or update genai-prices for `{name.model}`"
            raise BadInput(f"no price is known for `{model}`: a budget cannot hold it", help_)
        # An address of one's own is a provider of its own.
        limit = self._get_provider_semaphore(test.base_url or name.provider)
        return ModelAgent(
            ModelConnection(
                model, connection, test.sampling, limit, budget, price, self._limits.retry_policy, self._clock
            )
        )

    async def __aenter__(self) -> "ModelPool":
        for _, connection in self._connected.values():
            await self._open.enter_async_context(connection)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    def _connect_once(self, model: str, test: PlannedTest) -> "tuple[ModelName, Model]":
        from .providers import connect_model, get_api_key

        key = (model, test.base_url, test.api_key_env)
        if key not in self._connected:
            api_key = get_api_key(test.api_key_env, self._environ) if test.base_url else None
            self._connected[key] = connect_model(model, test.base_url, api_key)
        return self._connected[key]

    def _get_suite_budget(self, suite: SuitePlan) -> Budget:
        return self._suite_budgets.setdefault(suite.id, Budget(suite.max_cost, inside=self.budget))

    def _get_provider_semaphore(self, provider: str) -> asyncio.Semaphore:
        return self._semaphores.setdefault(provider, asyncio.Semaphore(self._limits.max_concurrency))


def require_models_extra(model: str) -> None:
    """Raise `MissingExtra` if the libraries that reach model providers are not installed."""
    require_extra("models", f"the model `{model}`")
