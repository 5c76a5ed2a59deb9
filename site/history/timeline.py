"""Commits with their reports and figures: read when they are asked for, and few of them held at once."""

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

_HELD = 8


@dataclass(frozen=True, slots=True)
class CommitReports:
    """What a commit has: the report its results come from, the live one, and why there is none."""

    results: Report | None
    live: Report | None
    problem: str | None = None


class Timeline:
    """The commits of a history, and what is known of each."""

    def __init__(self, history: History, known: Mapping[str, CommitSummary]) -> None:
        self._history = history
        self._known = known
        self._held: OrderedDict[str, CommitReports] = OrderedDict()
        self._figures: dict[str, CommitSummary] = {}
        self.commits = {commit.sha: commit for commit in history.commits}

    @property
    def latest(self) -> Commit:
        return next(reversed(self.commits.values()))

    def get_summary(self, sha: str) -> CommitSummary:
        """From the site that is there where nothing up to this commit changed, else from its report."""
        if sha not in self._figures:
            self._figures[sha] = self._known[sha] if self.is_known(sha) else self._make_summary(sha)
        return self._figures[sha]

    def record_test_pages(self, shas: set[str]) -> None:
        """Keep in the figures which commits have a page for each test."""
        for sha in self.commits:
            self._figures[sha] = msgspec.structs.replace(self.get_summary(sha), has_test_pages=sha in shas)

    def is_known(self, sha: str) -> bool:
        """Whether the site that is there has this commit just as it is."""
        known = self._known.get(sha)
        return known is not None and known.lineage == self._lineages[sha] and sha != WORKTREE

    def list_commits_up_to(self, sha: str) -> list[CommitSummary]:
        """The commits up to this one, oldest first: its ancestors that have a report which can be read, and itself."""
        found: list[CommitSummary] = []
        at: str | None = sha
        while at is not None:
            figures = self.get_summary(at)
            if at == sha or not figures.problem:
                found.append(figures)
            at = self.commits[at].previous
        return found[::-1]

    def get_reports(self, sha: str) -> CommitReports:
        """The reports of a commit, decoded; the last few are held."""
        if sha not in self._held:
            self._held[sha] = self._read_reports(self.commits[sha])
            if len(self._held) > _HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(sha)
        return self._held[sha]

    def read_report_bytes(self, commit: Commit) -> bytes | None:
        """The bytes of the report that a commit's results come from."""
        key = commit.replay or commit.live
        return None if key is None else self._history.read(key)

    def _make_summary(self, sha: str) -> CommitSummary:
        found, live = self.get_reports(sha), self._live_shas.get(sha)
        return make_commit_summary(self.commits[sha], self._lineages[sha], found.results, live, found.problem)

    def _read_reports(self, commit: Commit) -> CommitReports:
        replay, problem = self._try_read_report(commit.replay, commit)
        live, live_problem = self._try_read_report(commit.live, commit)
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
            found[sha] = hash_lineage(commit, found[commit.previous or ""])
        return found

    @cached_property
    def _live_shas(self) -> dict[str, str]:
        """For each commit the one that its live report came with."""
        found: dict[str, str] = {}
        for sha, commit in self.commits.items():
            before = self.commits.get(commit.previous or "")
            if commit.live is not None:
                is_same = before is not None and before.live == commit.live
                found[sha] = found[before.sha] if before and is_same else sha
        return found
