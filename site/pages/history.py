"""All commits: a trend over them, and a table, newest first."""

from dataclasses import dataclass

from markupsafe import Markup

from ..history.commit_summary import Figures, SuiteFigures
from .charts import Line, Point, trend
from .overview import score_delta

_MOST_SUITES = 4
_MOST_ROWS = 1000


@dataclass(frozen=True, slots=True)
class CommitRow:
    """A commit in the table."""

    figures: Figures
    delta: int | None
    suites: tuple[SuiteFigures | None, ...]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Everything on the page."""

    count: int
    remark: str | None
    trend: Markup
    trend_narrow: Markup
    suites: tuple[SuiteFigures, ...]
    rows: tuple[CommitRow, ...]
    left_out: int


def history_page_of(commits: tuple[Figures, ...], previous: dict[str, str | None], remark: str | None) -> HistoryPage:
    """What stands on the page; `commits` are oldest first."""
    by_sha = {figures.sha: figures for figures in commits}
    suites = commits[-1].suites[:_MOST_SUITES]
    lines, points = _trend(commits, suites)
    rows = tuple(
        CommitRow(
            figures,
            score_delta(figures, by_sha.get(previous[figures.sha] or "")),
            tuple(figures.suite(suite.id) for suite in suites),
        )
        for figures in reversed(commits)
    )
    return HistoryPage(
        count=len(commits),
        remark=remark,
        trend=trend(lines, points),
        trend_narrow=trend(lines, points, narrow=True),
        suites=suites,
        rows=rows[:_MOST_ROWS],
        left_out=max(0, len(rows) - _MOST_ROWS),
    )


def _trend(commits: tuple[Figures, ...], suites: tuple[SuiteFigures, ...]) -> tuple[list[Line], list[Point]]:
    lines = [Line("All", tuple(_f1(figures) for figures in commits))]
    if len(suites) > 1:
        lines += [Line(suite.name, tuple(_f1(figures.suite(suite.id)) for figures in commits)) for suite in suites]
    points = [
        Point(figures.short, f"{figures.short}: F1 {_f1(figures)}. {figures.subject}", f"c/{figures.sha}/index.html")
        for figures in commits
    ]
    return lines, points


def _f1(figures: Figures | SuiteFigures | None) -> int | None:
    return figures.score.f1 if figures and figures.score else None
