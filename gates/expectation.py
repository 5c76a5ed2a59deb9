"""Expectations: a target with its matcher, and the verdict on a value."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from ..foundations.exact_number import format_dollars, to_report_number
from .gate_result import AssertionResult
from .operators import explain_mismatch
from .target import ABSENT


class Expectation(msgspec.Struct, frozen=True):
    """A target and the matcher it has to meet."""

    target: str
    matcher: dict[str, Any]
    in_runs: int | float | UnsetType = UNSET
    """The percent of the runs in which it has to hold; left out for all of them."""

    def check_value(self, actual: Any) -> AssertionResult:
        """Return the verdict on one value. An absent value fails with the reason `absent`."""
        if actual is ABSENT:
            return AssertionResult(self.target, self.matcher, "failed", reason="absent")
        mismatch = explain_mismatch(self.matcher, actual)
        value = to_report_value(actual)
        if mismatch:
            return AssertionResult(self.target, self.matcher, "failed", actual=value, reason=mismatch)
        return AssertionResult(self.target, self.matcher, "passed", actual=value)


def to_report_value(value: Any) -> Any:
    """Return a measured value as the report shows it: dollars as text, other fractions with four decimals."""
    if isinstance(value, Decimal):
        return format_dollars(value)
    # Integers and floats stay as they are: the report shows them as the trace has them.
    return to_report_number(value) if isinstance(value, Fraction) else value
