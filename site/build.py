"""Building a site: commits that are new are written, the rest stays as it is, and the root follows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..foundations.fault import BadInput
from .history.commit import History
from .history.commit_summary import Figures
from .history.site_index import read_index
from .history.timeline import Timeline
from .mkdocs_build import Body, write_pages
from .pages.addresses import commit_folder
from .pages.commit_pages import commit_pages, tests_script, unreadable_page
from .pages.commit_view import Edition, edition_of
from .pages.root_pages import root_files, root_pages
from .publish import check_output, move_into, paths_in, remove_folder, remove_others, staging

_LAST = ("commits.js", "history.html", "index.html", "index.json")


@dataclass(frozen=True, slots=True)
class Options:
    """How a site is built."""

    title: str = "toolgrade"
    keep: int = 20
    is_fresh: bool = False


@dataclass(frozen=True, slots=True)
class Built:
    """What was done."""

    commits: int
    written: int
    pages: int


def build_site(
    history: History, out: Path, options: Options = Options(), progress: Callable[[str], None] = lambda _line: None
) -> Built:
    """Write the site of a history, or add to the one that is there."""
    check_output(out)
    if not history.commits:
        raise BadInput("no report is committed here, and none is on disk", "`toolgrade run` writes one")
    known = {} if options.is_fresh else read_index(out)
    timeline = Timeline(history, known)
    with staging(out) as stage:
        target = out if known else stage / "site"
        builder = _Builder(timeline, stage, target, options)
        written = [sha for sha in timeline.commits if not builder.is_there(sha, known)]
        for number, sha in enumerate(written, start=1):
            progress(f"{timeline.commits[sha].short} ({number} of {len(written)})")
            builder.write_commit(sha)
        builder.write_root(history.remark)
        if target is not out:
            _put_in_place(target, out)
        _remove_gone(out, timeline, is_cut=history.remark is not None)
    return Built(len(timeline.commits), len(written), builder.pages)


class _Builder:
    """Writes pages aside and moves them into place, one commit at a time."""

    def __init__(self, timeline: Timeline, stage: Path, target: Path, options: Options) -> None:
        self._timeline = timeline
        self._stage = stage
        self._target = target
        self._options = options
        self._kept = set(list(timeline.commits)[-options.keep :])
        self.pages = 0

    def is_there(self, sha: str, known: dict[str, Figures]) -> bool:
        is_same = self._timeline.is_known(sha) and known[sha].has_test_pages == (sha in self._kept)
        return is_same and (self._target / commit_folder(sha) / "index.html").is_file()

    def write_commit(self, sha: str) -> None:
        """Write a commit's folder; every file of it is in place before one that is no longer wanted goes."""
        edition = self._edition(sha)
        folder = commit_folder(sha)
        if edition is None:
            figures = self._timeline.figures(sha)
            pages: dict[str, Body] = {"index.html": partial(unreadable_page, figures, self._options.title)}
            files = [("tests.js", b"window.toolgradeTests = [];\n")]
        else:
            pages = commit_pages(edition, self._options.title)
            data = self._timeline.data(edition.commit) or b""
            files = [("tests.js", tests_script(edition)), ("report.json", data)]
        self._move(pages, files, self._target / folder)

    def write_root(self, remark: str | None) -> None:
        """Write everything that a new commit changes outside its own folder."""
        latest = self._timeline.latest
        edition = self._edition(latest.sha)
        data = self._timeline.data(latest) if edition else None
        title = self._options.title
        self._timeline.note_test_pages(self._kept)
        pages = root_pages(self._timeline, edition, title, remark)
        files = list(root_files(self._timeline, title, data))
        wanted = {*pages, *(path for path, _ in files)}
        self._write(pages, files, self._stage / "root")
        move_into(self._stage / "root", self._target, last=_LAST)
        for folder in ("badge", "latest"):
            remove_others(
                self._target / folder, {path.partition("/")[2] for path in wanted if path.startswith(f"{folder}/")}
            )

    def _edition(self, sha: str) -> Edition | None:
        return edition_of(self._timeline, sha, sha in self._kept)

    def _move(self, pages: dict[str, Body], files: list[tuple[str, bytes]], place: Path) -> None:
        aside = self._stage / "commit"
        self._write(pages, files, aside)
        wanted = paths_in(aside)
        move_into(aside, place)
        remove_others(place, wanted)
        remove_folder(aside)

    def _write(self, pages: dict[str, Body], files: list[tuple[str, bytes]], folder: Path) -> None:
        folder.mkdir()
        write_pages(folder, pages, files)
        self.pages += len(pages)


def _put_in_place(target: Path, out: Path) -> None:
    """A whole new site: by one rename where nothing is there yet."""
    if not out.exists() or not any(out.iterdir()):
        target.replace(out)
        return
    wanted = paths_in(target)
    move_into(target, out, last=_LAST)
    for folder in ("c", "badge", "latest"):
        remove_others(out / folder, {path.partition("/")[2] for path in wanted if path.startswith(f"{folder}/")})


def _remove_gone(out: Path, timeline: Timeline, *, is_cut: bool) -> None:
    """Commits that the history no longer has; where it is cut short, that means nothing."""
    if is_cut:
        return
    for folder in (out / "c").iterdir():
        if folder.name not in timeline.commits:
            remove_folder(folder)
