"""The lock file of a suite: the hash of every field of every tool that its cassettes were recorded with."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ...compiler.plan import SuitePlan
from ..atomic_file import read_regular
from ..catalogs.fingerprint import Toolset, has_valid_fingerprint

FORMAT = 1
MAX_BYTES = 256 * 1024 * 1024


class BrokenToolsetLock(Exception):
    """A lock file that cannot be used, and why."""


class ToolsetLock(msgspec.Struct, frozen=True):
    """The tool sets that a suite's cassettes name, by their fingerprint."""

    format: int
    toolsets: dict[str, Toolset]

    def with_toolset(self, toolset: Toolset) -> "ToolsetLock":
        return ToolsetLock(self.format, {**self.toolsets, toolset.fingerprint: toolset})

    def keep_toolsets(self, fingerprints: Iterable[str]) -> "ToolsetLock":
        """Without the tool sets that nothing names any more."""
        named = frozenset(fingerprints)
        return ToolsetLock(self.format, {key: value for key, value in self.toolsets.items() if key in named})


def get_toolset_lock_path(root: Path, suite: SuitePlan) -> Path:
    """Where a suite has its lock file."""
    return root / suite.id / "toolsets.lock.json"


def read_toolset_lock(path: Path) -> ToolsetLock:
    """The lock file of a suite; an empty one where there is none yet."""
    try:
        lock = msgspec.json.decode(read_regular(path, MAX_BYTES), type=ToolsetLock)
    except FileNotFoundError:
        return ToolsetLock(FORMAT, {})
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenToolsetLock(f"{path.as_posix()}: {error}") from None
    if lock.format > FORMAT:
        raise BrokenToolsetLock(f"{path.as_posix()}: written in format {lock.format}; upgrade toolgrade")
    if not all(key == toolset.fingerprint and has_valid_fingerprint(toolset) for key, toolset in lock.toolsets.items()):
        raise BrokenToolsetLock(f"{path.as_posix()}: a fingerprint does not fit its tools")
    return lock
