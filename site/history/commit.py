"""The commits that have a report: who made them, what came before, and where their reports are kept."""

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
        return self.sha[:7] if self.sha != WORKTREE else WORKTREE


class History(Protocol):
    """Where reports come from; every commit stands after the one before it."""

    @property
    def commits(self) -> tuple[Commit, ...]: ...

    def read(self, key: str) -> bytes:
        """The bytes of a report."""
        ...

    @property
    def remark(self) -> str | None:
        """What a reader should know: that the history is cut short, that it is not from git."""
        ...


class OpenHistory(History, Protocol):
    """A history that is closed when its reader is done."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
