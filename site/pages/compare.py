"""Two commits side by side: suites, and for each test that changed the calls before and after, run by run."""

from dataclasses import dataclass
from itertools import zip_longest

from ..history.commit_summary import Figures, SuiteFigures
from ..report.test_runs import Run, runs_of
from .change import ChangeRow, change_rows
from .commit_view import Edition
from .efficiency import Efficiency, suite_efficiency
from .overview import score_delta

_MOST_TESTS = 100
_MOST_RUNS = 6
_MOST_CHIPS = 24


@dataclass(frozen=True, slots=True)
class SuiteDiff:
    """A suite before and after; either side may not have it."""

    name: str
    id: str
    old: SuiteFigures | None
    new: SuiteFigures | None
    surfaces: tuple[int | None, int | None]

    @property
    def delta(self) -> int | None:
        return score_delta(self.new, self.old)


@dataclass(frozen=True, slots=True)
class Chip:
    """A call, or a class that was missed."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class RunDiff:
    """A run before and after."""

    number: int
    old: tuple[Chip, ...] | None
    new: tuple[Chip, ...] | None

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

    old: Figures
    new: Figures
    delta: int | None
    suites: tuple[SuiteDiff, ...]
    has_surfaces: bool
    has_other_plan: bool
    tests: tuple[TestDiff, ...]
    left_out: int
    added: tuple[ChangeRow, ...]
    removed: tuple[ChangeRow, ...]


def compare_page_of(edition: Edition) -> ComparePage | None:
    """What stands on the page; None where there is no commit before."""
    if edition.before is None or edition.changes is None:
        return None
    rows = change_rows(edition, "regressed", "improved")
    suites = tuple(_suites(edition, edition.before))
    return ComparePage(
        old=edition.before,
        new=edition.figures,
        delta=score_delta(edition.figures, edition.before),
        suites=suites,
        has_surfaces=any(surface is not None for suite in suites for surface in suite.surfaces),
        has_other_plan=edition.changes.old.plan != edition.changes.new.plan,
        tests=tuple(_test(edition, row) for row in rows[:_MOST_TESTS]),
        left_out=max(0, len(rows) - _MOST_TESTS),
        added=change_rows(edition, "added")[:_MOST_TESTS],
        removed=change_rows(edition, "removed")[:_MOST_TESTS],
    )


def _suites(edition: Edition, before: Figures) -> list[SuiteDiff]:
    names = {suite.id: suite.name for suite in (*edition.figures.suites, *before.suites)}
    return [
        SuiteDiff(name, id_, before.suite(id_), edition.figures.suite(id_), _surfaces(edition, name))
        for id_, name in names.items()
    ]


def _surfaces(edition: Edition, name: str) -> tuple[int | None, int | None]:
    sides: list[Efficiency] = [suite_efficiency(edition.live_suite(name, before=before)) for before in (True, False)]
    return sides[0].surface, sides[1].surface


def _test(edition: Edition, row: ChangeRow) -> TestDiff:
    old, new = (runs_of(tests[row.key]) for tests in (edition.tests_before, edition.tests))
    pairs = list(zip_longest(old[:_MOST_RUNS], new[:_MOST_RUNS]))
    runs = [
        RunDiff(index, None if was is None else _chips(was), None if now is None else _chips(now))
        for index, (was, now) in enumerate(pairs, start=1)
    ]
    return TestDiff(row, tuple(runs), max(0, len(old) - _MOST_RUNS, len(new) - _MOST_RUNS))


def _chips(run: Run) -> tuple[Chip, ...]:
    calls = [Chip(call.id, call.outcome or "plain") for call in run.calls]
    chips = [*calls[:_MOST_CHIPS], *(Chip(missed.name, "miss") for missed in run.missed)]
    more = len(calls) - _MOST_CHIPS
    return tuple([*chips, Chip(f"{more} more", "none")] if more > 0 else chips)
