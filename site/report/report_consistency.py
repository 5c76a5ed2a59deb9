"""Contradictions in a report: figures that do not follow from the counts and assertions beside them.

Every check is a function that yields sentences, registered in `_GATE_CHECKS` or `_TEST_CHECKS`. A figure
whose parts are not in the report is not checked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from msgspec import UnsetType

from ...foundations.exact_number import format_dollars
from ...foundations.json_value import describe_value, is_same_json
from ...gates.expectation import to_report_value
from ...gates.gate_result import AssertionResult, ClassResult, Counts, GateResult
from ...gates.grade import letter_grade
from ...gates.operators import explain_mismatch
from ...gates.tool_selection import find_missed_classes
from .report_model import Report, TestReport, filter_report

_EXPECTED_FAILURES = {"xfailed": "failed", "xpassed": "passed"}
_EFFICIENCY = "token_efficiency"


def find_contradictions(report: Report) -> Iterator[str]:
    """Yield what contradicts itself in a report, one sentence a contradiction."""
    for suite in report.suites:
        for test in suite.tests:
            for problem in _check_test(test):
                yield f"`{test.name}` of `{suite.name}`: {problem}"
    yield from _check_sums(report)


def _check_test(test: TestReport) -> Iterator[str]:
    for gate in test.gates:
        for check in _GATE_CHECKS:
            for problem in check(gate):
                yield f"{problem} in `{gate.gate}`"
    for check in _TEST_CHECKS:
        yield from check(test)


def _check_sums(report: Report) -> Iterator[str]:
    """Compare the summary and the suites' figures with those that the same tests give anew."""
    # The same code that made the figures makes them again, so the two cannot drift apart.
    anew = filter_report(report, lambda _suite, _test: True)
    rebuilt = {(suite.name, suite.file): suite for suite in anew.suites}
    for suite in report.suites:
        if (suite.name, suite.file) in rebuilt and suite != rebuilt[suite.name, suite.file]:
            yield f"the figures of `{suite.name}` do not follow from its tests"
    if report.summary != anew.summary:
        yield "`summary` does not follow from the tests"


def _check_counts(gate: GateResult) -> Iterator[str]:
    """Compare the grade and the percentages with the counts that they are made of."""
    counts = gate.selection
    if counts is None:
        return
    grade = letter_grade(counts.f1)
    if not isinstance(gate.grade, UnsetType) and gate.grade != grade:
        yield f"the grade is {gate.grade}, and its counts make {grade}"


def _check_values(gate: GateResult) -> Iterator[str]:
    """Compare each value with what its parts give."""
    values = {} if isinstance(gate.values, UnsetType) else gate.values
    for target, expected in _compute_values(gate, values).items():
        if target in values and not is_same_json(values[target], expected):
            yield f"`{target}` is {describe_value(values[target])}, and its parts make {describe_value(expected)}"


def _check_classes(gate: GateResult) -> Iterator[str]:
    """Compare classes, missed classes and unexpected tools with the counts."""
    counts = gate.selection
    if not isinstance(gate.classes, UnsetType):
        required = [each for each in gate.classes if not getattr(each, "optional", False)]
        yield from _check_class_figures(required)
        if not isinstance(gate.missed_classes, UnsetType):
            missed = {each.name: each.runs for each in find_missed_classes(required)}
            if {each.name: each.runs for each in gate.missed_classes} != missed:
                yield "`missed_classes` does not follow from `classes`"
        hits, runs = sum(each.hit_runs for each in required), sum(each.runs for each in required)
        if counts is not None and (hits, runs - hits) != (counts.tp, counts.fn):
            yield "`classes` do not add up to tp and fn"
    if counts is not None and not isinstance(gate.unexpected_tools, UnsetType):
        calls = [each.calls for each in gate.unexpected_tools]
        if sum(calls) != counts.fp or min(calls, default=1) < 1:
            yield "`unexpected_tools` do not add up to fp"


def _check_expected_tools(gate: GateResult) -> Iterator[str]:
    for each in () if isinstance(gate.expected_tools, UnsetType) else gate.expected_tools:
        if not 0 <= each.hit_runs <= each.runs:
            yield f"the runs of the expected tool `{each.tool}` are not possible"


def _check_class_figures(classes: Iterable[ClassResult]) -> Iterator[str]:
    for each in classes:
        # Several members may reach a class in one run, and with conditions no member alone, so sums say nothing.
        matched = each.matched_by.values()
        if not 0 <= each.hit_runs <= each.runs or not all(0 < runs <= each.runs for runs in matched):
            yield f"the runs of the class `{each.name}` are not possible"


def _check_assertions(gate: GateResult) -> Iterator[str]:
    """Compare each assertion with the value it is about, and the status of the gate with its assertions."""
    if isinstance(gate.assertions, UnsetType):
        return
    if not isinstance(gate.values, UnsetType):
        exact = _compute_exact_values(gate, gate.values)
        for each in gate.assertions:
            yield from _check_assertion(each, gate.values.get(each.target), exact.get(each.target))
    failed = any(each.status == "failed" for each in gate.assertions)
    if gate.status != "skipped" and (gate.status == "failed") != failed:
        yield f"the gate is said to have {gate.status}, and its assertions have not"


def _check_assertion(each: AssertionResult, shown: Any, exact: Fraction | None) -> Iterator[str]:
    if shown is None:
        if each.status == "passed":
            yield f"the assertion on `{each.target}` is said to have passed, and its value is absent"
        return
    if not is_same_json(each.actual, shown):
        yield f"the assertion on `{each.target}` saw another value than the gate"
    # The first release decided by the value as it is shown, later ones by the exact fraction.
    decided = {_decide(each.matcher, value) for value in (shown, exact) if value is not None}
    if each.status not in decided:
        yield f"the assertion on `{each.target}` is said to have {each.status}, and it has not"


def _check_status(test: TestReport) -> Iterator[str]:
    """Compare the status of a test with those of its gates; an error stands by itself."""
    if test.status == "error" or not test.gates:
        return
    statuses = {gate.status for gate in test.gates}
    expected = next((status for status in ("failed", "passed") if status in statuses), "skipped")
    if _EXPECTED_FAILURES.get(test.status, test.status) != expected:
        yield f"it is said to have {test.status}, and its gates say {expected}"


def _check_efficiency(test: TestReport) -> Iterator[str]:
    """Compare what a live run measured with what the gate says of it."""
    for gate in test.gates:
        values = {} if isinstance(gate.values, UnsetType) else gate.values
        tokens = values.get(f"{_EFFICIENCY}.tool_surface_tokens")
        if tokens is not None and not isinstance(test.surface, UnsetType) and tokens != test.surface.tokens:
            yield "its surface and its gate have different numbers of tokens"
        cost = values.get(f"{_EFFICIENCY}.cost")
        if cost is not None and not isinstance(test.cost, UnsetType) and cost != test.cost:
            yield "its cost and that of its gate are different"


def _compute_values(gate: GateResult, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that the counts of a gate give, as the report shows them."""
    counts = gate.selection
    if counts is not None:
        return _compute_selection_values(counts) | _compute_shares(gate, values)
    if isinstance(gate.counts, UnsetType) or "matched" not in gate.counts:
        return {}
    matched, expected = gate.counts["matched"], gate.counts.get("expected", 0)
    # Floored like every percentage: the exact share is compared in `_check_assertion`.
    return {"tool_correctness.score": 100 * matched // expected if expected > 0 else 0}


def _compute_selection_values(counts: Counts) -> dict[str, Any]:
    return {
        "tool_selection.f1": counts.f1,
        "tool_selection.precision": counts.precision,
        "tool_selection.recall": counts.recall,
        f"{_EFFICIENCY}.f1": counts.f1,
        f"{_EFFICIENCY}.correct_selections": counts.tp,
    }


def _compute_shares(gate: GateResult, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a correct selection costs in tokens and dollars, as the report shows it."""
    exact = _compute_exact_values(gate, values)
    return {
        target: format_dollars(share) if target.endswith(".cost_per_correct") else to_report_value(share)
        for target, share in exact.items()
    }


def _compute_exact_values(gate: GateResult, values: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the values whose shown form is rounded."""
    counts = {} if isinstance(gate.counts, UnsetType) else gate.counts
    if counts.get("expected"):
        return {"tool_correctness.score": Fraction(100 * counts.get("matched", 0), counts["expected"])}
    correct, tokens = counts.get("tp"), values.get(f"{_EFFICIENCY}.tool_surface_tokens")
    cost = _parse_dollars(values.get(f"{_EFFICIENCY}.cost"))
    found: dict[str, Fraction] = {}
    if correct and isinstance(tokens, int):
        found[f"{_EFFICIENCY}.tokens_per_correct"] = Fraction(tokens, correct)
    if correct and cost is not None:
        found[f"{_EFFICIENCY}.cost_per_correct"] = Fraction(cost) / correct
    return found


def _parse_dollars(value: object) -> Decimal | None:
    try:
        found = Decimal(value) if isinstance(value, str) else None
    except InvalidOperation:
        return None
    # Dollars of 10 ** 9999 are no dollars, and would be written out digit by digit.
    return found if found is not None and found.is_finite() and abs(found.adjusted()) < 50 else None


def _decide(matcher: dict[str, Any], value: Any) -> str | None:
    """Return the status that a value gives; None if the matcher is none."""
    dollars = _parse_dollars(value)
    try:
        return "failed" if explain_mismatch(matcher, value if dollars is None else dollars) else "passed"
    # The matcher is from a file that anybody may have written: any shape of it must end in a sentence.
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None


_GATE_CHECKS: tuple[Callable[[GateResult], Iterator[str]], ...] = (
    _check_counts,
    _check_values,
    _check_classes,
    _check_expected_tools,
    _check_assertions,
)
_TEST_CHECKS: tuple[Callable[[TestReport], Iterator[str]], ...] = (_check_status, _check_efficiency)
