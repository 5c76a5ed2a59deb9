"""The overview of a commit: verdict, grade and changes first, then the suites and the missed classes."""

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

    summary: SuiteSummary
    description: str | None
    delta: int | None
    efficiency: Efficiency
    spark: Markup


@dataclass(frozen=True, slots=True)
class GridRow:
    """The letters of a suite, or of all suites, by commit."""

    name: str
    suite_id: str | None
    cells: tuple[SuiteSummary | CommitSummary | None, ...]


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """The values of the page."""

    summary: CommitSummary
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


def make_overview_page(view: CommitView) -> OverviewPage:
    """Return the values of a commit's first page."""
    summary, before = view.summary, view.before
    tally = view.changes.tally if view.changes else None
    missed = [row for suite in view.report.suites for row in make_class_rows(suite) if row.missed]
    # By recall, not by misses: a class that few tests ask for may be missed by all of them.
    missed.sort(key=lambda row: (row.recall, -row.missed, row.name))
    suites = tuple(sorted((_make_suite_row(view, suite) for suite in view.report.suites), key=_rank_suite_row))
    return OverviewPage(
        summary=summary,
        before=before,
        delta=compute_score_delta(summary, before),
        sentence=describe_score_change(view),
        ruler=draw_grade_scale(summary.score.f1, before.score.f1 if before and before.score else None)
        if summary.score
        else Markup(""),
        models=view.models,
        live=find_live_commit(view),
        suites=suites,
        has_efficiency=any(row.efficiency.surface is not None for row in suites),
        worse=make_change_rows(view, "regressed"),
        better=make_change_rows(view, "improved"),
        added=tally.added if tally else 0,
        removed=tally.removed if tally else 0,
        most_changes=_MOST_CHANGES,
        missed=tuple(missed[:_MOST_MISSED]),
        missed_more=max(0, len(missed) - _MOST_MISSED),
        commits=view.list_recent_commits(),
        grid=tuple(_make_grid_rows(view)),
    )


def compute_score_delta(
    now: CommitSummary | SuiteSummary | None, before: CommitSummary | SuiteSummary | None
) -> int | None:
    """Return by how many points F1 moved, or None if a side is not graded."""
    if now is None or before is None or not now.score or not before.score:
        return None
    return now.score.f1 - before.score.f1


def find_live_commit(view: CommitView) -> CommitSummary | None:
    """Return the commit that the live report was committed with, or None."""
    return next((summary for summary in view.commits_so_far if summary.sha == view.summary.live_sha), None)


def _rank_suite_row(row: SuiteRow) -> tuple[bool, int, str]:
    """Sort suites with failures first, then by F1; 101 puts suites without a grade last."""
    verdicts, score = row.summary.verdicts, row.summary.score
    return not (verdicts.failing or verdicts.errors), score.f1 if score else 101, row.summary.name


def _make_suite_row(view: CommitView, suite: SuiteReport) -> SuiteRow:
    summary = next(found for found in view.summary.suites if found.name == suite.name)
    before = view.before.find_suite(summary.id) if view.before else None
    past = [found.find_suite(summary.id) for found in view.list_recent_commits()]
    return SuiteRow(
        summary=summary,
        description=suite.description or None,
        delta=compute_score_delta(summary, before),
        efficiency=measure_suite_efficiency(view.find_live_suite(suite.name)),
        spark=draw_sparkline([found.score.f1 if found and found.score else None for found in past]),
    )


def _make_grid_rows(view: CommitView) -> list[GridRow]:
    commits = view.list_recent_commits()
    suites = [
        GridRow(suite.name, suite.id, tuple(summary.find_suite(suite.id) for summary in commits))
        for suite in view.summary.suites
    ]
    return [GridRow("All suites", None, commits), *suites]
