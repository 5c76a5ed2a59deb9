"""The cost of a catalog from a live report: the tool surface, and tokens and dollars for each correct selection."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from msgspec import UnsetType

from ..report.report_model import SuiteReport, TestReport, find_graded_counts


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The measured values; None if a value was not measured."""

    surface: int | None = None
    tokens_per_correct: Fraction | None = None
    cost: Decimal | None = None
    servers: tuple[tuple[str, int], ...] = ()
    tools: tuple[tuple[str, int], ...] = ()


def measure_test_efficiency(test: TestReport | None) -> Efficiency:
    """Return the values of one test with one model."""
    return _measure_efficiency([test] if test else [])


def measure_suite_efficiency(suite: SuiteReport | None) -> Efficiency:
    """Return the values of a suite: its largest catalog, and tokens per correct selection from sums."""
    return _measure_efficiency(suite.tests if suite else ())


def _measure_efficiency(tests: Iterable[TestReport]) -> Efficiency:
    measured = [(test, tokens) for test in tests if (tokens := _get_surface_tokens(test)) is not None]
    if not measured:
        return Efficiency()
    correct = sum(_count_correct_selections(test) for test, _ in measured)
    costs = [Decimal(test.cost) for test, _ in measured if isinstance(test.cost, str)]
    surfaces = [test.surface for test, _ in measured if not isinstance(test.surface, UnsetType)]
    return Efficiency(
        # Tests of a suite share servers: a sum would count one catalog many times.
        surface=max(tokens for _, tokens in measured),
        tokens_per_correct=Fraction(sum(tokens for _, tokens in measured), correct) if correct else None,
        cost=sum(costs, Decimal(0)) or None,
        servers=_rank_by_tokens((server.name, server.tokens) for found in surfaces for server in found.servers),
        tools=_rank_by_tokens((tool.tool, tool.tokens) for found in surfaces for tool in found.tools),
    )


def _get_surface_tokens(test: TestReport) -> int | None:
    if not isinstance(test.surface, UnsetType):
        return test.surface.tokens
    found = _find_gate_value(test, "tool_surface_tokens")
    return int(found) if found is not None else None


def _count_correct_selections(test: TestReport) -> int:
    found = _find_gate_value(test, "correct_selections")
    counts = find_graded_counts(test.gates)
    return int(found) if found is not None else counts.tp if counts else 0


def _find_gate_value(test: TestReport, name: str) -> int | float | None:
    """Return the number that some gate measured under this name, whatever the gate, or None."""
    values = (item for gate in test.gates for item in (gate.values or {}).items())
    return next((value for target, value in values if target.endswith(f".{name}") and not isinstance(value, str)), None)


def _rank_by_tokens(rows: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    most: dict[str, int] = {}
    for name, tokens in rows:
        # The most, as every test lists the same servers and tools again.
        most[name] = max(tokens, most.get(name, 0))
    return tuple(sorted(most.items(), key=lambda row: (-row[1], row[0])))
