"""A suite: its numbers and their trend, tests worst first, what was missed, and what its catalog costs."""

from dataclasses import dataclass

from markupsafe import Markup

from ...gates.grade import letter_grade
from ..history.commit_summary import Figures, Score, SuiteFigures
from ..report.report_model import SuiteReport, TestReport, graded_counts
from ..report.test_runs import Run, runs_of
from .addresses import test_anchor
from .charts import Line, Point, trend
from .commit_view import Edition
from .efficiency import Efficiency, suite_efficiency, test_efficiency
from .missed import ClassRow, Matrix, class_rows, matrix_of
from .overview import live_commit
from .wording import gate_words

MOST_ROWS = 1000
_MOST_RUNS = 10
_MOST_MARKS = 14
_BADNESS = {"error": 0, "failed": 1, "passed": 2, "skipped": 3}


@dataclass(frozen=True, slots=True)
class TestRow:
    """A test in a table or a list; `page` is None where its page is not kept."""

    test: TestReport
    anchor: str
    page: str | None
    model: str | None
    score: Score | None
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
        return self.status in ("failed", "error")


@dataclass(frozen=True, slots=True)
class SuitePage:
    """Everything on the page."""

    figures: SuiteFigures
    before: SuiteFigures | None
    commit: Figures
    previous: Figures | None
    description: str | None
    file: str
    trend: Markup
    trend_narrow: Markup
    tests: tuple[TestRow, ...]
    left_out: int
    classes: tuple[ClassRow, ...]
    matrix: Matrix | None
    efficiency: Efficiency
    efficiency_before: Efficiency
    live: Figures | None


def suite_page_of(edition: Edition, suite: SuiteReport, rows: tuple[TestRow, ...], root: str) -> SuitePage:
    """What stands on a suite's page."""
    figures = next(found for found in edition.figures.suites if found.name == suite.name)
    classes = class_rows(suite)
    lines, points = _trend(edition, figures.id, root)
    return SuitePage(
        figures=figures,
        before=edition.before.suite(figures.id) if edition.before else None,
        commit=edition.figures,
        previous=edition.before,
        description=suite.description or None,
        file=suite.file,
        trend=trend(lines, points) if len(points) > 1 else Markup(""),
        trend_narrow=trend(lines, points, narrow=True) if len(points) > 1 else Markup(""),
        tests=rows[:MOST_ROWS],
        left_out=max(0, len(rows) - MOST_ROWS),
        classes=tuple(classes),
        matrix=matrix_of(suite, classes),
        efficiency=suite_efficiency(edition.live_suite(suite.name)),
        efficiency_before=suite_efficiency(edition.live_suite(suite.name, before=True)),
        live=live_commit(edition),
    )


def test_rows(edition: Edition, suite: SuiteReport) -> tuple[TestRow, ...]:
    """The tests of a suite, worst first."""
    return tuple(_row(edition, suite, test) for test in sorted(suite.tests, key=worst_first))


def worst_first(test: TestReport) -> tuple[int, int, str, str]:
    counts = graded_counts(test.gates)
    return _BADNESS[test.status], counts.f1 if counts else 101, test.name, test.model or ""


def test_score(test: TestReport | None) -> Score | None:
    """The letter of one test, from the counts it puts into its suite's."""
    counts = graded_counts(test.gates) if test else None
    return Score(letter_grade(counts.f1), counts.f1, counts.precision, counts.recall) if counts else None


def _row(edition: Edition, suite: SuiteReport, test: TestReport) -> TestRow:
    key = (suite.name, test.name, test.model or "")
    score, before = test_score(test), test_score(edition.tests_before.get(key))
    runs = runs_of(test)
    return TestRow(
        test=test,
        anchor=test_anchor(test),
        page=edition.pages[key].rpartition("/")[2] if edition.has_test_pages else None,
        model=edition.model_label(test.model or None),
        score=score,
        delta=score.f1 - before.f1 if score and before else None,
        gate=gate_words(test.gates),
        glyphs=tuple(_glyphs(run) for run in runs[:_MOST_RUNS]),
        more_runs=max(0, len(runs) - _MOST_RUNS),
        efficiency=test_efficiency(edition.live_tests.get(key)),
    )


def _glyphs(run: Run) -> str:
    """A letter for each mark: h a class matched, m missed, x an unexpected call, o nothing asked and nothing called."""
    if run.counts is None:
        return ""
    marks = "h" * run.counts.tp + "m" * run.counts.fn + "x" * run.counts.fp
    return marks[:_MOST_MARKS] or "o"


def _trend(edition: Edition, id: str, root: str) -> tuple[list[Line], list[Point]]:  # noqa: A002 - the word a suite uses
    past = [(figures, figures.suite(id)) for figures in edition.line]
    past = past[next((index for index, (_, suite) in enumerate(past) if suite), 0) :]
    scores = [suite.score if suite and suite.score else None for _, suite in past]
    lines = [
        Line("F1", tuple(score.f1 if score else None for score in scores)),
        Line("Precision", tuple(score.precision if score else None for score in scores)),
        Line("Recall", tuple(score.recall if score else None for score in scores)),
    ]
    return lines, [_point(figures, suite, f"{root}c/{figures.sha}/{id}/index.html") for figures, suite in past]


def _point(figures: Figures, suite: SuiteFigures | None, href: str) -> Point:
    value = f"F1 {suite.score.f1}" if suite and suite.score else "not measured"
    return Point(figures.short, f"{figures.short}: {value}. {figures.subject}", href if suite else None)
