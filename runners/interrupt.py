"""Running asynchronous work so that a signal cancels it and it still cleans up after itself."""

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def run_interruptibly(work: Coroutine[Any, Any, T]) -> T:
    """Run work and return its result. Raise `KeyboardInterrupt` if a signal came, after the work has cleaned up."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(work)
        for name in _SIGNALS:
            # Windows has no signal handlers in its event loop; SIGHUP exists on POSIX alone.
            with suppress(NotImplementedError, AttributeError):
                loop.add_signal_handler(getattr(signal, name), _cancel_once, task)
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _cancel_once(task: "asyncio.Task[Any]") -> None:
    # A second Ctrl-C must not cancel the clean-up that the first one started: servers would be left running.
    if not task.cancelling():
        task.cancel()
