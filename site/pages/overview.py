"""The overview of a commit: verdict, grade and what moved first, then the suites and what explains them."""

from dataclasses import dataclass

from markupsafe import Markup

from ..history.commit_summary import Figures, SuiteFigures
from ..report.report_model import SuiteReport
from .change import ChangeRow, change_rows
from .charts import ruler, sparkline
from .commit_view import Edition
from .efficiency import Efficiency, suite_efficiency
from .headline import what_moved
from .missed import ClassRow, class_rows

_MOST_MISSED = 12
_MOST_CHANGES = 12


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """A suite in the table of suites."""

    figures: SuiteFigures
    description: str | None
    delta: int | None
    efficiency: Efficiency
    spark: Markup


@dataclass(frozen=True, slots=True)
class GridRow:
    """The letters of a suite, or of all, by commit."""

    name: str
    suite_id: str | None
    cells: tuple[SuiteFigures | Figures | None, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything on the page."""

    figures: Figures
    before: Figures | None
    delta: int | None
    sentence: Markup
    ruler: Markup
    models: tuple[str, ...]
    live: Figures | None
    suites: tuple[SuiteRow, ...]
    has_efficiency: bool
    worse: tuple[ChangeRow, ...]
    better: tuple[ChangeRow, ...]
    added: int
    removed: int
    most_changes: int
    missed: tuple[ClassRow, ...]
    missed_more: int
    commits: tuple[Figures, ...]
    grid: tuple[GridRow, ...]


def overview_of(edition: Edition) -> Overview:
    """What stands on a commit's first page."""
    figures, before = edition.figures, edition.before
    tally = edition.changes.tally if edition.changes else None
    missed = [row for suite in edition.report.suites for row in class_rows(suite) if row.missed]
    missed.sort(key=lambda row: (row.recall, -row.missed, row.name))
    suites = tuple(sorted((_suite_row(edition, suite) for suite in edition.report.suites), key=_worst_first))
    return Overview(
        figures=figures,
        before=before,
        delta=score_delta(figures, before),
        sentence=what_moved(edition),
        ruler=ruler(figures.score.f1, before.score.f1 if before and before.score else None)
        if figures.score
        else Markup(""),
        models=edition.models,
        live=live_commit(edition),
        suites=suites,
        has_efficiency=any(row.efficiency.surface is not None for row in suites),
        worse=change_rows(edition, "regressed"),
        better=change_rows(edition, "improved"),
        added=tally.added if tally else 0,
        removed=tally.removed if tally else 0,
        most_changes=_MOST_CHANGES,
        missed=tuple(missed[:_MOST_MISSED]),
        missed_more=max(0, len(missed) - _MOST_MISSED),
        commits=edition.recent_figures(),
        grid=tuple(_grid(edition)),
    )


def score_delta(now: Figures | SuiteFigures | None, before: Figures | SuiteFigures | None) -> int | None:
    """How many points F1 moved; None where one side has none."""
    if now is None or before is None or not now.score or not before.score:
        return None
    return now.score.f1 - before.score.f1


def live_commit(edition: Edition) -> Figures | None:
    """The commit that the live report came with."""
    return next((figures for figures in edition.line if figures.sha == edition.figures.live_sha), None)


def _worst_first(row: SuiteRow) -> tuple[bool, int, str]:
    verdicts, score = row.figures.verdicts, row.figures.score
    return not (verdicts.failing or verdicts.errors), score.f1 if score else 101, row.figures.name


def _suite_row(edition: Edition, suite: SuiteReport) -> SuiteRow:
    figures = next(found for found in edition.figures.suites if found.name == suite.name)
    before = edition.before.suite(figures.id) if edition.before else None
    past = [found.suite(figures.id) for found in edition.recent_figures()]
    return SuiteRow(
        figures=figures,
        description=suite.description or None,
        delta=score_delta(figures, before),
        efficiency=suite_efficiency(edition.live_suite(suite.name)),
        spark=sparkline([found.score.f1 if found and found.score else None for found in past]),
    )


def _grid(edition: Edition) -> list[GridRow]:
    commits = edition.recent_figures()
    suites = [
        GridRow(suite.name, suite.id, tuple(figures.suite(suite.id) for figures in commits))
        for suite in edition.figures.suites
    ]
    return [GridRow("All suites", None, commits), *suites]
