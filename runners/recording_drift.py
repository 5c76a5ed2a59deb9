"""Comparing the fingerprints on cassettes with what the servers list now."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from ..compiler.plan import PlannedTest, SuitePlan
from .cassettes.cassette import locate_cassette
from .cassettes.cassette_file import Refusal, load_cassette
from .cassettes.toolset_lock import BrokenToolsetLock, get_toolset_lock_path, read_toolset_lock
from .catalogs.drift import ToolChange, find_drift
from .catalogs.fingerprint import ServerListing, Toolset, fingerprint
from .cell_selection import PlannedCell


class RecordingComparison(msgspec.Struct, frozen=True):
    """The changes since a recording, for the tests that were recorded with the same tools of the same servers."""

    tests: tuple[str, ...]
    servers: tuple[str, ...]
    recorded: str
    live: str
    changes: tuple[ToolChange, ...]

    @property
    def is_drift(self) -> bool:
        """Return whether a model would see different tools now."""
        return self.recorded != self.live


class SuiteRecordings(msgspec.Struct, frozen=True):
    """The cassettes of a suite: its tests by fingerprint and servers, its tool sets, and the refused files."""

    tests: dict[tuple[str, tuple[str, ...]], tuple[str, ...]]
    toolsets: dict[str, Toolset]
    refused: tuple[str, ...]

    @property
    def servers(self) -> frozenset[str]:
        """Return the names of all servers that were recorded."""
        return frozenset(server for _, servers in self.tests for server in servers)


def read_recordings(suite: SuitePlan, root: Path) -> SuiteRecordings:
    """Read the fingerprints on the cassettes of a suite and the tools behind them, and collect what is refused."""
    tests: defaultdict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    toolsets: dict[str, Toolset] = {}
    refused: list[str] = []
    try:
        toolsets = read_toolset_lock(get_toolset_lock_path(root, suite)).toolsets
    except BrokenToolsetLock as broken:
        refused.append(str(broken))
    for test, path in _list_cassettes(suite, root):
        try:
            key = load_cassette(path).toolset.fingerprint, tuple(sorted(test.servers))
        except Refusal as refusal:
            refused.append(f"{path.as_posix()}: {refusal}")
        else:
            tests[key].append(test.name)
    return SuiteRecordings({key: tuple(dict.fromkeys(names)) for key, names in tests.items()}, toolsets, tuple(refused))


def compare_recordings(
    recorded: SuiteRecordings, listings: Mapping[str, ServerListing]
) -> tuple[RecordingComparison, ...]:
    """Return what changed since the recordings, for those whose servers are all in `listings`."""
    comparisons: list[RecordingComparison] = []
    for (old, servers), tests in recorded.tests.items():
        if all(server in listings for server in servers):
            live = fingerprint({server: listings[server] for server in servers})
            # Without the lock file the hash alone is known: that the tools changed, not how.
            changes = find_drift(recorded.toolsets[old], live) if old in recorded.toolsets else ()
            comparisons.append(RecordingComparison(tests, servers, old, live.fingerprint, changes))
    return tuple(comparisons)


def _list_cassettes(suite: SuitePlan, root: Path) -> Iterator[tuple[PlannedTest, Path]]:
    for test in suite.tests:
        for cell in test.cells:
            for run in range(1, test.runs + 1) if cell.model else ():
                yield test, locate_cassette(root, PlannedCell(suite, test, cell), run)
