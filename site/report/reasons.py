"""Why a test stands as it does, in lines: what was missed, what was unexpected, what failed."""

from collections.abc import Iterator, Sequence

from ...foundations.outside_text import Quote, shown
from ...gates.gate_result import GateResult
from .report_model import TestReport

_SHOWN = 5


def reasons(test: TestReport, quote: Quote = shown) -> Iterator[str]:
    """A line for each thing that is not as it should be; `quote` makes names and values harmless."""
    if isinstance(test.reason, str):
        yield quote(test.reason)
    for gate in test.gates:
        if gate.status == "skipped" and isinstance(gate.reason, str):
            yield f"{quote(gate.gate)} skipped: {quote(gate.reason)}"
        yield from _missed(gate, test.runs, quote)
        yield from _unexpected(gate, quote)
        yield from _uncalled(gate, quote)
        yield from _broken(gate, test.runs, quote)


def failed_gate(test: TestReport) -> str | None:
    """The first gate that failed."""
    return next((gate.gate for gate in test.gates if gate.status == "failed"), None)


def _broken(gate: GateResult, runs: int, quote: Quote) -> Iterator[str]:
    for assertion in gate.assertions or ():
        if assertion.status == "failed":
            where = f" (run {assertion.run})" if isinstance(assertion.run, int) and runs > 1 else ""
            yield f"{quote(assertion.target)}{where}: {quote(str(assertion.reason))}"


def _missed(gate: GateResult, runs: int, quote: Quote) -> Iterator[str]:
    missed = [f"{quote(found.name)}{_in_runs(found.runs, runs)}" for found in gate.missed_classes or ()]
    yield from _listed("missed", missed)


def _unexpected(gate: GateResult, quote: Quote) -> Iterator[str]:
    tools = [
        f"{quote(found.tool)}{f' x{found.calls}' if found.calls > 1 else ''}" for found in gate.unexpected_tools or ()
    ]
    yield from _listed("unexpected", tools)


def _uncalled(gate: GateResult, quote: Quote) -> Iterator[str]:
    expected = [tool for tool in gate.expected_tools or () if tool.hit_runs < tool.runs]
    tools = [f"{quote(tool.tool)}{_in_runs(tool.runs - tool.hit_runs, tool.runs)}" for tool in expected]
    yield from _listed("never called" if gate.status == "failed" else "not called", tools)


def _in_runs(some: int, runs: int) -> str:
    return f" in {some:,} of {runs:,} runs" if runs > 1 else ""


def _listed(word: str, items: Sequence[str]) -> Iterator[str]:
    more = [f"{len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
    if items:
        yield f"{word} {', '.join([*items[:_SHOWN], *more])}"
