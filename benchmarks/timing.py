"""How benchmarks take time: CPU seconds, the least of several tries."""

from collections.abc import Callable
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage


def cpu_seconds() -> float:
    """Of this process and its children: whatever else keeps the machine busy does not count."""
    return sum(getrusage(who).ru_utime + getrusage(who).ru_stime for who in (RUSAGE_SELF, RUSAGE_CHILDREN))


def least(times: int, *actions: Callable[[], object]) -> list[float]:
    """The least CPU seconds of each action in several rounds, in turns, so that a busy moment falls on all of them."""
    best = [float("inf")] * len(actions)
    for _ in range(times):
        for place, action in enumerate(actions):
            start = cpu_seconds()
            action()
            best[place] = min(best[place], cpu_seconds() - start)
    return best


def best_of(times: int, action: Callable[[], object]) -> float:
    """The least CPU seconds of several tries of one action."""
    return least(times, action)[0]
