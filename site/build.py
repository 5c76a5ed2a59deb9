"""Building a site: commits that are new are written, the rest stays as it is, and the root follows."""

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
from .mkdocs_build import Body, write_pages
from .pages.addresses import get_commit_folder
from .pages.commit_pages import make_commit_pages, render_tests_script, render_unreadable_page
from .pages.commit_view import CommitView, make_commit_view
from .pages.root_pages import make_root_files, make_root_pages
from .site_folder import (
    check_output_folder,
    list_paths,
    move_files,
    open_staging_folder,
    remove_folder,
    remove_unwanted_files,
)

_LAST = ("commits.js", "history.html", "index.html", "index.json")


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """How a site is built."""

    title: str = "toolgrade"
    keep: int = 20
    is_fresh: bool = False


@dataclass(frozen=True, slots=True)
class SiteBuildResult:
    """What was done."""

    commits: int
    written: int
    pages: int


def build_site(
    history: History,
    out: StrPath,
    options: SiteOptions = SiteOptions(),
    progress: Callable[[str], None] = lambda _line: None,
) -> SiteBuildResult:
    """Write the site of a history, or add to the one that is there."""
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
        is_same = self._timeline.is_known(sha) and known[sha].has_test_pages == (sha in self._kept)
        return is_same and (self._target / get_commit_folder(sha) / "index.html").is_file()

    def write_commit(self, sha: str) -> None:
        """Write a commit's folder; every file of it is in place before one that is no longer wanted goes."""
        edition = self._make_commit_view(sha)
        folder = get_commit_folder(sha)
        if edition is None:
            figures = self._timeline.get_summary(sha)
            pages: dict[str, Body] = {"index.html": partial(render_unreadable_page, figures, self._options.title)}
            files = [("tests.js", b"window.toolgradeTests = [];\n")]
        else:
            pages = make_commit_pages(edition, self._options.title)
            data = self._timeline.read_report_bytes(edition.commit) or b""
            files = [("tests.js", render_tests_script(edition)), ("report.json", data)]
        self._write_and_move(pages, files, self._target / folder)

    def write_root(self, remark: str | None) -> None:
        """Write everything that a new commit changes outside its own folder."""
        latest = self._timeline.latest
        edition = self._make_commit_view(latest.sha)
        data = self._timeline.read_report_bytes(latest) if edition else None
        title = self._options.title
        self._timeline.record_test_pages(self._kept)
        pages = make_root_pages(self._timeline, edition, title, remark)
        files = list(make_root_files(self._timeline, title, data))
        wanted = {*pages, *(path for path, _ in files)}
        self._write_files(pages, files, self._stage / "root")
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
        wanted = list_paths(aside)
        move_files(aside, place)
        remove_unwanted_files(place, wanted)
        remove_folder(aside)

    def _write_files(self, pages: dict[str, Body], files: list[tuple[str, bytes]], folder: Path) -> None:
        folder.mkdir()
        write_pages(folder, pages, files)
        self.pages += len(pages)


def _move_site(target: Path, out: Path) -> None:
    """A whole new site: by one rename where nothing is there yet."""
    if not out.exists() or not any(out.iterdir()):
        target.replace(out)
        return
    wanted = list_paths(target)
    move_files(target, out, last=_LAST)
    for folder in ("c", "badge", "latest"):
        remove_unwanted_files(
            out / folder, {path.partition("/")[2] for path in wanted if path.startswith(f"{folder}/")}
        )


def _remove_old_commits(out: Path, timeline: Timeline, *, is_cut: bool) -> None:
    """Commits that the history no longer has; where it is cut short, that means nothing."""
    if is_cut:
        return
    for folder in (out / "c").iterdir():
        if folder.name not in timeline.commits:
            remove_folder(folder)
