"""A commit in a few numbers: what charts and lists of many commits are made of, and what index.json keeps."""

from hashlib import sha256

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.gate import Mode
from ..pages.addresses import suite_id
from ..report.report_model import Report, Selection, SuiteReport, TestReport
from .commit import Commit

SCHEMA = "toolgrade.index/1"


class Score(msgspec.Struct, frozen=True):
    """A letter and the percentages it comes from."""

    grade: str
    f1: int
    precision: int
    recall: int

    @classmethod
    def of(cls, part: Report | SuiteReport) -> "Score | UnsetType":
        found = part.summary if isinstance(part, Report) else part
        if not isinstance(found.selection, Selection) or not isinstance(found.grade, str):
            return UNSET
        return cls(found.grade, found.selection.f1, found.selection.precision, found.selection.recall)


class Verdicts(msgspec.Struct, frozen=True):
    """How many gates met, of how many that ran; how many tests, and how many of them an error stopped."""

    tests: int = 0
    gates: int = 0
    passed: int = 0
    errors: int = 0

    @property
    def failing(self) -> int:
        return self.gates - self.passed

    def __add__(self, other: "Verdicts") -> "Verdicts":
        return Verdicts(
            self.tests + other.tests,
            self.gates + other.gates,
            self.passed + other.passed,
            self.errors + other.errors,
        )

    @classmethod
    def of(cls, test: TestReport) -> "Verdicts":
        statuses = [gate.status for gate in test.gates]
        passed = statuses.count("passed")
        return cls(1, passed + statuses.count("failed"), passed, int(test.status == "error"))


class SuiteFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """A suite of a commit."""

    id: str
    name: str
    verdicts: Verdicts
    score: Score | UnsetType = UNSET


class Figures(msgspec.Struct, frozen=True, omit_defaults=True):
    """A commit; `lineage` stands for all commits up to it, so pages are made anew where one of them changed."""

    sha: str
    subject: str
    author: str
    date: str
    lineage: str
    live_sha: str | UnsetType = UNSET
    mode: Mode | UnsetType = UNSET
    verdicts: Verdicts = Verdicts()
    score: Score | UnsetType = UNSET
    suites: tuple[SuiteFigures, ...] = ()
    problem: str | UnsetType = UNSET
    has_test_pages: bool = msgspec.field(default=False, name="test_pages")

    @property
    def short(self) -> str:
        return self.sha[:7] if self.sha != "worktree" else self.sha

    def suite(self, id: str) -> SuiteFigures | None:  # noqa: A002 - the word a suite uses
        return next((suite for suite in self.suites if suite.id == id), None)


def figures_of(
    commit: Commit, lineage: str, report: Report | None, live_sha: str | None, problem: str | None
) -> Figures:
    """The few numbers of a commit."""
    suites = tuple(_suite(suite) for suite in report.suites) if report else ()
    return Figures(
        sha=commit.sha,
        subject=commit.subject,
        author=commit.author,
        date=commit.date,
        lineage=lineage,
        live_sha=live_sha or UNSET,
        mode=report.mode if report else UNSET,
        verdicts=sum((suite.verdicts for suite in suites), Verdicts()),
        score=Score.of(report) if report else UNSET,
        suites=suites,
        problem=problem or UNSET,
    )


def lineage_of(commit: Commit, previous: str) -> str:
    """What a commit's pages depend on: the reports and words of it and of all before it."""
    parts = (previous, commit.sha, commit.subject, commit.author, commit.date, commit.replay or "", commit.live or "")
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _suite(suite: SuiteReport) -> SuiteFigures:
    verdicts = sum((Verdicts.of(test) for test in suite.tests), Verdicts())
    return SuiteFigures(suite_id(suite.name), suite.name, verdicts, Score.of(suite))
