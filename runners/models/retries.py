"""Retries: an attempt that failed in a way that may pass is made again, a bounded number of times."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ...foundations.fault import Fault

T = TypeVar("T")


class TransientError(Exception):
    """An attempt that failed in a way that may pass."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Clock(Protocol):
    """Waiting, and the random factor that spreads those who wait."""

    async def sleep(self, seconds: float) -> None: ...

    def jitter(self) -> float: ...


class RealClock:
    """Time as it passes."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def jitter(self) -> float:
        return random.uniform(0.5, 1.0)  # noqa: S311 - it spreads load, it guards nothing


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often to try, and how long to wait between: twice as long each time, or what the provider asks for."""

    attempts: int = 6
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0


async def call_with_retries(attempt: Callable[[], Awaitable[T]], policy: RetryPolicy, clock: Clock) -> tuple[T, int]:
    """Return the result of the first attempt that succeeds, and the number of retries. Raise a `Fault` if none does."""
    wait_s = policy.first_wait_s
    for retries in range(policy.attempts):
        try:
            return await attempt(), retries
        except TransientError as error:
            asked = error.retry_after_s
            if retries + 1 == policy.attempts:
                raise Fault(f"{error}; {retries + 1} attempts", "run it again later") from error
            if asked is not None and asked > policy.longest_wait_s:
                raise Fault(f"{error}, and asks to wait {asked:.0f} s", "run it again after that") from error
            # Exponential backoff with jitter, unless the provider says how long to wait.
            await clock.sleep(min(wait_s, policy.longest_wait_s) * clock.jitter() if asked is None else asked)
            wait_s *= 2
    raise AssertionError("a policy without an attempt: this is a bug in toolgrade")
