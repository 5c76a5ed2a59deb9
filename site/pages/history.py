"""The page of all commits: a trend over them and a table, newest first."""

from dataclasses import dataclass

from markupsafe import Markup

from ..history.commit_summary import CommitSummary, SuiteSummary
from .charts import ChartPoint, ChartSeries, draw_trend
from .overview import compute_score_delta

_MOST_SUITES = 4
_MOST_ROWS = 1000


@dataclass(frozen=True, slots=True)
class CommitRow:
    """A commit in the table."""

    summary: CommitSummary
    delta: int | None
    suites: tuple[SuiteSummary | None, ...]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """The values of the page."""

    count: int
    remark: str | None
    trend: Markup
    trend_narrow: Markup
    suites: tuple[SuiteSummary, ...]
    rows: tuple[CommitRow, ...]
    left_out: int


def make_history_page(
    commits: tuple[CommitSummary, ...], previous: dict[str, str | None], remark: str | None
) -> HistoryPage:
    """Return the values of the page; `commits` are oldest first."""
    by_sha = {summary.sha: summary for summary in commits}
    # Each is a line of the chart and a column of the table, so only a few of the newest commit fit.
    suites = commits[-1].suites[:_MOST_SUITES]
    lines, points = _make_trend_series(commits, suites)
    rows = tuple(
        CommitRow(
            summary,
            # The nearest ancestor with a report, which need not be the row below.
            compute_score_delta(summary, by_sha.get(previous[summary.sha] or "")),
            tuple(summary.find_suite(suite.id) for suite in suites),
        )
        for summary in reversed(commits)
    )
    return HistoryPage(
        count=len(commits),
        remark=remark,
        trend=draw_trend(lines, points),
        trend_narrow=draw_trend(lines, points, narrow=True),
        suites=suites,
        rows=rows[:_MOST_ROWS],
        left_out=max(0, len(rows) - _MOST_ROWS),
    )


def _make_trend_series(
    commits: tuple[CommitSummary, ...], suites: tuple[SuiteSummary, ...]
) -> tuple[list[ChartSeries], list[ChartPoint]]:
    lines = [ChartSeries("All", tuple(_get_f1(summary) for summary in commits))]
    if len(suites) > 1:
        lines += [
            ChartSeries(suite.name, tuple(_get_f1(summary.find_suite(suite.id)) for summary in commits))
            for suite in suites
        ]
    points = [
        ChartPoint(
            summary.short, f"{summary.short}: F1 {_get_f1(summary)}. {summary.subject}", f"c/{summary.sha}/index.html"
        )
        for summary in commits
    ]
    return lines, points


def _get_f1(summary: CommitSummary | SuiteSummary | None) -> int | None:
    return summary.score.f1 if summary and summary.score else None
