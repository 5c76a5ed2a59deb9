"""A suite: its numbers and their trend, tests worst first, what was missed, and what its catalog costs."""

from dataclasses import dataclass

from markupsafe import Markup

from ...gates.grade import letter_grade
from ..history.commit_summary import CommitSummary, GradedScore, SuiteSummary
from ..report.report_model import BROKEN, SuiteReport, TestReport, find_graded_counts
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
_BADNESS = {"error": 0, "failed": 1, "xpassed": 2, "xfailed": 3, "passed": 4, "skipped": 5}


@dataclass(frozen=True, slots=True)
class TestRow:
    """A test in a table or a list; `page` is None where its page is not kept."""

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
        return self.test.name

    @property
    def status(self) -> str:
        return self.test.status

    @property
    def prompt(self) -> str | None:
        return self.test.prompt or None

    @property
    def is_failing(self) -> bool:
        return self.status in BROKEN


@dataclass(frozen=True, slots=True)
class SuitePage:
    """Everything on the page."""

    figures: SuiteSummary
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


def make_suite_page(edition: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], root: str) -> SuitePage:
    """What stands on a suite's page."""
    figures = next(found for found in edition.figures.suites if found.name == suite.name)
    classes = make_class_rows(suite)
    lines, points = _make_trend_series(edition, figures.id, root)
    return SuitePage(
        figures=figures,
        before=edition.before.find_suite(figures.id) if edition.before else None,
        commit=edition.figures,
        previous=edition.before,
        description=suite.description or None,
        file=suite.file,
        trend=draw_trend(lines, points) if len(points) > 1 else Markup(""),
        trend_narrow=draw_trend(lines, points, narrow=True) if len(points) > 1 else Markup(""),
        tests=rows[:MOST_ROWS],
        left_out=max(0, len(rows) - MOST_ROWS),
        classes=tuple(classes),
        matrix=make_class_matrix(suite, classes),
        efficiency=measure_suite_efficiency(edition.find_live_suite(suite.name)),
        efficiency_before=measure_suite_efficiency(edition.find_live_suite(suite.name, before=True)),
        live=find_live_commit(edition),
    )


def make_test_rows(edition: CommitView, suite: SuiteReport) -> tuple[TestRow, ...]:
    """The tests of a suite, worst first."""
    return tuple(_make_test_row(edition, suite, test) for test in sorted(suite.tests, key=rank_test))


def rank_test(test: TestReport) -> tuple[int, int, str, str]:
    counts = find_graded_counts(test.gates)
    return _BADNESS[test.status], counts.f1 if counts else 101, test.name, test.model or ""


def compute_test_score(test: TestReport | None) -> GradedScore | None:
    """The letter of one test, from the counts it puts into its suite's."""
    counts = find_graded_counts(test.gates) if test else None
    return GradedScore(letter_grade(counts.f1), counts.f1, counts.precision, counts.recall) if counts else None


def _make_test_row(edition: CommitView, suite: SuiteReport, test: TestReport) -> TestRow:
    key = (suite.name, test.name, test.model or "")
    score, before = compute_test_score(test), compute_test_score(edition.tests_before.get(key))
    runs = make_test_runs(test)
    return TestRow(
        test=test,
        anchor=make_test_anchor(test),
        page=edition.pages[key].rpartition("/")[2] if edition.has_test_pages else None,
        model=edition.label_model(test.model or None),
        score=score,
        delta=score.f1 - before.f1 if score and before else None,
        gate=describe_gates(test.gates),
        glyphs=tuple(_make_glyphs(run) for run in runs[:_MOST_RUNS]),
        more_runs=max(0, len(runs) - _MOST_RUNS),
        efficiency=measure_test_efficiency(edition.live_tests.get(key)),
    )


def _make_glyphs(run: Run) -> str:
    """A letter for each mark: h a class matched, m missed, x an unexpected call, o nothing asked and nothing called."""
    if run.counts is None:
        return ""
    marks = "h" * run.counts.tp + "m" * run.counts.fn + "x" * run.counts.fp
    return marks[:_MOST_MARKS] or "o"


def _make_trend_series(edition: CommitView, id: str, root: str) -> tuple[list[ChartSeries], list[ChartPoint]]:  # noqa: A002 - the word a suite uses
    past = [(figures, figures.find_suite(id)) for figures in edition.commits_so_far]
    past = past[next((index for index, (_, suite) in enumerate(past) if suite), 0) :]
    scores = [suite.score if suite and suite.score else None for _, suite in past]
    lines = [
        ChartSeries("F1", tuple(score.f1 if score else None for score in scores)),
        ChartSeries("Precision", tuple(score.precision if score else None for score in scores)),
        ChartSeries("Recall", tuple(score.recall if score else None for score in scores)),
    ]
    return lines, [
        _make_trend_point(figures, suite, f"{root}c/{figures.sha}/{id}/index.html") for figures, suite in past
    ]


def _make_trend_point(figures: CommitSummary, suite: SuiteSummary | None, href: str) -> ChartPoint:
    value = f"F1 {suite.score.f1}" if suite and suite.score else "not measured"
    return ChartPoint(figures.short, f"{figures.short}: {value}. {figures.subject}", href if suite else None)
