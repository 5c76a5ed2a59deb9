"""History from git, with five processes at most whatever its length: one hands over reports as they are asked for.

A question that git does not answer is a fault. That there is nothing is believed only when git says so.
"""

import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from ...foundations.fault import Fault
from ...foundations.paths import StrPath
from ..report.report_file import COMMITTED, MAX_BYTES, InvalidReport
from .commit import WORKTREE, Commit

REPLAY = COMMITTED
LIVE = "reports/live/report.json"
_FIELDS = "%H%x00%P%x00%an%x00%cs%x00%s"
_LOG = ("log", "--topo-order", "--reverse", "--parents", "--no-show-signature", "-z", f"--format={_FIELDS}")


class GitHistory:
    """Commits that changed a report, oldest first, and the reports on disk if they are not committed."""

    def __init__(self, folder: StrPath) -> None:
        self._folder = folder = Path(folder)
        self._sizes: dict[str, int] = {}
        self._reader: subprocess.Popen[bytes] | None = None
        committed: tuple[Commit, ...] = ()
        self._is_cut = False
        if _has_repository(folder):
            self._is_cut = self._run_git("rev-parse", "--is-shallow-repository").strip() == b"true"
            committed = self._list_committed()
        self.commits = (*committed, *self._list_uncommitted(committed))

    @property
    def remark(self) -> str | None:
        """A remark if the clone is shallow, else None."""
        return "a shallow clone: older commits are not in it" if self._is_cut else None

    def read(self, key: str) -> bytes:
        """Return the bytes of a report; raise `InvalidReport` if it is too large."""
        if key.startswith(f"{WORKTREE}:"):
            return _read_file(self._folder / key.removeprefix(f"{WORKTREE}:")) or b""
        if self._sizes.get(key, 0) > MAX_BYTES:
            raise InvalidReport(f"a report has at most {MAX_BYTES:,} bytes")
        return self._read_blob(key)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._reader is not None:
            # Closes its stdin, on which `cat-file --batch` ends.
            self._reader.communicate()

    def _list_committed(self) -> tuple[Commit, ...]:
        # Fields and records both end with NUL, which no name or subject can contain.
        fields = self._read_log().decode("utf-8", "replace").split("\0")[:-1]
        shas = fields[::5]
        # `./` makes the path relative to the folder, which may be a part of the repository.
        blobs = self._find_blobs([f"{sha}:./{path}" for path in (REPLAY, LIVE) for sha in shas])
        if None in blobs:
            self._check_nothing_is_lost(shas)
        columns = (*(fields[at::5] for at in range(5)), blobs[: len(shas)], blobs[len(shas) :])
        commits: list[Commit] = []
        before: dict[str, str | None] = {}
        for sha, parents, author, date, subject, replay, live in zip(*columns, strict=True):
            previous = before.get(parents.split(" ")[0])
            before[sha] = sha if replay or live else previous  # a commit that deleted the reports is stepped over
            if replay or live:
                commits.append(Commit(sha, subject, author, date, previous, replay, live))
        return tuple(commits)

    def _read_log(self) -> bytes:
        """Return the log; nothing if git says that the branch has no commit yet."""
        done = self._start_git(*_LOG, "--", REPLAY, LIVE)
        if done.returncode:
            head = self._start_git("rev-parse", "--verify", "--quiet", "HEAD")
            # An unborn branch fails without a word; what is damaged or refused is explained on stderr.
            if head.returncode != 1 or head.stdout or head.stderr:
                raise _make_git_fault(done)
        return done.stdout

    def _check_nothing_is_lost(self, shas: list[str]) -> None:
        """Raise `Fault` if a report is missing from the object store: git says `missing` of it as of no report."""
        asked = "".join(f"{sha}\n" for sha in [*shas, "--", REPLAY, LIVE]).encode()
        found = self._run_git("rev-list", "--objects", "--missing=print", "--no-walk", "--stdin", stdin=asked)
        for line in found.splitlines():
            if line.startswith(b"?"):
                raise Fault(f"git has no object {line[1:].decode()}", _HELP)

    def _find_blobs(self, names: list[str]) -> list[str | None]:
        """Return the id of the blob that each name stands for, or None."""
        asked = "".join(f"{name}\n" for name in names).encode()
        answers = self._run_git("cat-file", "--batch-check", stdin=asked).decode().splitlines()
        found: list[str | None] = []
        for answer in answers:
            blob, _, rest = answer.partition(" ")
            kind, _, size = rest.partition(" ")
            found.append(blob if kind == "blob" else None)
            # Kept to refuse a report that is too large before git sends it.
            self._sizes[blob] = int(size) if kind == "blob" else 0
        return found

    def _list_uncommitted(self, committed: tuple[Commit, ...]) -> tuple[Commit, ...]:
        last = committed[-1] if committed else None
        keys = [
            self._find_key_on_disk(path, key)
            for path, key in zip((REPLAY, LIVE), (last.replay, last.live) if last else (None, None), strict=True)
        ]
        if not any(key and key.startswith(f"{WORKTREE}:") for key in keys):
            return ()
        return (Commit(WORKTREE, "Not committed yet", "", "", last.sha if last else None, *keys),)

    def _find_key_on_disk(self, path: str, committed: str | None) -> str | None:
        data = _read_file(self._folder / path)
        # The size is compared first: git need not send a report that has another one.
        if data is None or (committed and len(data) == self._sizes[committed] and data == self.read(committed)):
            return committed
        return f"{WORKTREE}:{path}"

    def _read_blob(self, key: str) -> bytes:
        if self._reader is None:
            command = [_find_git(), "cat-file", "--batch"]
            self._reader = subprocess.Popen(  # noqa: S603 - argv, no shell
                command, cwd=self._folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        reader = self._reader
        assert reader.stdin is not None
        assert reader.stdout is not None
        # `cat-file --batch` answers each name with a header, the content and a newline.
        reader.stdin.write(f"{key}\n".encode())
        reader.stdin.flush()
        header = reader.stdout.readline().split()
        if len(header) != 3:
            raise Fault(f"git has no object {key}", _HELP)
        size = int(header[2])
        data = reader.stdout.read(size + 1)
        if len(data) != size + 1:
            raise Fault(f"git did not hand over all of the object {key}", _HELP)
        return data[:-1]

    def _run_git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what git answers; raise `Fault` with its own words if it does not."""
        done = self._start_git(*arguments, stdin=stdin)
        if done.returncode:
            raise _make_git_fault(done)
        return done.stdout

    def _start_git(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        # A repository may set another encoding for its log, which would be read as UTF-8 all the same.
        command = [_find_git(), "-c", "i18n.logOutputEncoding=UTF-8", *arguments]
        return subprocess.run(command, cwd=self._folder, input=stdin, capture_output=True, check=False)  # noqa: S603 - argv, no shell


def _has_repository(folder: Path) -> bool:
    """Whether a folder is in a repository, without asking git: one that it refuses is one, too."""
    place = folder.absolute()
    return "GIT_DIR" in os.environ or any((parent / ".git").exists() for parent in (place, *place.parents))


def _make_git_fault(done: subprocess.CompletedProcess[bytes]) -> Fault:
    said = done.stderr.decode("utf-8", "replace").strip() or "it said nothing"
    return Fault(f"git failed with code {done.returncode}: {said}", f"{_HELP}; nothing was changed")


def _find_git() -> str:
    git = shutil.which("git")
    if git is None:
        raise Fault("git is not on PATH, and the history comes from it", "install git, or give reports with --reports")
    return git


_HELP = "`git fsck` checks the repository"


def _read_file(path: Path) -> bytes | None:
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError:
        return None
