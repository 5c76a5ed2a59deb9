"""Trying again: what failed for a moment is asked once more, a bounded number of times, after a bounded wait."""

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
    """Waiting, and the luck that keeps those who wait from coming back together."""

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


async def call_with_retries(attempt: Callable[[], Awaitable[T]], patience: RetryPolicy, clock: Clock) -> tuple[T, int]:
    """What an attempt gives at last, and how many had to be repeated."""
    wait_s = patience.first_wait_s
    for retries in range(patience.attempts):
        try:
            return await attempt(), retries
        except TransientError as setback:
            asked = setback.retry_after_s
            if retries + 1 == patience.attempts:
                raise Fault(f"{setback}; {retries + 1} attempts", "run it again later") from setback
            if asked is not None and asked > patience.longest_wait_s:
                raise Fault(f"{setback}, and asks to wait {asked:.0f} s", "run it again after that") from setback
            await clock.sleep(min(wait_s, patience.longest_wait_s) * clock.jitter() if asked is None else asked)
            wait_s *= 2
    raise AssertionError("patience without an attempt: this is a bug in toolgrade")
