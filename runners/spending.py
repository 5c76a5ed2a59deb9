"""The usage and cost of the runs of a cell. A total is unknown if a part of it is."""

from decimal import Decimal

from ..foundations.exact_number import format_dollars
from ..gates.trace import Trace, Usage


class Spending:
    """Totals to which runs are added one by one."""

    def __init__(self) -> None:
        self._runs = 0
        self._input: int | None = 0
        self._output: int | None = 0
        self._cost: Decimal | None = Decimal(0)

    def add(self, trace: Trace) -> None:
        """Add the usage and the cost of one run."""
        self._runs += 1
        # Most recorded traces have neither usage nor cost: nothing more to add once all three are unknown.
        if self._input is self._output is self._cost is None:
            return
        usage = trace.usage or _UNKNOWN
        self._input = _add_or_none(self._input, usage.input_tokens)
        self._output = _add_or_none(self._output, usage.output_tokens)
        self._cost = None if self._cost is None or trace.cost is None else self._cost + trace.cost

    @property
    def usage(self) -> Usage | None:
        """Return the tokens of all runs, or None if neither total is known."""
        if not self._runs or self._input is self._output is None:
            return None
        return Usage(self._input, self._output)

    @property
    def cost(self) -> str | None:
        """Return the dollars of all runs, or None if they are unknown or the runs were free."""
        return format_dollars(self._cost) if self._cost else None


_UNKNOWN = Usage()


def _add_or_none(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
