"""Whether recordings still fit what servers list now: fingerprints on cassettes against live listings."""

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
    """Tests that were recorded with the same tools of the same servers, and what has changed since."""

    tests: tuple[str, ...]
    servers: tuple[str, ...]
    recorded: str
    live: str
    changes: tuple[ToolChange, ...]

    @property
    def is_drift(self) -> bool:
        """Whether a model would see something else now."""
        return self.recorded != self.live


class SuiteRecordings(msgspec.Struct, frozen=True):
    """What the cassettes of a suite say: tests by fingerprint and servers, tool sets, and what could not be read."""

    tests: dict[tuple[str, tuple[str, ...]], tuple[str, ...]]
    toolsets: dict[str, Toolset]
    refused: tuple[str, ...]

    @property
    def servers(self) -> frozenset[str]:
        return frozenset(server for _, servers in self.tests for server in servers)


def read_recordings(suite: SuitePlan, root: Path) -> SuiteRecordings:
    """The fingerprints on the cassettes of a suite, and the tools behind them."""
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
    """What changed since the recordings, for those whose servers are all listed."""
    found: list[RecordingComparison] = []
    for (old, servers), tests in recorded.tests.items():
        if all(server in listings for server in servers):
            live = fingerprint({server: listings[server] for server in servers})
            changes = find_drift(recorded.toolsets[old], live) if old in recorded.toolsets else ()
            found.append(RecordingComparison(tests, servers, old, live.fingerprint, changes))
    return tuple(found)


def _list_cassettes(suite: SuitePlan, root: Path) -> Iterator[tuple[PlannedTest, Path]]:
    for test in suite.tests:
        for cell in test.cells:
            for run in range(1, test.runs + 1) if cell.model else ():
                yield test, locate_cassette(root, PlannedCell(suite, test, cell), run)
