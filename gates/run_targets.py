"""Run targets: what c of n passed runs say of an agent, counted with integers."""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import comb

KINDS = ("pass_rate", "lower_95")
_DRAWN = re.compile(r"pass([\^@])([1-9][0-9]{0,3})")
RUN_TARGET_PATTERN = r"pass_rate|lower_95|pass[\^@][1-9][0-9]{0,3}"
RUN_TARGET_EXAMPLES = (*KINDS, "pass^3", "pass@3")
MAX_PASS_K = 10
_Z_SQUARED = 38_416
"""The square of 1.96, times ten thousand."""


def is_run_target(word: str) -> bool:
    """Return whether the word after a gate's prefix is a run target: `pass_rate`, `lower_95`, `pass^3`, `pass@3`."""
    return word in KINDS or _DRAWN.fullmatch(word) is not None


def get_drawn_runs(word: str) -> int | None:
    """Return K of `pass^K` and `pass@K`."""
    match = _DRAWN.fullmatch(word)
    return int(match[2]) if match else None


def compute_run_target(word: str, passed: int, runs: int) -> int | None:
    """Return the percent; None if there are no runs, or fewer than K."""
    drawn = get_drawn_runs(word) or 1
    if drawn > runs:
        return None
    if word == "pass_rate":
        return 100 * passed // runs
    if word == "lower_95":
        return compute_wilson_bound(passed, runs)
    return _compute_all_pass(passed, runs, drawn) if "^" in word else _compute_any_passes(passed, runs, drawn)


def compute_wilson_bound(passed: int, runs: int) -> int:
    """Return Wilson's lower bound of the pass rate with z = 1.96, in whole percents.

    A percent b is below the bound if the observed rate is above b by at least z standard errors of b.
    """
    bound = 0
    for percent in range(1, 100):
        excess = 100 * passed - runs * percent
        # Wilson's inequality, squared and multiplied out, so that it needs neither a root nor a float.
        if excess < 0 or 10_000 * excess * excess < _Z_SQUARED * runs * percent * (100 - percent):
            break
        bound = percent
    return bound


def _compute_all_pass(passed: int, runs: int, drawn: int) -> int:
    """Return how likely it is that `drawn` runs, drawn without replacement, all pass."""
    return 100 * comb(passed, drawn) // comb(runs, drawn)


def _compute_any_passes(passed: int, runs: int, drawn: int) -> int:
    """Return how likely it is that one of `drawn` runs, drawn without replacement, passes."""
    return 100 * (comb(runs, drawn) - comb(runs - passed, drawn)) // comb(runs, drawn)


def compute_pass_k(cells: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Return the mean of C(passed, k) / C(runs, k) over cells of several runs, for each k that all of them have.

    Text with four decimals, cut off; empty if there is no cell.
    """
    most = min((runs for _, runs in cells), default=0)
    return {str(drawn): _cut_decimals(_average_all_pass(cells, drawn)) for drawn in range(1, min(most, MAX_PASS_K) + 1)}


def _average_all_pass(cells: Sequence[tuple[int, int]], drawn: int) -> Fraction:
    return sum((Fraction(comb(passed, drawn), comb(runs, drawn)) for passed, runs in cells), Fraction(0)) / len(cells)


def _cut_decimals(share: Fraction) -> str:
    whole, rest = divmod(share.numerator * 10_000 // share.denominator, 10_000)
    return f"{whole}.{rest:04d}"
