"""Two commits side by side: their suites, and the calls of each test that changed, run by run."""

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
    """A suite before and after; it may be missing on either side."""

    name: str
    id: str
    old: SuiteSummary | None
    new: SuiteSummary | None
    surfaces: tuple[int | None, int | None]

    @property
    def delta(self) -> int | None:
        """The change of F1 in points, or None if a side is not graded."""
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
        """Whether both sides made the same calls."""
        return self.old == self.new


@dataclass(frozen=True, slots=True)
class TestDiff:
    """A test that changed, with its runs."""

    change: ChangeRow
    runs: tuple[RunDiff, ...]
    runs_left_out: int


@dataclass(frozen=True, slots=True)
class ComparePage:
    """The values of the page."""

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


def make_compare_page(view: CommitView) -> ComparePage | None:
    """Return the values of the page, or None if there is no commit before."""
    if view.before is None or view.changes is None:
        return None
    rows = make_change_rows(view, "regressed", "improved")
    suites = tuple(_compare_suites(view, view.before))
    return ComparePage(
        old=view.before,
        new=view.summary,
        delta=compute_score_delta(view.summary, view.before),
        suites=suites,
        has_surfaces=any(surface is not None for suite in suites for surface in suite.surfaces),
        # With another plan, a threshold, a class or a test changed: the two grades do not measure the same.
        has_other_plan=view.changes.old.plan != view.changes.new.plan,
        tests=tuple(_compare_test(view, row) for row in rows[:_MOST_TESTS]),
        left_out=max(0, len(rows) - _MOST_TESTS),
        added=make_change_rows(view, "added")[:_MOST_TESTS],
        removed=make_change_rows(view, "removed")[:_MOST_TESTS],
    )


def _compare_suites(view: CommitView, before: CommitSummary) -> list[SuiteDiff]:
    # This commit's suites first, then those that it no longer has.
    names = {suite.id: suite.name for suite in (*view.summary.suites, *before.suites)}
    return [
        SuiteDiff(name, id_, before.find_suite(id_), view.summary.find_suite(id_), _get_surfaces(view, name))
        for id_, name in names.items()
    ]


def _get_surfaces(view: CommitView, name: str) -> tuple[int | None, int | None]:
    sides: list[Efficiency] = [
        measure_suite_efficiency(view.find_live_suite(name, before=before)) for before in (True, False)
    ]
    return sides[0].surface, sides[1].surface


def _compare_test(view: CommitView, row: ChangeRow) -> TestDiff:
    old, new = (make_test_runs(tests[row.key]) for tests in (view.tests_before, view.tests))
    # The two reports may have different numbers of runs; a missing run is None.
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
