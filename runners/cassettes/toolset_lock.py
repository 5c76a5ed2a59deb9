"""The lock file of a suite, `toolsets.lock.json`: hashes of the tools that its cassettes were recorded with."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ...compiler.plan import SuitePlan
from ..atomic_file import read_regular
from ..catalogs.fingerprint import Toolset, has_valid_fingerprint

FORMAT = 1
MAX_BYTES = 256 * 1024 * 1024


class BrokenToolsetLock(Exception):
    """The reason why a lock file cannot be used."""


class ToolsetLock(msgspec.Struct, frozen=True):
    """The tool sets that the cassettes of a suite name, by fingerprint."""

    format: int
    toolsets: dict[str, Toolset]

    def with_toolset(self, toolset: Toolset) -> "ToolsetLock":
        """Return the lock with one more tool set."""
        return ToolsetLock(self.format, {**self.toolsets, toolset.fingerprint: toolset})

    def keep_toolsets(self, fingerprints: Iterable[str]) -> "ToolsetLock":
        """Return the lock with only the tool sets of these fingerprints."""
        named = frozenset(fingerprints)
        return ToolsetLock(self.format, {key: value for key, value in self.toolsets.items() if key in named})


def get_toolset_lock_path(root: Path, suite: SuitePlan) -> Path:
    """Return the path of a suite's lock file."""
    return root / suite.id / "toolsets.lock.json"


def read_toolset_lock(path: Path) -> ToolsetLock:
    """Return the lock file of a suite, empty if there is none. Raise `BrokenToolsetLock` if it cannot be used."""
    try:
        lock = msgspec.json.decode(read_regular(path, MAX_BYTES), type=ToolsetLock)
    except FileNotFoundError:
        return ToolsetLock(FORMAT, {})
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenToolsetLock(f"{path.as_posix()}: {error}") from None
    if lock.format > FORMAT:
        raise BrokenToolsetLock(f"{path.as_posix()}: written in format {lock.format}; upgrade toolgrade")
    # Recomputed: a lock file that was merged by hand could otherwise pair a fingerprint with the wrong tools.
    if not all(key == toolset.fingerprint and has_valid_fingerprint(toolset) for key, toolset in lock.toolsets.items()):
        raise BrokenToolsetLock(f"{path.as_posix()}: a fingerprint does not fit its tools")
    return lock
