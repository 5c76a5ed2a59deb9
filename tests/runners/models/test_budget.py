"""A budget is never exceeded, in whatever order requests begin and end."""

from contextlib import ExitStack, suppress
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgrade.runners.models.budget import Budget, OverBudget, Reservation

CENTS = st.integers(0, 40).map(lambda cents: Decimal(cents) / 100)
REQUESTS = st.lists(st.tuples(CENTS, CENTS, st.booleans()), max_size=30)


@settings(max_examples=60)
@given(requests=REQUESTS)
def test_what_is_spent_and_held_never_exceeds_a_budget_or_the_one_around_it(
    requests: list[tuple[Decimal, Decimal, bool]],
) -> None:
    whole = Budget(Decimal(1))
    suites = [Budget(Decimal("0.70"), inside=whole), Budget(None, inside=whole)]
    with ExitStack() as underway:
        for number, (bound, cost, stays) in enumerate(requests):
            with suppress(OverBudget):
                reservation = underway.enter_context(suites[number % 2].reserve(bound))
                if not stays:
                    reservation.settle(min(cost, bound))
                    underway.pop_all().close()
            for budget in (whole, suites[0]):
                assert budget.spent + budget.held <= (budget.max_cost or 0)
    assert whole.held == 0
    assert whole.spent == suites[0].spent + suites[1].spent


def test_a_refusal_says_what_is_left_and_leaves_nothing_held() -> None:
    budget = Budget(Decimal("0.50"), inside=Budget(Decimal(9)))
    with budget.reserve(Decimal("0.30")) as reservation:
        reservation.settle(Decimal("0.20"))
    with pytest.raises(OverBudget, match=r"\$0\.50 holds \$0\.30 more; a request may cost \$0\.40"):
        budget.check_bound(Decimal("0.40"))
    with pytest.raises(OverBudget), budget.reserve(Decimal("0.40")):
        raise AssertionError("not reached")
    assert (budget.held, budget.spent) == (0, Decimal("0.20"))


def test_without_a_limit_it_counts() -> None:
    budget = Budget()
    with budget.reserve(Decimal(5)) as reservation:
        reservation.settle(None)
    assert (budget.spent, budget.is_limited) == (Decimal(5), False)
    assert Budget(inside=Budget(Decimal(1))).is_limited


def test_a_request_that_never_settles_costs_nothing() -> None:
    assert Reservation(Decimal(3)).cost == 0
