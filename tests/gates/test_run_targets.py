"""Run targets against rational arithmetic of its own, published figures and the conformance cases."""

import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from toolgrade.gates.run_targets import compute_pass_k, compute_run_target, get_drawn_runs, is_run_target

CASES: list[dict[str, int]] = json.loads((Path(__file__).parents[1] / "conformance" / "run_targets.json").read_text())


@cache
def share_of_draws(passed: int, runs: int, drawn: int, wanted: int) -> Fraction:
    """The share of ordered draws in which `wanted` runs pass: one run at a time, by exact rational arithmetic."""
    if drawn == 0:
        return Fraction(int(wanted == 0))
    if wanted < 0:
        return Fraction(0)
    hit = Fraction(0)
    if passed:
        hit = Fraction(passed, runs) * share_of_draws(passed - 1, runs - 1, drawn - 1, wanted - 1)
    miss = Fraction(runs - passed, runs)
    return hit + (miss * share_of_draws(passed, runs - 1, drawn - 1, wanted) if miss else Fraction(0))


@pytest.mark.parametrize("runs", range(1, 31))
def test_the_targets_are_floored_rational_probabilities(runs: int) -> None:
    for passed in range(runs + 1):
        assert compute_run_target("pass_rate", passed, runs) == math.floor(Fraction(100 * passed, runs))
        for drawn in range(1, runs + 1):
            everyone = share_of_draws(passed, runs, drawn, drawn)
            someone = 1 - share_of_draws(passed, runs, drawn, 0)
            assert compute_run_target(f"pass^{drawn}", passed, runs) == math.floor(100 * everyone)
            assert compute_run_target(f"pass@{drawn}", passed, runs) == math.floor(100 * someone)


@pytest.mark.parametrize("runs", range(1, 31))
def test_the_lower_bound_is_wilsons(runs: int) -> None:
    for passed in range(runs + 1):
        share, z = passed / runs, 1.96
        root = z * math.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
        bound = 100 * (share + z * z / (2 * runs) - root) / (1 + z * z / runs)
        if abs(bound - round(bound)) > 1e-9:
            assert compute_run_target("lower_95", passed, runs) == max(0, math.floor(bound)), passed


@pytest.mark.parametrize(("passed", "runs", "bound"), [(5, 5, 56), (9, 10, 59), (27, 30, 74), (0, 4, 0)])
def test_the_lower_bounds_that_the_documentation_names(passed: int, runs: int, bound: int) -> None:
    assert compute_run_target("lower_95", passed, runs) == bound


def test_the_conformance_cases() -> None:
    for case in CASES:
        words = ["pass_rate", "lower_95", f"pass^{case['k']}", f"pass@{case['k']}"]
        found = {word: compute_run_target(word, case["passed"], case["runs"]) for word in words}
        expected = {word: case.get(word) for word in words}
        assert found == expected, case


def test_a_target_of_more_runs_than_there_are_is_absent() -> None:
    assert compute_run_target("pass^4", 3, 3) is None
    assert compute_run_target("pass@4", 3, 3) is None
    assert compute_run_target("pass_rate", 0, 0) is None


@pytest.mark.parametrize("word", ["pass^0", "pass^", "pass@-1", "pass^01", "pass^1.5", "pass", "f1", "pass^10000"])
def test_other_words_are_no_run_targets(word: str) -> None:
    assert not is_run_target(word)


def test_the_drawn_runs_are_those_behind_the_sign() -> None:
    assert [get_drawn_runs(word) for word in ("pass^3", "pass@12", "pass_rate")] == [3, 12, None]


TAU_BENCH_AIRLINE = "01100111000142021140430040220122003443413241222144"
"""Passed runs of four for each of the 50 airline tasks, from the rewards of gpt-4o that tau-bench publishes."""


def test_pass_k_of_a_published_table() -> None:
    """tau-bench's README has 0.420, 0.273, 0.220 and 0.200 for it: 21/50, 41/150, 11/50 and 1/5."""
    cells = [(int(passed), 4) for passed in TAU_BENCH_AIRLINE]
    assert compute_pass_k(cells) == {"1": "0.4200", "2": "0.2733", "3": "0.2200", "4": "0.2000"}
    shares = [sum(share_of_draws(passed, runs, k, k) for passed, runs in cells) / 50 for k in range(1, 5)]
    assert shares == [Fraction(21, 50), Fraction(41, 150), Fraction(11, 50), Fraction(1, 5)]


def test_pass_k_goes_up_to_the_fewest_runs_and_to_ten() -> None:
    assert list(compute_pass_k([(3, 3), (20, 20)])) == ["1", "2", "3"]
    assert list(compute_pass_k([(20, 20)])) == [str(k) for k in range(1, 11)]
    assert compute_pass_k([(20, 20)])["10"] == "1.0000"
    assert compute_pass_k([]) == {}
