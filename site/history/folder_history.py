"""History from a folder of reports: one folder per commit, with report.json and, optionally, run.json."""

import re
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from ...compiler.identity import make_hashed_slug
from ...foundations.fault import BadInput
from ...foundations.paths import StrPath
from ..report.report_file import FILE, MAX_BYTES
from .commit import Commit

_SHA = re.compile(r"[0-9a-f]{7,64}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class _RunMetadata(msgspec.Struct):
    """The fields of run.json that are used."""

    commit: str = ""
    started: str = ""
    branch: str = ""


class FolderHistory:
    """The commits of a folder, in the order of their `started` times, and by name without one."""

    remark = None

    def __init__(self, folder: StrPath) -> None:
        self._folder = folder = Path(folder)
        try:
            found = sorted(path for path in folder.iterdir() if (path / FILE).is_file())
        except OSError as error:
            raise BadInput(f"{folder}: {error.strerror or error}", _HELP) from None
        if not found:
            raise BadInput(f"{folder}: no folder in it has a {FILE}", _HELP)
        runs = sorted(
            ((_read_run_metadata(path), path) for path in found), key=lambda row: (row[0].started, row[1].name)
        )
        self.commits = _link_commits([_make_commit(run, path) for run, path in runs])

    def read(self, key: str) -> bytes:
        """Return the bytes of the report with this key, which is `folder:size`."""
        with (self._folder / key.rpartition(":")[0] / FILE).open("rb") as stream:
            # One byte more than the limit, by which `read_report` knows that it is too large.
            return stream.read(MAX_BYTES + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def _read_run_metadata(folder: Path) -> _RunMetadata:
    try:
        with (folder / "run.json").open("rb") as stream:
            return msgspec.json.decode(stream.read(MAX_BYTES), type=_RunMetadata)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        # run.json is optional and from elsewhere: without it the name of the folder stands in.
        return _RunMetadata()


def _make_commit(run: _RunMetadata, folder: Path) -> Commit:
    name = run.commit or folder.name
    date = _DATE.match(run.started)
    # A folder need not be named for a commit; the hash gives any name a safe address.
    sha = name if _SHA.fullmatch(name) else make_hashed_slug(name)
    # The size is part of the key, so a report that was written again is seen as changed.
    key = f"{folder.name}:{(folder / FILE).stat().st_size}"
    return Commit(sha, folder.name, run.branch, date[0] if date else "", None, key)


def _link_commits(commits: list[Commit]) -> tuple[Commit, ...]:
    """Set the predecessor of each commit; if two folders name one commit, the later one counts."""
    last = {commit.sha: commit for commit in commits}
    linked: list[Commit] = []
    for commit in last.values():
        linked.append(msgspec.structs.replace(commit, previous=linked[-1].sha if linked else None))
    return tuple(linked)


_HELP = "--reports takes a folder with a folder for each commit, and a report.json in each"
