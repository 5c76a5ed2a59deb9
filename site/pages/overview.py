"""The overview of a commit: verdict, grade and what moved first, then the suites and what explains them."""

from dataclasses import dataclass

from markupsafe import Markup

from ..history.commit_summary import CommitSummary, SuiteSummary
from ..report.report_model import SuiteReport
from .change_rows import ChangeRow, make_change_rows
from .charts import draw_grade_scale, draw_sparkline
from .commit_view import CommitView
from .efficiency import Efficiency, measure_suite_efficiency
from .headline import describe_score_change
from .missed_classes import ClassRow, make_class_rows

_MOST_MISSED = 12
_MOST_CHANGES = 12


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """A suite in the table of suites."""

    figures: SuiteSummary
    description: str | None
    delta: int | None
    efficiency: Efficiency
    spark: Markup


@dataclass(frozen=True, slots=True)
class GridRow:
    """The letters of a suite, or of all, by commit."""

    name: str
    suite_id: str | None
    cells: tuple[SuiteSummary | CommitSummary | None, ...]


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """Everything on the page."""

    figures: CommitSummary
    before: CommitSummary | None
    delta: int | None
    sentence: Markup
    ruler: Markup
    models: tuple[str, ...]
    live: CommitSummary | None
    suites: tuple[SuiteRow, ...]
    has_efficiency: bool
    worse: tuple[ChangeRow, ...]
    better: tuple[ChangeRow, ...]
    added: int
    removed: int
    most_changes: int
    missed: tuple[ClassRow, ...]
    missed_more: int
    commits: tuple[CommitSummary, ...]
    grid: tuple[GridRow, ...]


def make_overview_page(edition: CommitView) -> OverviewPage:
    """What stands on a commit's first page."""
    figures, before = edition.figures, edition.before
    tally = edition.changes.tally if edition.changes else None
    missed = [row for suite in edition.report.suites for row in make_class_rows(suite) if row.missed]
    missed.sort(key=lambda row: (row.recall, -row.missed, row.name))
    suites = tuple(sorted((_make_suite_row(edition, suite) for suite in edition.report.suites), key=_rank_suite_row))
    return OverviewPage(
        figures=figures,
        before=before,
        delta=compute_score_delta(figures, before),
        sentence=describe_score_change(edition),
        ruler=draw_grade_scale(figures.score.f1, before.score.f1 if before and before.score else None)
        if figures.score
        else Markup(""),
        models=edition.models,
        live=find_live_commit(edition),
        suites=suites,
        has_efficiency=any(row.efficiency.surface is not None for row in suites),
        worse=make_change_rows(edition, "regressed"),
        better=make_change_rows(edition, "improved"),
        added=tally.added if tally else 0,
        removed=tally.removed if tally else 0,
        most_changes=_MOST_CHANGES,
        missed=tuple(missed[:_MOST_MISSED]),
        missed_more=max(0, len(missed) - _MOST_MISSED),
        commits=edition.list_recent_commits(),
        grid=tuple(_make_grid_rows(edition)),
    )


def compute_score_delta(
    now: CommitSummary | SuiteSummary | None, before: CommitSummary | SuiteSummary | None
) -> int | None:
    """How many points F1 moved; None where one side has none."""
    if now is None or before is None or not now.score or not before.score:
        return None
    return now.score.f1 - before.score.f1


def find_live_commit(edition: CommitView) -> CommitSummary | None:
    """The commit that the live report came with."""
    return next((figures for figures in edition.commits_so_far if figures.sha == edition.figures.live_sha), None)


def _rank_suite_row(row: SuiteRow) -> tuple[bool, int, str]:
    verdicts, score = row.figures.verdicts, row.figures.score
    return not (verdicts.failing or verdicts.errors), score.f1 if score else 101, row.figures.name


def _make_suite_row(edition: CommitView, suite: SuiteReport) -> SuiteRow:
    figures = next(found for found in edition.figures.suites if found.name == suite.name)
    before = edition.before.find_suite(figures.id) if edition.before else None
    past = [found.find_suite(figures.id) for found in edition.list_recent_commits()]
    return SuiteRow(
        figures=figures,
        description=suite.description or None,
        delta=compute_score_delta(figures, before),
        efficiency=measure_suite_efficiency(edition.find_live_suite(suite.name)),
        spark=draw_sparkline([found.score.f1 if found and found.score else None for found in past]),
    )


def _make_grid_rows(edition: CommitView) -> list[GridRow]:
    commits = edition.list_recent_commits()
    suites = [
        GridRow(suite.name, suite.id, tuple(figures.find_suite(suite.id) for figures in commits))
        for suite in edition.figures.suites
    ]
    return [GridRow("All suites", None, commits), *suites]
