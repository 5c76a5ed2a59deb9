"""Builds a site: writes the pages of new commits, leaves the others, and updates the files at the root."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..foundations.fault import BadInput, Fault
from ..foundations.paths import StrPath
from .history.commit import WORKTREE, History
from .history.commit_summary import CommitSummary
from .history.site_index import read_site_index
from .history.timeline import Timeline
from .mkdocs_build import write_pages
from .pages.addresses import get_commit_folder
from .pages.commit_pages import make_commit_pages, render_tests_script, render_unreadable_page
from .pages.commit_view import CommitView, make_commit_view
from .pages.page_templates import Body
from .pages.root_pages import make_root_files, make_root_pages
from .site_folder import (
    check_output_folder,
    list_relative_paths,
    move_files,
    open_staging_folder,
    remove_folder,
    remove_unwanted_files,
)

# Root files that lead to the new pages, in the order in which they may appear; the mark is last.
_LAST = ("commits.js", "history.html", "index.html", "index.json")


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """The settings of a build: the title, for how many commits test pages are kept, whether to start anew."""

    title: str = "toolgrade"
    keep: int = 20
    is_fresh: bool = False


@dataclass(frozen=True, slots=True)
class SiteBuildResult:
    """The number of commits of the site, and of the commits and pages that this build wrote."""

    commits: int
    written: int
    pages: int


def build_site(
    history: History,
    out: StrPath,
    options: SiteOptions = SiteOptions(),
    progress: Callable[[str], None] = lambda _line: None,
) -> SiteBuildResult:
    """Write the site of a history into a folder, or add the new commits to the site in it.

    Raise `BadInput` if the history has no report or the folder is not a site, and `Fault` if it cannot be written.
    """
    out = Path(out)
    check_output_folder(out)
    if not history.commits:
        raise BadInput("no report is committed here, and none is on disk", "`toolgrade run` writes one")
    published = read_site_index(out)
    _refuse_to_forget(published, history)
    known = {} if options.is_fresh else published
    timeline = Timeline(history, known)
    with open_staging_folder(out) as stage:
        target = out if known else stage / "site"
        builder = _SiteBuilder(timeline, stage, target, options)
        written = [sha for sha in timeline.commits if not builder.is_up_to_date(sha, known)]
        for number, sha in enumerate(written, start=1):
            progress(f"{timeline.commits[sha].short} ({number} of {len(written)})")
            builder.write_commit(sha)
        builder.write_root(history.remark)
        if target is not out:
            _move_site(target, out)
        _remove_old_commits(out, timeline, is_cut=history.remark is not None)
    return SiteBuildResult(len(timeline.commits), len(written), builder.pages)


def _refuse_to_forget(published: dict[str, CommitSummary], history: History) -> None:
    """Raise `Fault` if the site has commits and the history has none: that is a history that was not found."""
    kept = [sha for sha in published if sha != WORKTREE]
    if kept and all(commit.sha == WORKTREE for commit in history.commits):
        message = f"the site has {len(kept):,} commits, and no commit with a report was found here: nothing was changed"
        raise Fault(message, "build in the repository that the site is of, or into another folder with --out")


class _SiteBuilder:
    """Writes pages aside and moves them into place, one commit at a time."""

    def __init__(self, timeline: Timeline, stage: Path, target: Path, options: SiteOptions) -> None:
        self._timeline = timeline
        self._stage = stage
        self._target = target
        self._options = options
        self._kept = set(list(timeline.commits)[-options.keep :])
        self.pages = 0

    def is_up_to_date(self, sha: str, known: dict[str, CommitSummary]) -> bool:
        """Return whether the pages of this commit exist and would be written the same again."""
        # Test pages are kept for the newest commits alone, so they come and go without a change of the report.
        is_same = self._timeline.is_known(sha) and known[sha].has_test_pages == (sha in self._kept)
        return is_same and (self._target / get_commit_folder(sha) / "index.html").is_file()

    def write_commit(self, sha: str) -> None:
        """Write a commit's folder; files that are no longer wanted go after the new ones are in place."""
        view = self._make_commit_view(sha)
        folder = get_commit_folder(sha)
        if view is None:
            summary = self._timeline.get_summary(sha)
            pages: dict[str, Body] = {"index.html": partial(render_unreadable_page, summary, self._options.title)}
            files = [("tests.js", b"window.toolgradeTests = [];\n")]
        else:
            pages = make_commit_pages(view, self._options.title)
            data = self._timeline.read_report_bytes(view.commit) or b""
            files = [("tests.js", render_tests_script(view)), ("report.json", data)]
        self._write_and_move(pages, files, self._target / folder)

    def write_root(self, remark: str | None) -> None:
        """Write the files outside the commits' folders, all of which may change with a new commit."""
        latest = self._timeline.latest
        view = self._make_commit_view(latest.sha)
        data = self._timeline.read_report_bytes(latest) if view else None
        title = self._options.title
        # The next build reads in index.json which commits have test pages.
        self._timeline.record_test_pages(self._kept)
        pages = make_root_pages(self._timeline, view, title, remark)
        files = list(make_root_files(self._timeline, title, data))
        wanted = {*pages, *(path for path, _ in files)}
        self._write_files(pages, files, self._stage / "root")
        # index.json comes last: until then a build that was killed is done again.
        move_files(self._stage / "root", self._target, last=_LAST)
        for folder in ("badge", "latest"):
            remove_unwanted_files(
                self._target / folder, {path.partition("/")[2] for path in wanted if path.startswith(f"{folder}/")}
            )

    def _make_commit_view(self, sha: str) -> CommitView | None:
        return make_commit_view(self._timeline, sha, sha in self._kept)

    def _write_and_move(self, pages: dict[str, Body], files: list[tuple[str, bytes]], place: Path) -> None:
        aside = self._stage / "commit"
        self._write_files(pages, files, aside)
        wanted = list_relative_paths(aside)
        move_files(aside, place)
        remove_unwanted_files(place, wanted)
        remove_folder(aside)

    def _write_files(self, pages: dict[str, Body], files: list[tuple[str, bytes]], folder: Path) -> None:
        folder.mkdir()
        write_pages(folder, pages, files)
        self.pages += len(pages)


def _move_site(target: Path, out: Path) -> None:
    """Move a whole new site into place, with one rename if the folder is empty."""
    if not out.exists() or not any(out.iterdir()):
        # rename(2) replaces an empty folder.
        target.replace(out)
        return
    wanted = list_relative_paths(target)
    move_files(target, out, last=_LAST)
    for folder in ("c", "badge", "latest"):
        remove_unwanted_files(
            out / folder, {path.partition("/")[2] for path in wanted if path.startswith(f"{folder}/")}
        )


def _remove_old_commits(out: Path, timeline: Timeline, *, is_cut: bool) -> None:
    """Remove the pages of commits that are no longer in the history."""
    # A shallow clone does not list its older commits, which says nothing about whether they exist.
    if is_cut:
        return
    for folder in (out / "c").iterdir():
        if folder.name not in timeline.commits:
            remove_folder(folder)
