"""Work that can be interrupted: a signal cancels it, and it is given the time to clean up after itself."""

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def run_interruptibly(work: Coroutine[Any, Any, T]) -> T:
    """Run work to its end; Ctrl-C, however often, ends it once, and raises KeyboardInterrupt when it has cleaned up."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(work)
        for name in _SIGNALS:
            with suppress(NotImplementedError, AttributeError):
                loop.add_signal_handler(getattr(signal, name), _cancel_once, task)
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _cancel_once(task: "asyncio.Task[Any]") -> None:
    if not task.cancelling():
        task.cancel()
