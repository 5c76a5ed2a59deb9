"""Two commits side by side: suites, and for each test that changed the calls before and after, run by run."""

from dataclasses import dataclass
from itertools import zip_longest

from ..history.commit_summary import CommitSummary, SuiteSummary
from ..report.test_runs import Run, make_test_runs
from .change_rows import ChangeRow, make_change_rows
from .commit_view import CommitView
from .efficiency import Efficiency, measure_suite_efficiency
from .overview import compute_score_delta

_MOST_TESTS = 100
_MOST_RUNS = 6
_MOST_CHIPS = 24


@dataclass(frozen=True, slots=True)
class SuiteDiff:
    """A suite before and after; either side may not have it."""

    name: str
    id: str
    old: SuiteSummary | None
    new: SuiteSummary | None
    surfaces: tuple[int | None, int | None]

    @property
    def delta(self) -> int | None:
        return compute_score_delta(self.new, self.old)


@dataclass(frozen=True, slots=True)
class CallChip:
    """A call, or a class that was missed."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class RunDiff:
    """A run before and after."""

    number: int
    old: tuple[CallChip, ...] | None
    new: tuple[CallChip, ...] | None

    @property
    def is_same(self) -> bool:
        return self.old == self.new


@dataclass(frozen=True, slots=True)
class TestDiff:
    """A test that changed, with its calls."""

    change: ChangeRow
    runs: tuple[RunDiff, ...]
    runs_left_out: int


@dataclass(frozen=True, slots=True)
class ComparePage:
    """Everything on the page."""

    old: CommitSummary
    new: CommitSummary
    delta: int | None
    suites: tuple[SuiteDiff, ...]
    has_surfaces: bool
    has_other_plan: bool
    tests: tuple[TestDiff, ...]
    left_out: int
    added: tuple[ChangeRow, ...]
    removed: tuple[ChangeRow, ...]


def make_compare_page(edition: CommitView) -> ComparePage | None:
    """What stands on the page; None where there is no commit before."""
    if edition.before is None or edition.changes is None:
        return None
    rows = make_change_rows(edition, "regressed", "improved")
    suites = tuple(_compare_suites(edition, edition.before))
    return ComparePage(
        old=edition.before,
        new=edition.figures,
        delta=compute_score_delta(edition.figures, edition.before),
        suites=suites,
        has_surfaces=any(surface is not None for suite in suites for surface in suite.surfaces),
        has_other_plan=edition.changes.old.plan != edition.changes.new.plan,
        tests=tuple(_compare_test(edition, row) for row in rows[:_MOST_TESTS]),
        left_out=max(0, len(rows) - _MOST_TESTS),
        added=make_change_rows(edition, "added")[:_MOST_TESTS],
        removed=make_change_rows(edition, "removed")[:_MOST_TESTS],
    )


def _compare_suites(edition: CommitView, before: CommitSummary) -> list[SuiteDiff]:
    names = {suite.id: suite.name for suite in (*edition.figures.suites, *before.suites)}
    return [
        SuiteDiff(name, id_, before.find_suite(id_), edition.figures.find_suite(id_), _get_surfaces(edition, name))
        for id_, name in names.items()
    ]


def _get_surfaces(edition: CommitView, name: str) -> tuple[int | None, int | None]:
    sides: list[Efficiency] = [
        measure_suite_efficiency(edition.find_live_suite(name, before=before)) for before in (True, False)
    ]
    return sides[0].surface, sides[1].surface


def _compare_test(edition: CommitView, row: ChangeRow) -> TestDiff:
    old, new = (make_test_runs(tests[row.key]) for tests in (edition.tests_before, edition.tests))
    pairs = list(zip_longest(old[:_MOST_RUNS], new[:_MOST_RUNS]))
    runs = [
        RunDiff(index, None if was is None else _make_chips(was), None if now is None else _make_chips(now))
        for index, (was, now) in enumerate(pairs, start=1)
    ]
    return TestDiff(row, tuple(runs), max(0, len(old) - _MOST_RUNS, len(new) - _MOST_RUNS))


def _make_chips(run: Run) -> tuple[CallChip, ...]:
    calls = [CallChip(call.id, call.outcome or "plain") for call in run.calls]
    chips = [*calls[:_MOST_CHIPS], *(CallChip(missed.name, "miss") for missed in run.missed)]
    more = len(calls) - _MOST_CHIPS
    return tuple([*chips, CallChip(f"{more} more", "none")] if more > 0 else chips)
