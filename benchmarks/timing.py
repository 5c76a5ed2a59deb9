"""Measures time for the benchmarks: CPU seconds, the least of several tries."""

from collections.abc import Callable
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage


def cpu_seconds() -> float:
    """Return the CPU time of this process and its children, which other load on the machine does not change."""
    return sum(getrusage(who).ru_utime + getrusage(who).ru_stime for who in (RUSAGE_SELF, RUSAGE_CHILDREN))


def least(times: int, *actions: Callable[[], object]) -> list[float]:
    """Return the least CPU seconds of each action in several rounds.

    The actions take turns, so that a busy moment affects all of them.
    """
    best = [float("inf")] * len(actions)
    for _ in range(times):
        for place, action in enumerate(actions):
            start = cpu_seconds()
            action()
            best[place] = min(best[place], cpu_seconds() - start)
    return best


def best_of(times: int, action: Callable[[], object]) -> float:
    """Return the least CPU seconds of several tries of one action."""
    return least(times, action)[0]
