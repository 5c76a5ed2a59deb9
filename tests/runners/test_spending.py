"""Sums over runs: exact, and absent where a part is."""

from decimal import Decimal

from toolgrade.gates.trace import Trace, Usage
from toolgrade.runners.spending import Spending


def spent(*runs: Trace) -> Spending:
    spending = Spending()
    for run in runs:
        spending.add(run)
    return spending


def test_usage_and_cost_are_summed_over_runs() -> None:
    run = Trace((), usage=Usage(10, 2), cost=Decimal("0.1"))
    assert (spent(run, run, run).usage, spent(run, run, run).cost) == (Usage(30, 6), "0.3")


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    known, partly, unknown = Trace((), usage=Usage(10, 2), cost=Decimal(1)), Trace((), usage=Usage(1)), Trace(())
    assert (spent(known, partly).usage, spent(known, partly).cost) == (Usage(11, None), None)
    assert (spent(known, unknown).usage, spent(known, unknown).cost) == (None, None)
    assert (spent().usage, spent().cost) == (None, None)


def test_a_free_run_has_no_cost() -> None:
    assert spent(Trace((), cost=Decimal(0))).cost is None
