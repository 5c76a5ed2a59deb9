"""Explains the status of a test in lines: missed classes, unexpected calls, failed assertions."""

from collections.abc import Iterator, Sequence

from ...foundations.untrusted_text import Quote, escape_untrusted_text
from ...gates.gate_result import GateResult, UnexpectedTool
from ...runners.cell_result import TestStatus
from .report_model import TestReport

_SHOWN = 5


def list_status_reasons(test: TestReport, quote: Quote = escape_untrusted_text) -> Iterator[str]:
    """Yield a line for each finding; `quote` makes names and values from outside safe to print."""
    if isinstance(test.reason, str):
        yield quote(test.reason)
    if isinstance(test.xfail, str):
        yield from _describe_expected_failure(test.status, quote(test.xfail))
    yield from _list_run_remarks(test, quote)
    for gate in test.gates:
        if gate.status == "skipped" and isinstance(gate.reason, str):
            yield f"{quote(gate.gate)} skipped: {quote(gate.reason)}"
        yield from _list_missed_classes(gate, test.runs, quote)
        yield from _list_unexpected_tools(gate, quote)
        yield from _list_uncalled_tools(gate, quote)
        yield from _list_forbidden_tools(gate, test.runs, quote)
        yield from _list_failed_assertions(gate, test.runs, quote)


def is_flaky(test: TestReport) -> bool:
    """Return whether some runs of a test passed and some did not."""
    return isinstance(test.runs_passed, int) and 0 < test.runs_passed < test.runs


def list_unsteady_classes(test: TestReport) -> tuple[str, ...]:
    """Return the classes that some runs reached and some did not."""
    classes = (each for gate in test.gates for each in gate.classes or () if not each.optional)
    found = (each for each in classes if 0 < each.hit_runs < each.runs)
    return tuple(dict.fromkeys(each.name for each in found))


def _describe_expected_failure(status: TestStatus, reason: str) -> Iterator[str]:
    if status == "xfailed":
        yield f"expected to fail: {reason}"
    elif status == "xpassed":
        yield f"passed, and was expected to fail: {reason}; remove `xfail`"


def _list_run_remarks(test: TestReport, quote: Quote) -> Iterator[str]:
    """Yield what is to be said of the runs: that some are missing, and that some pass and some do not."""
    if is_flaky(test):
        names = [quote(name) for name in list_unsteady_classes(test)]
        verb = "comes and goes" if len(names) == 1 else "come and go"
        what = f"; {', '.join(names)} {verb}" if names else ""
        yield f"flaky: {test.runs_passed:,} of {test.runs:,} runs passed{what}"


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
        f"{quote(found.tool)}{f' x{found.calls}' if found.calls > 1 else ''}{_format_reasons(found)}"
        for found in gate.unexpected_tools or ()
    ]
    yield from _format_list("unexpected", tools)


def _format_reasons(found: UnexpectedTool) -> str:
    """Return why calls were unexpected, if not for being of no class: ` (too early)`, ` (wrong arguments x2)`."""
    reasons = {REASON_WORDS.get(name, name): count for name, count in (found.reasons or {}).items()}
    told = [f"{word} x{count}" if found.calls > 1 and count > 1 else word for word, count in sorted(reasons.items())]
    return f" ({', '.join(told)})" if told else ""


REASON_WORDS = {
    "malformed": "unreadable arguments",
    "unknown_tool": "no such tool",
    "wrong_args": "wrong arguments",
    "too_early": "too early",
    "too_many": "too many",
    "no_class": "of no class",
}


def _list_forbidden_tools(gate: GateResult, runs: int, quote: Quote) -> Iterator[str]:
    tools = [
        f"{quote(found.tool)}{f' x{found.calls}' if found.calls > 1 else ''}{_format_run_numbers(found.runs, runs)}"
        for found in gate.forbidden_tools or ()
    ]
    yield from _format_list("forbidden", tools)


def _format_run_numbers(numbers: Sequence[int], runs: int) -> str:
    """Return in which of several runs something was so; the first few."""
    if runs == 1:
        return ""
    more = f" and {len(numbers) - _SHOWN} more" if len(numbers) > _SHOWN else ""
    return f" (run{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers[:_SHOWN]))}{more})"


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
