"""A commit that has a report, and the interface of the histories that list such commits."""

from types import TracebackType
from typing import Protocol, Self

import msgspec

WORKTREE = "worktree"
"""Stands for the commit of reports that are not committed yet."""


class Commit(msgspec.Struct, frozen=True):
    """A commit that changed a report; `replay` and `live` are keys for `History.read`."""

    sha: str
    subject: str
    author: str
    date: str
    previous: str | None = None
    replay: str | None = None
    live: str | None = None

    @property
    def short(self) -> str:
        """The first seven digits of the SHA, or `worktree` for reports that are not committed."""
        return self.sha[:7] if self.sha != WORKTREE else WORKTREE


class History(Protocol):
    """A source of reports, in which every commit comes after its predecessor."""

    @property
    def commits(self) -> tuple[Commit, ...]:
        """The commits, oldest first."""
        ...

    def read(self, key: str) -> bytes:
        """Return the bytes of a report."""
        ...

    @property
    def remark(self) -> str | None:
        """A limit of this history that readers should know, such as a shallow clone."""
        ...


class OpenHistory(History, Protocol):
    """A history to be closed by its reader."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
