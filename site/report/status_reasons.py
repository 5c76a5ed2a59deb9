"""Explains the status of a test in lines: missed classes, unexpected calls, failed assertions."""

from collections.abc import Iterator, Sequence

from ...foundations.untrusted_text import Quote, escape_untrusted_text
from ...gates.gate_result import GateResult
from .report_model import TestReport

_SHOWN = 5


def list_status_reasons(test: TestReport, quote: Quote = escape_untrusted_text) -> Iterator[str]:
    """Yield a line for each finding; `quote` makes names and values from outside safe to print."""
    if isinstance(test.reason, str):
        yield quote(test.reason)
    for gate in test.gates:
        if gate.status == "skipped" and isinstance(gate.reason, str):
            yield f"{quote(gate.gate)} skipped: {quote(gate.reason)}"
        yield from _list_missed_classes(gate, test.runs, quote)
        yield from _list_unexpected_tools(gate, quote)
        yield from _list_uncalled_tools(gate, quote)
        yield from _list_failed_assertions(gate, test.runs, quote)


def find_failed_gate(test: TestReport) -> str | None:
    """Return the name of the first gate that failed, or None."""
    return next((gate.gate for gate in test.gates if gate.status == "failed"), None)


def _list_failed_assertions(gate: GateResult, runs: int, quote: Quote) -> Iterator[str]:
    for assertion in gate.assertions or ():
        if assertion.status == "failed":
            where = f" (run {assertion.run})" if isinstance(assertion.run, int) and runs > 1 else ""
            yield f"{quote(assertion.target)}{where}: {quote(str(assertion.reason))}"


def _list_missed_classes(gate: GateResult, runs: int, quote: Quote) -> Iterator[str]:
    missed = [f"{quote(found.name)}{_format_run_share(found.runs, runs)}" for found in gate.missed_classes or ()]
    yield from _format_list("missed", missed)


def _list_unexpected_tools(gate: GateResult, quote: Quote) -> Iterator[str]:
    tools = [
        f"{quote(found.tool)}{f' x{found.calls}' if found.calls > 1 else ''}" for found in gate.unexpected_tools or ()
    ]
    yield from _format_list("unexpected", tools)


def _list_uncalled_tools(gate: GateResult, quote: Quote) -> Iterator[str]:
    expected = [tool for tool in gate.expected_tools or () if tool.hit_runs < tool.runs]
    tools = [f"{quote(tool.tool)}{_format_run_share(tool.runs - tool.hit_runs, tool.runs)}" for tool in expected]
    # If the gate passed, a missing call was within its threshold and is worded mildly.
    yield from _format_list("never called" if gate.status == "failed" else "not called", tools)


def _format_run_share(some: int, runs: int) -> str:
    return f" in {some:,} of {runs:,} runs" if runs > 1 else ""


def _format_list(word: str, items: Sequence[str]) -> Iterator[str]:
    more = [f"{len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
    if items:
        yield f"{word} {', '.join([*items[:_SHOWN], *more])}"
