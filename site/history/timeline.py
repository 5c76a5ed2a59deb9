"""Reports and summaries of commits, read on request; few reports are in memory at once."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import msgspec

from ...foundations.fault import BadInput
from ..report.report_file import read_report
from ..report.report_model import Report
from .commit import WORKTREE, Commit, History
from .commit_summary import CommitSummary, hash_lineage, make_commit_summary

# More than the five commits that a test page shows, so the pages of one commit read each report once.
_HELD = 8


@dataclass(frozen=True, slots=True)
class CommitReports:
    """The reports of a commit; `problem` says why there are no results."""

    results: Report | None
    live: Report | None
    problem: str | None = None


class Timeline:
    """The commits of a history with their summaries and reports."""

    def __init__(self, history: History, known: Mapping[str, CommitSummary]) -> None:
        self._history = history
        self._known = known
        self._held: OrderedDict[str, CommitReports] = OrderedDict()
        self._summaries: dict[str, CommitSummary] = {}
        self.commits = {commit.sha: commit for commit in history.commits}

    @property
    def latest(self) -> Commit:
        """The last commit of the history."""
        return next(reversed(self.commits.values()))

    def get_summary(self, sha: str) -> CommitSummary:
        """Return the summary from the existing site if nothing up to this commit changed, else from its report."""
        if sha not in self._summaries:
            self._summaries[sha] = self._known[sha] if self.is_known(sha) else self._make_summary(sha)
        return self._summaries[sha]

    def record_test_pages(self, shas: set[str]) -> None:
        """Record in the summaries which commits have a page for each test."""
        for sha in self.commits:
            self._summaries[sha] = msgspec.structs.replace(self.get_summary(sha), has_test_pages=sha in shas)

    def is_known(self, sha: str) -> bool:
        """Return whether the existing site has this commit with the same lineage."""
        known = self._known.get(sha)
        # Reports that are not committed have no lasting identity, so their pages are always written again.
        return known is not None and known.lineage == self._lineages[sha] and sha != WORKTREE

    def list_commits_up_to(self, sha: str) -> list[CommitSummary]:
        """Return this commit and its ancestors whose reports can be read, oldest first."""
        found: list[CommitSummary] = []
        at: str | None = sha
        while at is not None:
            summary = self.get_summary(at)
            # A report that cannot be read gives no point of comparison, so it is stepped over.
            if at == sha or not summary.problem:
                found.append(summary)
            at = self.commits[at].previous
        return found[::-1]

    def get_reports(self, sha: str) -> CommitReports:
        """Return the reports of a commit; the last few are kept decoded."""
        if sha not in self._held:
            self._held[sha] = self._read_reports(self.commits[sha])
            if len(self._held) > _HELD:
                self._held.popitem(last=False)
        # Least recently used: the commits that neighbouring pages compare are asked for again.
        self._held.move_to_end(sha)
        return self._held[sha]

    def read_report_bytes(self, commit: Commit) -> bytes | None:
        """Return the bytes of the report that a commit's results come from, or None."""
        key = commit.replay or commit.live
        return None if key is None else self._history.read(key)

    def _make_summary(self, sha: str) -> CommitSummary:
        found, live = self.get_reports(sha), self._live_shas.get(sha)
        return make_commit_summary(self.commits[sha], self._lineages[sha], found.results, live, found.problem)

    def _read_reports(self, commit: Commit) -> CommitReports:
        replay, problem = self._try_read_report(commit.replay, commit)
        live, live_problem = self._try_read_report(commit.live, commit)
        # A broken replay report is shown as broken; the live one stands in only if there is none.
        results = replay or (live if commit.replay is None else None)
        return CommitReports(results, live, None if results else problem or live_problem)

    def _try_read_report(self, key: str | None, commit: Commit) -> tuple[Report | None, str | None]:
        if key is None:
            return None, None
        try:
            return read_report(self._history.read(key), f"the report of {commit.short}"), None
        except BadInput as error:
            return None, str(error)

    @cached_property
    def _lineages(self) -> dict[str, str]:
        found: dict[str, str] = {"": ""}
        for sha, commit in self.commits.items():
            # Each digest includes the one before it, so a rewritten commit changes all that follow.
            found[sha] = hash_lineage(commit, found[commit.previous or ""])
        return found

    @cached_property
    def _live_shas(self) -> dict[str, str]:
        """Map each commit to the one that its live report was committed with."""
        found: dict[str, str] = {}
        for sha, commit in self.commits.items():
            before = self.commits.get(commit.previous or "")
            if commit.live is not None:
                # A live report belongs to the commit that first had it, as long as it is unchanged.
                is_same = before is not None and before.live == commit.live
                found[sha] = found[before.sha] if before and is_same else sha
        return found
