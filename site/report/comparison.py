"""Compares two reports: which tests got better or worse by more than chance, and what made them so."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain

from msgspec import UNSET, UnsetType

from ...compiler.plan import LEXICAL
from ...foundations.fault import BadInput
from ...foundations.suggestion import format_suggestion
from ...runners.cell_result import TestStatus
from .change_causes import ChangeCause, find_change_causes, is_question_cause, make_cause_rank
from .comparison_model import (
    SCHEMA,
    ChangeCounts,
    ChangedTest,
    ComparedReport,
    Diff,
    ExactResult,
    Identity,
    OverallResult,
    OverallVerdict,
    ReportedOutcome,
    Verdict,
)
from .exact_test import (
    FallenTests,
    RunValues,
    compute_overall_p,
    find_fallen_tests,
    find_smallest_fall,
)
from .report_model import Report, SelectionCounts, TestReport, find_graded_counts
from .run_values import list_run_values

DEFAULT_ALPHA = Fraction(1, 20)
# Of equal rank for the agent: an expected failure is a failure, and an unexpected pass is a pass.
_BADNESS: dict[TestStatus, int] = {"passed": 0, "xpassed": 0, "skipped": 1, "xfailed": 2, "failed": 2, "error": 3}
_ORDER: tuple[Verdict, ...] = ("regressed", "asked_differently", "removed", "added", "within_noise", "improved")


def diff(
    old: Report,
    new: Report,
    allowed: Iterable[str] = (),
    *,
    alpha: Fraction = DEFAULT_ALPHA,
    is_strict: bool = False,
) -> Diff:
    """Compare two reports at the level `alpha`; `allowed` names the tests that may regress.

    A strict comparison counts every fall as a regression, also one that chance explains.
    """
    before, after = index_tests(old), index_tests(new)
    names = _check_allowed(allowed, [*before, *after])
    pairs = [_TestPair(key, before.get(key), after.get(key), names) for key in {**before, **after}]
    # Half of the level for the single tests and half for all of them together: in sum, the level holds.
    judged = _judge_by_chance([pair for pair in pairs if pair.has_chance], alpha / 2)
    found = [_make_changed_test(pair, judged.get(pair.key), is_strict) for pair in pairs]
    changes = sorted((change for change in found if change.verdict != "unchanged"), key=_rank_change)
    return Diff(
        schema=SCHEMA,
        old=_make_compared_report(old),
        new=_make_compared_report(new),
        tally=_count_changes(found),
        changes=tuple(changes),
        overall=_judge_overall([pair for pair in pairs if pair.has_chance and not pair.may_regress], alpha / 2),
        alpha=str(alpha),
        newly_failed=sum(_is_newly_failed(change, names) for change in found),
        is_strict=is_strict,
    )


def list_test_spellings(key: Identity) -> tuple[str, ...]:
    """Return what a test can be called: `test`, `suite/test`, `suite/test@model`."""
    suite, test, model = key
    return (test, f"{suite}/{test}", *([f"{suite}/{test}@{model}"] if model else []))


def index_tests(report: Report) -> dict[Identity, TestReport]:
    """Return the tests of a report by suite, name and model."""
    return {(suite.name, test.name, test.model or ""): test for suite in report.suites for test in suite.tests}


@dataclass(frozen=True)
class _TestPair:
    """A test in both reports, or in one of them."""

    key: Identity
    old: TestReport | None
    new: TestReport | None
    allowed: frozenset[str]

    @property
    def may_regress(self) -> bool:
        return not self.allowed.isdisjoint(list_test_spellings(self.key))

    @cached_property
    def causes(self) -> tuple[ChangeCause, ...]:
        return tuple(find_change_causes(self.old, self.new)) if self.old and self.new else ()

    @cached_property
    def fixed_verdict(self) -> Verdict | None:
        """The verdict that needs no test of chance; None if runs have to be compared."""
        if self.old is None or self.new is None:
            return "added" if self.old is None else "removed"
        # An error leaves no runs to compare: to get one is a regression, to lose it an improvement.
        if "error" in (self.old.status, self.new.status):
            return _compare_numbers(self.old.status == "error", self.new.status == "error")
        if any(is_question_cause(cause) for cause in self.causes):
            return "asked_differently"
        if (self.old.status, self.new.status) == ("xfailed", "xpassed"):
            return "improved"
        return "unchanged" if self.direction == "unchanged" else None

    @cached_property
    def direction(self) -> Verdict:
        """The verdict if every difference counted: status decides; if it is the same, F1 and the passed runs do."""
        assert self.old is not None
        assert self.new is not None
        verdict = _compare_numbers(_BADNESS[self.old.status], _BADNESS[self.new.status])
        for read in (_read_f1, _read_matched, _read_passed):
            if verdict == "unchanged":
                verdict = _compare_shares(self.old, self.new, read)
        return verdict

    @property
    def has_chance(self) -> bool:
        """Whether runs of this test are to be compared, and chance has a part in them."""
        return self.fixed_verdict in (None, "unchanged") and self.key[2] != LEXICAL and bool(self.values)

    @cached_property
    def values(self) -> tuple[RunValues, ...]:
        return list_run_values(self.old, self.new) if self.old and self.new else ()


@dataclass(frozen=True, slots=True)
class _ChanceVerdict:
    """The verdict of the exact test on one test; its p-value is that of the direction in which the test moved."""

    verdict: Verdict
    exact: ExactResult


def _judge_by_chance(pairs: Sequence[_TestPair], level: Fraction) -> dict[Identity, _ChanceVerdict]:
    """Return the verdict of every test that chance has a part in."""
    falls = find_fallen_tests([pair.values for pair in pairs], level)
    rises = find_fallen_tests([[values.mirror() for values in pair.values] for pair in pairs], level)
    return {pair.key: _make_chance_verdict(pair, index, falls, rises) for index, pair in enumerate(pairs)}


def _make_chance_verdict(pair: _TestPair, index: int, falls: FallenTests, rises: FallenTests) -> _ChanceVerdict:
    has_risen = pair.direction == "improved"
    side = rises if has_risen else falls
    values = pair.values[0].mirror() if has_risen else pair.values[0]
    # Each of several statistics gets its part of the level, as in `find_fallen_tests`.
    smallest = None if pair.direction == "unchanged" else find_smallest_fall([values], side.level / len(pair.values))
    exact = ExactResult(
        p=str(side.p_values[index]),
        direction="rise" if has_risen else "fall",
        unit=values.unit,
        smallest=UNSET if smallest is None else smallest,
    )
    better: Verdict = "improved" if rises.fallen[index] else "within_noise"
    verdict = "regressed" if falls.fallen[index] else better
    return _ChanceVerdict(verdict, exact)


def _judge_overall(pairs: Sequence[_TestPair], level: Fraction) -> OverallResult:
    """Return the verdict on all tests that chance has a part in; the last statistic of each sees the most."""
    values = [pair.values[-1] for pair in pairs]
    p_fall, p_rise = compute_overall_p(values), compute_overall_p([each.mirror() for each in values])
    smallest = find_smallest_fall(values, level)
    differs = any(pair.direction != "unchanged" for pair in pairs)
    noise: OverallVerdict = "within_noise" if differs else "unchanged"
    return OverallResult(
        verdict="regressed" if p_fall <= level else "improved" if p_rise <= level else noise,
        tests=len(pairs),
        p=str(min(p_fall, p_rise)),
        smallest=UNSET if smallest is None else smallest,
    )


def _make_changed_test(pair: _TestPair, judged: _ChanceVerdict | None, is_strict: bool) -> ChangedTest:
    verdict = pair.fixed_verdict or _decide_verdict(pair, judged, is_strict)
    return ChangedTest(
        verdict=verdict,
        suite=pair.key[0],
        test=pair.key[1],
        model=pair.key[2] or UNSET,
        is_allowed=verdict == "regressed" and pair.may_regress,
        old=_make_outcome(pair.old),
        new=_make_outcome(pair.new),
        exact=judged.exact if judged and pair.fixed_verdict is None else UNSET,
        causes=tuple(sorted(pair.causes, key=lambda cause: make_cause_rank(cause, verdict))),
    )


def _decide_verdict(pair: _TestPair, judged: _ChanceVerdict | None, is_strict: bool) -> Verdict:
    """Return the verdict on runs that differ: chance has no part in an agent that draws no random numbers."""
    if is_strict or pair.key[2] == LEXICAL:
        return pair.direction
    return judged.verdict if judged else "within_noise"


def _compare_numbers(old: int, new: int) -> Verdict:
    return "regressed" if new > old else "improved" if new < old else "unchanged"


def _compare_shares(old: TestReport, new: TestReport, read: Callable[[TestReport], tuple[int, int] | None]) -> Verdict:
    """Return how a share moved; a side without one is no reason for a verdict."""
    before, after = read(old), read(new)
    if before is None or after is None:
        return "unchanged"
    # Cross-multiplied, and turned round: for a share more is better, for a badness less.
    return _compare_numbers(after[0] * before[1], before[0] * after[1])


def _read_f1(test: TestReport) -> tuple[int, int] | None:
    counts = find_graded_counts(test.gates)
    return (counts.f1, 100) if counts else None


def _read_matched(test: TestReport) -> tuple[int, int] | None:
    """Return how many of the expected tools were called."""
    counts = next((gate.counts for gate in test.gates if gate.counts and "matched" in gate.counts), None)
    # A report may expect no tool at all; the share is then 0 of 1.
    return (counts["matched"], max(1, counts["expected"])) if counts else None


def _read_passed(test: TestReport) -> tuple[int, int] | None:
    return (test.runs_passed, test.runs) if isinstance(test.runs_passed, int) and test.runs else None


def _is_newly_failed(change: ChangedTest, allowed: frozenset[str]) -> bool:
    """Return whether a test was asked differently, and went from passed to failed."""
    statuses = [side.status if isinstance(side, ReportedOutcome) else None for side in (change.old, change.new)]
    key = (change.suite, change.test, change.model or "")
    is_free = allowed.isdisjoint(list_test_spellings(key))
    return change.verdict == "asked_differently" and statuses == ["passed", "failed"] and is_free


def _check_allowed(allowed: Iterable[str], keys: Iterable[Identity]) -> frozenset[str]:
    names = frozenset(allowed)
    known = dict.fromkeys(chain.from_iterable(list_test_spellings(key) for key in keys))
    # A misspelt name would allow nothing, and nobody would be told.
    for name in sorted(names - known.keys()):
        help_ = format_suggestion(name, known) or "a test is named `test`, `suite/test` or `suite/test@model`"
        raise BadInput(f"--allow `{name}`: no such test in either report", help_)
    return names


def _make_compared_report(report: Report) -> ComparedReport:
    found = report.summary
    f1 = found.selection.f1 if isinstance(found.selection, SelectionCounts) else UNSET
    return ComparedReport(report.mode, report.plan, found.tests, found.grade, f1)


def _count_changes(changes: list[ChangedTest]) -> ChangeCounts:
    verdicts = [change.verdict for change in changes]
    allowed = sum(change.is_allowed for change in changes)
    others = ("improved", "within_noise", "asked_differently", "added", "removed", "unchanged")
    counts = {name: verdicts.count(name) for name in others}
    return ChangeCounts(regressed=verdicts.count("regressed") - allowed, allowed=allowed, **counts)


def _rank_change(change: ChangedTest) -> tuple[object, ...]:
    """Regressions, those not allowed first; then by status, by how far F1 fell, and by name."""
    (new, new_f1), (old, old_f1) = _rank_outcome(change.new), _rank_outcome(change.old)
    rank = (_ORDER.index(change.verdict), change.is_allowed, -new, old, new_f1 - old_f1)
    return (*rank, change.suite, change.test, change.model or "")


def _rank_outcome(side: ReportedOutcome | UnsetType) -> tuple[int, int]:
    if isinstance(side, UnsetType):
        return 0, 0
    return _BADNESS[side.status], side.f1 or 0


def _make_outcome(test: TestReport | None) -> ReportedOutcome | UnsetType:
    if test is None:
        return UNSET
    counts = find_graded_counts(test.gates)
    passed = test.runs_passed if isinstance(test.runs_passed, int) else UNSET
    return ReportedOutcome(test.status, counts.f1 if counts else UNSET, test.runs, passed)
