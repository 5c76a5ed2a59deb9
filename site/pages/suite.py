"""A suite's page: its numbers and their trend, tests worst first, missed classes, and the cost of the catalog."""

from dataclasses import dataclass

from markupsafe import Markup

from ...gates.grade import letter_grade
from ..history.commit_summary import CommitSummary, GradedScore, SuiteSummary
from ..report.report_model import SEVERITY, SuiteReport, TestReport, find_graded_counts
from ..report.test_runs import Run, make_test_runs
from .addresses import make_test_anchor
from .charts import ChartPoint, ChartSeries, draw_trend
from .commit_view import CommitView
from .efficiency import Efficiency, measure_suite_efficiency, measure_test_efficiency
from .missed_classes import ClassMatrix, ClassRow, make_class_matrix, make_class_rows
from .overview import find_live_commit
from .wording import describe_gates

MOST_ROWS = 1000
_MOST_RUNS = 10
_MOST_MARKS = 14


@dataclass(frozen=True, slots=True)
class TestRow:
    """A test in a table or a list; `page` is None if its page is not kept."""

    test: TestReport
    anchor: str
    page: str | None
    model: str | None
    score: GradedScore | None
    delta: int | None
    gate: str
    glyphs: tuple[str, ...]
    more_runs: int
    efficiency: Efficiency

    @property
    def name(self) -> str:
        """The name of the test."""
        return self.test.name

    @property
    def status(self) -> str:
        """The status of the test."""
        return self.test.status

    @property
    def prompt(self) -> str | None:
        """The prompt, or None if the report has none."""
        return self.test.prompt or None

    @property
    def is_failing(self) -> bool:
        """Whether the test makes a run fail."""
        return self.test.is_broken


@dataclass(frozen=True, slots=True)
class SuitePage:
    """The values of the page."""

    summary: SuiteSummary
    before: SuiteSummary | None
    commit: CommitSummary
    previous: CommitSummary | None
    description: str | None
    file: str
    trend: Markup
    trend_narrow: Markup
    tests: tuple[TestRow, ...]
    left_out: int
    classes: tuple[ClassRow, ...]
    matrix: ClassMatrix | None
    efficiency: Efficiency
    efficiency_before: Efficiency
    live: CommitSummary | None


def make_suite_page(view: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], root: str) -> SuitePage:
    """Return the values of a suite's page."""
    summary = next(found for found in view.summary.suites if found.name == suite.name)
    classes = make_class_rows(suite)
    lines, points = _make_trend_series(view, summary.id, root)
    return SuitePage(
        summary=summary,
        before=view.before.find_suite(summary.id) if view.before else None,
        commit=view.summary,
        previous=view.before,
        description=suite.description or None,
        file=suite.file,
        trend=draw_trend(lines, points) if len(points) > 1 else Markup(""),
        trend_narrow=draw_trend(lines, points, narrow=True) if len(points) > 1 else Markup(""),
        tests=rows[:MOST_ROWS],
        left_out=max(0, len(rows) - MOST_ROWS),
        classes=tuple(classes),
        matrix=make_class_matrix(suite, classes),
        efficiency=measure_suite_efficiency(view.find_live_suite(suite.name)),
        efficiency_before=measure_suite_efficiency(view.find_live_suite(suite.name, before=True)),
        live=find_live_commit(view),
    )


def make_test_rows(view: CommitView, suite: SuiteReport) -> tuple[TestRow, ...]:
    """Return the tests of a suite, worst first."""
    return tuple(_make_test_row(view, suite, test) for test in sorted(suite.tests, key=rank_test))


def rank_test(test: TestReport) -> tuple[int, int, str, str]:
    """Return the sort key of a test: by status, then F1; 101 puts tests without a grade last."""
    counts = find_graded_counts(test.gates)
    return -SEVERITY[test.status], counts.f1 if counts else 101, test.name, test.model or ""


def compute_test_score(test: TestReport | None) -> GradedScore | None:
    """Return the letter of one test, or None if it is not graded."""
    counts = find_graded_counts(test.gates) if test else None
    return GradedScore(letter_grade(counts.f1), counts.f1, counts.precision, counts.recall) if counts else None


def _make_test_row(view: CommitView, suite: SuiteReport, test: TestReport) -> TestRow:
    key = (suite.name, test.name, test.model or "")
    score, before = compute_test_score(test), compute_test_score(view.tests_before.get(key))
    runs = make_test_runs(test)
    return TestRow(
        test=test,
        anchor=make_test_anchor(test),
        page=view.pages[key].rpartition("/")[2] if view.has_test_pages else None,
        model=view.label_model(test.model or None),
        score=score,
        delta=score.f1 - before.f1 if score and before else None,
        gate=describe_gates(test.gates),
        glyphs=tuple(_make_glyphs(run) for run in runs[:_MOST_RUNS]),
        more_runs=max(0, len(runs) - _MOST_RUNS),
        efficiency=measure_test_efficiency(view.live_tests.get(key)),
    )


def _make_glyphs(run: Run) -> str:
    """Return a letter for each mark: h matched, m missed, x unexpected, o nothing asked and nothing called."""
    if run.counts is None:
        return ""
    # Letters instead of markup keep the page small; the template draws them.
    marks = "h" * run.counts.tp + "m" * run.counts.fn + "x" * run.counts.fp
    return marks[:_MOST_MARKS] or "o"


def _make_trend_series(view: CommitView, id: str, root: str) -> tuple[list[ChartSeries], list[ChartPoint]]:  # noqa: A002 - the word a suite uses
    past = [(summary, summary.find_suite(id)) for summary in view.commits_so_far]
    # The trend starts with the first commit that has the suite.
    past = past[next((index for index, (_, suite) in enumerate(past) if suite), 0) :]
    scores = [suite.score if suite and suite.score else None for _, suite in past]
    lines = [
        ChartSeries("F1", tuple(score.f1 if score else None for score in scores)),
        ChartSeries("Precision", tuple(score.precision if score else None for score in scores)),
        ChartSeries("Recall", tuple(score.recall if score else None for score in scores)),
    ]
    return lines, [
        _make_trend_point(summary, suite, f"{root}c/{summary.sha}/{id}/index.html") for summary, suite in past
    ]


def _make_trend_point(summary: CommitSummary, suite: SuiteSummary | None, href: str) -> ChartPoint:
    value = f"F1 {suite.score.f1}" if suite and suite.score else "not measured"
    return ChartPoint(summary.short, f"{summary.short}: {value}. {summary.subject}", href if suite else None)
