"""One commit with all that its pages show: its results, the commits before it, and the changes since."""

from dataclasses import dataclass
from functools import cached_property

from ..history.commit import Commit
from ..history.commit_summary import CommitSummary
from ..history.timeline import CommitReports, Timeline
from ..report.comparison import diff, index_tests
from ..report.comparison_model import Diff, Identity
from ..report.report_model import Report, SuiteReport, TestReport
from .addresses import make_suite_id, map_test_pages

RECENT = 5
"""How many commits a strip or a grid of commits shows."""


@dataclass(frozen=True)
class CommitView:
    """A commit and the commits up to it; `commits_so_far` has the oldest first."""

    commit: Commit
    summary: CommitSummary
    commits_so_far: tuple[CommitSummary, ...]
    report: Report
    live: Report | None
    before: CommitSummary | None
    before_reports: CommitReports
    recent: tuple[tuple[CommitSummary, dict[Identity, TestReport]], ...]
    has_test_pages: bool

    @cached_property
    def changes(self) -> Diff | None:
        """The changes since the commit before, or None if there is no earlier report."""
        old = self.before_reports.results
        # Strict: a page lists every change, also one that chance explains.
        return diff(old, self.report, is_strict=True) if old else None

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models of the report, in the order of their first test."""
        return tuple(dict.fromkeys(test.model for test in self.tests.values() if isinstance(test.model, str)))

    def label_model(self, model: str | None) -> str | None:
        """Return the model, or None if the report has just one and need not name it."""
        return model if len(self.models) > 1 else None

    @cached_property
    def tests(self) -> dict[Identity, TestReport]:
        """The tests of the report."""
        return index_tests(self.report)

    @cached_property
    def tests_before(self) -> dict[Identity, TestReport]:
        """The tests of the commit before."""
        return index_tests(self.before_reports.results) if self.before_reports.results else {}

    @cached_property
    def live_tests(self) -> dict[Identity, TestReport]:
        """The tests of the live report."""
        return index_tests(self.live) if self.live else {}

    @cached_property
    def live_tests_before(self) -> dict[Identity, TestReport]:
        """The tests of the live report of the commit before."""
        return index_tests(self.before_reports.live) if self.before_reports.live else {}

    def find_live_suite(self, name: str, *, before: bool = False) -> SuiteReport | None:
        """Return a suite of the live report as of this commit or the one before; None if it is not there."""
        report = self.before_reports.live if before else self.live
        return next((suite for suite in report.suites if suite.name == name), None) if report else None

    def list_recent_commits(self) -> tuple[CommitSummary, ...]:
        """Return the last few commits up to this one."""
        return self.commits_so_far[-RECENT:]

    @cached_property
    def pages(self) -> dict[Identity, str]:
        """The page of each test, relative to the commit's folder; empty if test pages are not kept."""
        if not self.has_test_pages:
            return {}
        return {
            (suite.name, *key): f"{make_suite_id(suite.name)}/{page}"
            for suite in self.report.suites
            for key, page in map_test_pages(suite).items()
        }


def make_commit_view(timeline: Timeline, sha: str, has_test_pages: bool) -> CommitView | None:
    """Return the view of a commit, or None if its report cannot be read."""
    found = timeline.get_reports(sha)
    if found.results is None:
        return None
    line = timeline.list_commits_up_to(sha)
    before = line[-2] if len(line) > 1 else None
    recent = (
        # Only test pages show earlier results, so without them earlier reports are not read.
        tuple((summary, _read_tests(timeline, summary.sha)) for summary in line[-RECENT:]) if has_test_pages else ()
    )
    return CommitView(
        commit=timeline.commits[sha],
        summary=line[-1],
        commits_so_far=tuple(line),
        report=found.results,
        live=found.live,
        before=before,
        before_reports=timeline.get_reports(before.sha) if before else CommitReports(None, None),
        recent=recent,
        has_test_pages=has_test_pages,
    )


def _read_tests(timeline: Timeline, sha: str) -> dict[Identity, TestReport]:
    report = timeline.get_reports(sha).results
    return index_tests(report) if report else {}
