"""Budgets that hold: every request reserves the most it can cost before it is sent.

So however many are under way, what is spent and what is reserved never add up to more than the budget.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation

from ...foundations.fault import BadInput, Fault

NOTHING = Decimal(0)
MAX_DOLLARS = 10**12


def parse_dollars(value: Decimal | int | str) -> Decimal:
    """Return an amount of dollars. Raise `BadInput` if it is not a number, or is negative or beyond all bounds."""
    try:
        dollars = Decimal(str(value))
    except InvalidOperation:
        dollars = Decimal("NaN")
    if not (dollars.is_finite() and 0 <= dollars < MAX_DOLLARS):
        raise BadInput(f"`{value}` is not an amount of dollars", "write dollars, such as 2.50")
    return dollars


class OverBudget(Fault):
    """The next request could cost more than is left; what it belongs to counts as not run."""

    ends_the_suite = True


class Reservation:
    """What one request may cost, and what it did."""

    def __init__(self, bound: Decimal) -> None:
        self.bound = bound
        self.cost = NOTHING

    def settle(self, cost: Decimal | None) -> None:
        """Charge what the request cost, or the most it could have cost if that is not known."""
        self.cost = self.bound if cost is None else cost


class Budget:
    """Dollars that may be spent; without a limit it only counts. One inside another is bound by both."""

    def __init__(self, max_cost: Decimal | None = None, inside: "Budget | None" = None) -> None:
        self.max_cost = max_cost
        self.spent = NOTHING
        self.held = NOTHING
        self.inside = inside

    @property
    def is_limited(self) -> bool:
        return self.max_cost is not None or (self.inside is not None and self.inside.is_limited)

    @contextmanager
    def reserve(self, bound: Decimal) -> Generator[Reservation]:
        """Hold `bound` while a request is under way; afterwards only what was settled stays charged."""
        chain = list(self._walk_enclosing_budgets())
        # All are checked before one is charged: a refusal by an outer budget leaves nothing reserved in an inner one.
        for budget in chain:
            budget.check_bound(bound)
        reservation = Reservation(bound)
        for budget in chain:
            budget.held += bound
        try:
            yield reservation
        finally:
            for budget in chain:
                budget.held -= bound
                budget.spent += reservation.cost

    def check_bound(self, bound: Decimal) -> None:
        """Raise `OverBudget` if a request of at most `bound` dollars could exceed the budget."""
        used = self.spent + self.held
        if self.max_cost is not None and used + bound > self.max_cost:
            message = f"the budget of ${self.max_cost} holds ${self.max_cost - used} more; a request may cost ${bound}"
            raise OverBudget(message, "raise `budget.max_cost` or --max-cost, or lower `sampling.max_tokens`")

    def _walk_enclosing_budgets(self) -> Iterator["Budget"]:
        budget: Budget | None = self
        while budget is not None:
            yield budget
            budget = budget.inside
