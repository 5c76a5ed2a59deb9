"""A commit in a few numbers, from which charts and lists are made and which index.json keeps."""

from hashlib import sha256

import msgspec
from msgspec import UNSET, UnsetType

from ...compiler.identity import make_suite_id
from ...gates.gate import Mode
from ..report.report_model import Report, SelectionCounts, SuiteReport, TestReport
from .commit import Commit

SCHEMA = "toolgrade.index/1"


class GradedScore(msgspec.Struct, frozen=True):
    """A letter and the percentages it comes from."""

    grade: str
    f1: int
    precision: int
    recall: int

    @classmethod
    def from_report(cls, part: Report | SuiteReport) -> "GradedScore | UnsetType":
        """Return the score of a report or a suite, or unset if no test of it is graded."""
        found = part.summary if isinstance(part, Report) else part
        if not isinstance(found.selection, SelectionCounts) or not isinstance(found.grade, str):
            return UNSET
        return cls(found.grade, found.selection.f1, found.selection.precision, found.selection.recall)


class VerdictCounts(msgspec.Struct, frozen=True):
    """The number of tests, of gates that ran, of gates that passed, and of tests that an error stopped."""

    tests: int = 0
    gates: int = 0
    passed: int = 0
    errors: int = 0

    @property
    def failing(self) -> int:
        """The number of gates that failed."""
        return self.gates - self.passed

    def __add__(self, other: "VerdictCounts") -> "VerdictCounts":
        return VerdictCounts(
            self.tests + other.tests,
            self.gates + other.gates,
            self.passed + other.passed,
            self.errors + other.errors,
        )

    @classmethod
    def from_test(cls, test: TestReport) -> "VerdictCounts":
        """Return the counts of one test; skipped gates are not counted."""
        statuses = [gate.status for gate in test.gates]
        passed, failed = statuses.count("passed"), statuses.count("failed")
        if test.status == "xfailed":
            failed = 0  # as expected: it fails no run, so no page calls it failing
        elif test.status == "xpassed":
            passed, failed = passed - 1, failed + 1  # every gate passed, and the run fails all the same
        return cls(1, passed + failed, passed, int(test.status == "error"))


class SuiteSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """A suite of a commit."""

    id: str
    name: str
    verdicts: VerdictCounts
    score: GradedScore | UnsetType = UNSET


class CommitSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """A commit in numbers; `lineage` is a digest over it and all commits before it."""

    sha: str
    subject: str
    author: str
    date: str
    lineage: str
    live_sha: str | UnsetType = UNSET
    mode: Mode | UnsetType = UNSET
    verdicts: VerdictCounts = VerdictCounts()
    score: GradedScore | UnsetType = UNSET
    suites: tuple[SuiteSummary, ...] = ()
    problem: str | UnsetType = UNSET
    has_test_pages: bool = msgspec.field(default=False, name="test_pages")

    @property
    def short(self) -> str:
        """The first seven digits of the SHA, or `worktree`."""
        return self.sha[:7] if self.sha != "worktree" else self.sha

    def find_suite(self, id: str) -> SuiteSummary | None:  # noqa: A002 - the word a suite uses
        """Return the suite with this id, or None."""
        return next((suite for suite in self.suites if suite.id == id), None)


def make_commit_summary(
    commit: Commit, lineage: str, report: Report | None, live_sha: str | None, problem: str | None
) -> CommitSummary:
    """Return the summary of a commit; `problem` says why its report cannot be read."""
    suites = tuple(_make_suite_summary(suite) for suite in report.suites) if report else ()
    return CommitSummary(
        sha=commit.sha,
        subject=commit.subject,
        author=commit.author,
        date=commit.date,
        lineage=lineage,
        live_sha=live_sha or UNSET,
        mode=report.mode if report else UNSET,
        verdicts=sum((suite.verdicts for suite in suites), VerdictCounts()),
        score=GradedScore.from_report(report) if report else UNSET,
        suites=suites,
        problem=problem or UNSET,
    )


def hash_lineage(commit: Commit, previous: str) -> str:
    """Return the digest of everything that a commit's pages depend on: its own reports and words and all before."""
    # Git metadata cannot hold NUL, so joining with it cannot make two lists equal.
    parts = (previous, commit.sha, commit.subject, commit.author, commit.date, commit.replay or "", commit.live or "")
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _make_suite_summary(suite: SuiteReport) -> SuiteSummary:
    verdicts = sum((VerdictCounts.from_test(test) for test in suite.tests), VerdictCounts())
    return SuiteSummary(make_suite_id(suite.name), suite.name, verdicts, GradedScore.from_report(suite))
