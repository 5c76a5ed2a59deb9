"""The exact test against enumeration, and its error rates by simulation."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgrade.site.report.exact_test import RunValues, compute_overall_p, find_fallen_tests, find_smallest_fall

LEVEL = Fraction(1, 40)
values = st.lists(st.integers(-3, 4), min_size=1, max_size=5).map(tuple)


def count_p_value(tests: Sequence[RunValues]) -> Fraction:
    """Enumerate every way to choose the new runs of every test, and count the sums that are as low as the observed."""
    sums = [[sum(chosen) for chosen in combinations(test.old + test.new, len(test.new))] for test in tests]
    observed = sum(sum(test.new) for test in tests)
    low = [sum(chosen) <= observed for chosen in product(*sums)]
    return Fraction(sum(low), len(low))


@given(values, values)
def test_the_p_value_is_the_share_of_arrangements(old: tuple[int, ...], new: tuple[int, ...]) -> None:
    found = find_fallen_tests([[RunValues(old, new)]], LEVEL)
    assert found.p_values == (count_p_value([RunValues(old, new)]),)
    assert compute_overall_p([RunValues(old, new)]) == found.p_values[0]


@given(st.lists(st.builds(RunValues, values.map(lambda run: run[:3]), values.map(lambda run: run[:3])), max_size=3))
@settings(max_examples=60)
def test_the_whole_comparison_permutes_within_every_test(tests: list[RunValues]) -> None:
    assert compute_overall_p(tests) == count_p_value(tests)


def test_five_runs_that_pass_and_five_that_fail_are_a_fall() -> None:
    found = find_fallen_tests([[RunValues((1,) * 5, (0,) * 5)]], LEVEL)
    assert found.p_values == (Fraction(1, 252),)
    assert found.fallen == (True,)


def test_a_rise_is_a_fall_of_the_mirrored_values() -> None:
    rise = RunValues((0,) * 5, (1,) * 5)
    assert find_fallen_tests([[rise]], LEVEL).fallen == (False,)
    assert find_fallen_tests([[rise.mirror()]], LEVEL).fallen == (True,)


def test_the_correction_counts_no_test_that_cannot_fall() -> None:
    crash, perfect = RunValues((1,) * 5, (0,) * 5), RunValues((1,) * 5, (1,) * 5)
    found = find_fallen_tests([[crash], *[[perfect]] * 40], LEVEL)
    assert found.fallen == (True, *[False] * 40)
    assert found.level == Fraction(1, 40)


def test_the_correction_is_shared_by_tests_that_can_fall() -> None:
    crash, mixed = RunValues((1,) * 5, (0,) * 5), RunValues((1, 1, 1, 0, 0) * 2, (1, 1, 1, 0, 0) * 2)
    found = find_fallen_tests([[crash], *[[mixed]] * 40], LEVEL)
    assert not any(found.fallen)


def test_one_run_a_side_counts_together_alone() -> None:
    lost = [RunValues((1,), (0,))] * 6
    assert not any(find_fallen_tests([[values] for values in lost], LEVEL).fallen)
    assert compute_overall_p(lost) == Fraction(1, 64)


def test_of_two_statistics_the_smaller_p_value_counts_twice() -> None:
    both = [RunValues((3,) * 5, (3,) * 5), RunValues((1,) * 5, (0,) * 5)]
    found = find_fallen_tests([both], LEVEL)
    assert found.p_values == (Fraction(2, 252),)
    assert found.fallen == (True,)


def test_a_test_without_values_never_falls() -> None:
    assert find_fallen_tests([[]], LEVEL).fallen == (False,)


def test_a_comparison_without_tests_finds_nothing() -> None:
    assert find_fallen_tests([], LEVEL).p_values == ()
    assert compute_overall_p([]) == 1


def test_rounded_counts_are_never_below_the_exact_p_value() -> None:
    """Sixty tests of ten runs a side have about 2 ** 1050 arrangements; normal deviates bound the share in between."""
    found = compute_overall_p([RunValues((1,) * 9 + (0,), (1,) * 9 + (0,))] * 60)
    exact = sum(_binomial_tail(60))
    assert 0 <= found - exact < Fraction(1, 2**200)


def _binomial_tail(tests: int) -> list[Fraction]:
    """Two of twenty runs failed: 0, 1 or 2 of them on the new side, in 90, 200 and 90 of 380 arrangements."""
    shares = {0: Fraction(90, 380), 1: Fraction(200, 380), 2: Fraction(90, 380)}
    spread = {0: Fraction(1)}
    for _ in range(tests):
        grown: dict[int, Fraction] = {}
        for failed, share in spread.items():
            for more, other in shares.items():
                grown[failed + more] = grown.get(failed + more, Fraction(0)) + share * other
        spread = grown
    return [share for failed, share in spread.items() if failed >= tests]


def test_a_run_of_many_wrong_calls_and_a_thousand_runs_cost_little() -> None:
    wild = RunValues((3, -100_000) * 5, (2, -90_000) * 5)
    long = RunValues((1,) * 1000, (1,) * 950 + (0,) * 50)
    found = find_fallen_tests([[wild], [long]], LEVEL)
    assert found.fallen == (False, True)


@pytest.mark.parametrize(
    ("old", "new", "fall"), [((1,) * 5, (1,) * 5, 4), ((1,) * 10, (1,) * 10, 5), ((1,), (1,), None)]
)
def test_the_smallest_fall_that_counts(old: tuple[int, ...], new: tuple[int, ...], fall: int | None) -> None:
    assert find_smallest_fall([RunValues(old, new)], LEVEL) == fall
    if fall:
        lost = tuple([1] * (len(old) - fall) + [0] * fall)
        less = tuple([1] * (len(old) - fall + 1) + [0] * (fall - 1))
        assert find_fallen_tests([[RunValues(old, lost)]], LEVEL).fallen == (True,)
        assert find_fallen_tests([[RunValues(old, less)]], LEVEL).fallen == (False,)


def test_the_smallest_fall_of_a_comparison_is_spread_over_its_tests() -> None:
    single = RunValues((1,), (1,))
    assert find_smallest_fall([single] * 10, LEVEL) == 6
    assert find_smallest_fall([single] * 5, LEVEL) is None
    assert find_smallest_fall([], LEVEL) is None


def _draw_side(rng: random.Random, tests: int, runs: int, share: float) -> list[tuple[int, ...]]:
    """Return how many of three classes each run of each test reaches."""
    return [tuple(sum(rng.random() < share for _ in range(3)) for _ in range(runs)) for _ in range(tests)]


def _count_findings(seed: int, tests: int, runs: int, share: float, pairs: int = 400) -> int:
    rng = random.Random(seed)
    found = 0
    for _ in range(pairs):
        sides = _draw_side(rng, tests, runs, 0.9), _draw_side(rng, tests, runs, share)
        values = [RunValues(*pair) for pair in zip(*sides, strict=True)]
        is_fallen = any(find_fallen_tests([[each] for each in values], LEVEL).fallen)
        found += is_fallen or compute_overall_p(values) <= LEVEL
    return found


@pytest.mark.parametrize("runs", [1, 5, 10])
@pytest.mark.parametrize("tests", [1, 5, 20, 100])
def test_equal_agents_are_told_apart_in_at_most_one_pair_of_twenty(tests: int, runs: int) -> None:
    assert _count_findings(2026, tests, runs, 0.9) <= 20


def test_a_fall_to_half_is_found_in_nine_pairs_of_ten() -> None:
    assert _count_findings(2026, 5, 10, 0.5) >= 360
