"""Exact permutation tests: whether the runs of two reports differ by more than chance, counted with integers.

If nothing changed, the runs of both sides are exchangeable: every way to choose which of them are the new ones is
equally likely. The arrangements whose new side is as low as the one observed, or lower, are counted.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import accumulate
from math import comb
from typing import Literal

# Bounds of the cost: pooled values span about this many sums, and totals keep this many bits.
_MAX_WIDTH = 2_000
_MAX_BITS = 256


@dataclass(frozen=True, slots=True)
class RunValues:
    """A value for each run of a test, on both sides; more is better."""

    old: tuple[int, ...]
    new: tuple[int, ...]
    unit: Literal["hits", "runs"] = "hits"

    def mirror(self) -> "RunValues":
        """Return the values with worse for better: a rise becomes a fall."""
        return RunValues(tuple(-value for value in self.old), tuple(-value for value in self.new), self.unit)


@dataclass(frozen=True, slots=True)
class FallenTests:
    """Which of several tests fell by more than chance."""

    p_values: tuple[Fraction, ...]
    fallen: tuple[bool, ...]
    level: Fraction
    """The p-value at which the first test counts."""


@dataclass(frozen=True, slots=True)
class _Arrangements:
    """The number of arrangements for each sum of the new side, from the lowest possible sum on."""

    counts: tuple[int, ...]
    total: int

    def compute_p_value(self, excess: int) -> Fraction:
        """Return the share of arrangements whose sum is at most `excess` above the lowest."""
        return min(Fraction(1), Fraction(sum(self.counts[: excess + 1]), self.total))


_CERTAIN = _Arrangements((1,), 1)


def find_fallen_tests(tests: Sequence[Sequence[RunValues]], level: Fraction) -> FallenTests:
    """Return which tests fell, at one level over all of them (Holm).

    A test may have several statistics; the smallest of their p-values counts, times their number (Bonferroni).
    """
    counted = [[_count_arrangements_of(values) for values in statistics] for statistics in tests]
    p_values = tuple(
        min((found.compute_p_value(excess) * len(each) for found, excess in each), default=Fraction(1))
        for each in counted
    )
    lowest = [min((found.compute_p_value(0) * len(each) for found, _ in each), default=Fraction(1)) for each in counted]
    fallen, first = _apply_holm(p_values, lowest, level)
    return FallenTests(tuple(min(Fraction(1), p) for p in p_values), fallen, first)


def compute_overall_p(tests: Sequence[RunValues]) -> Fraction:
    """Return how likely the sum over all tests is as low as it is, permuting within every test.

    It sees many small falls, and falls of one run a side, which no test shows alone.
    """
    counted = [_count_arrangements_of(values) for values in tests]
    # The smallest first, so that the products grow as late as possible.
    whole = reduce(_add_test, sorted((found for found, _ in counted), key=lambda found: found.total), _CERTAIN)
    return whole.compute_p_value(sum(excess for _, excess in counted))


def find_smallest_fall(tests: Sequence[RunValues], level: Fraction) -> int | None:
    """Return by how much all new sides together would have to be below the old ones to count; None if no fall would.

    The new sides are like the old ones, with as much taken away from each test, from whichever of its runs is best.
    """
    known = [values for values in tests if values.old and values.new]
    like_old = [_copy_old_side(values) for values in known]
    floors = [min(0, *side) for side in like_old]
    most = sum(sum(side) - floor * len(side) for side, floor in zip(like_old, floors, strict=True))

    def is_enough(fall: int) -> bool:
        shares = [fall // len(known) + (place < fall % len(known)) for place in range(len(known))]
        lowered = map(_lower, like_old, floors, shares)
        return (
            compute_overall_p([RunValues(*pair) for pair in zip((v.old for v in known), lowered, strict=True)]) <= level
        )

    # The p-value only falls as the fall grows, so halving finds the smallest that counts.
    fall = bisect_left(range(most + 1), True, key=is_enough) if known else 1
    return fall if fall <= most else None


def _copy_old_side(values: RunValues) -> list[int]:
    """Return runs like the old ones, as many as the new side has."""
    old = sorted(values.old, reverse=True)
    return [old[place * len(old) // len(values.new)] for place in range(len(values.new))]


def _lower(values: Sequence[int], floor: int, fall: int) -> tuple[int, ...]:
    """Return the values with `fall` taken away in all, the highest first, none below the floor."""
    lowered = list(values)
    for _ in range(fall):
        best = max(range(len(lowered)), key=lowered.__getitem__)
        lowered[best] = max(floor, lowered[best] - 1)
    return tuple(lowered)


def _count_arrangements_of(values: RunValues) -> tuple[_Arrangements, int]:
    """Return the arrangements of a test, and how far above the lowest of them its new side is."""
    old, new = _bound_values(values)
    pooled = sorted(old + new)
    lowest = sum(pooled[: len(new)])
    shape = tuple(value - pooled[0] for value in pooled) if pooled else ()
    return _count_arrangements(shape, len(new)), sum(new) - lowest


def _bound_values(values: RunValues) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the values with the worst raised to a bound, which both sides set together.

    A bound that does not know the sides keeps the test exact, and a run that made a thousand wrong calls cheap.
    """
    pooled = values.old + values.new
    bound = max(pooled, default=0) - max(1, _MAX_WIDTH // max(1, len(pooled)))
    return tuple(max(bound, value) for value in values.old), tuple(max(bound, value) for value in values.new)


@lru_cache(maxsize=4096)
def _count_arrangements(shape: tuple[int, ...], size: int) -> _Arrangements:
    """Return how many choices of `size` values have each sum.

    A polynomial in one integer (Kronecker substitution): the coefficient of the sum s is at bit s * bits, and no
    coefficient outgrows its bits, as there are 2 ** len(shape) choices of any size.
    """
    # Whole bytes a coefficient, so that unpacking slices bytes instead of shifting one long integer.
    bits = _round_to_bytes(len(shape) + 1)
    by_size = [1] + [0] * size
    groups = sorted(Counter(shape).items())
    for place, (value, times) in enumerate(groups):
        # Equal values are taken together: the binomial counts which of them are chosen.
        ways = [comb(times, chosen) << value * chosen * bits for chosen in range(min(times, size) + 1)]
        # After the last group only choices of the full size matter.
        sizes = range(size, -1, -1) if place < len(groups) - 1 else (size,)
        grown = {
            whole: sum(ways[chosen] * by_size[whole - chosen] for chosen in range(min(len(ways) - 1, whole) + 1))
            for whole in sizes
        }
        for whole, polynomial in grown.items():
            by_size[whole] = polynomial
    return _Arrangements(_trim(_unpack(by_size[size], bits)), comb(len(shape), size))


def _round_to_bytes(bits: int) -> int:
    return -(-bits // 8) * 8


def _unpack(polynomial: int, bits: int) -> tuple[int, ...]:
    width = bits // 8
    data = polynomial.to_bytes(-(-polynomial.bit_length() // bits) * width, "little")
    return tuple(int.from_bytes(data[place : place + width], "little") for place in range(0, len(data), width))


def _trim(counts: tuple[int, ...]) -> tuple[int, ...]:
    """Return the counts from the lowest possible sum on."""
    first = next(place for place, count in enumerate(counts) if count)
    return counts[first:]


def _add_test(whole: _Arrangements, other: _Arrangements) -> _Arrangements:
    """Return the arrangements of both, permuted apart and summed; scaled down, rounding up, if they get too many.

    A p-value from rounded counts is never too small, so the level holds.
    """
    # A test with one possible sum says nothing, and would only lengthen the integers.
    if len(other.counts) == 1:
        return whole
    total = whole.total * other.total
    bits = _round_to_bytes(total.bit_length())
    product = _pack(whole.counts, bits) * _pack(other.counts, bits)
    counts = _unpack(product, bits)
    surplus = total.bit_length() - _MAX_BITS
    if surplus <= 0:
        return _Arrangements(counts, total)
    return _Arrangements(tuple(-(-count >> surplus) for count in counts), total >> surplus)


def _pack(counts: tuple[int, ...], bits: int) -> int:
    return int.from_bytes(b"".join(count.to_bytes(bits // 8, "little") for count in counts), "little")


def _apply_holm(
    p_values: Sequence[Fraction], lowest: Sequence[Fraction], level: Fraction
) -> tuple[tuple[bool, ...], Fraction]:
    """Return which p-values count at one level for all of them, and the level of the smallest.

    Tarone: a test whose lowest possible p-value is above its share of the level cannot count and takes no share. That
    is known before the sides are, so it costs nothing.
    """
    shares = next(many for many in range(1, len(lowest) + 2) if sum(p * many <= level for p in lowest) <= many)
    eligible = [place for place, p in enumerate(lowest) if p * shares <= level]
    ranked = sorted(eligible, key=lambda place: p_values[place])
    # Holm stops at the first p-value that does not count; `min` carries that to all later ones.
    held = accumulate((p_values[place] * (len(ranked) - rank) <= level for rank, place in enumerate(ranked)), min)
    fallen = {place for place, is_fallen in zip(ranked, held, strict=True) if is_fallen}
    return tuple(place in fallen for place in range(len(p_values))), level / max(1, len(ranked))
