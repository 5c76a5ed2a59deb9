"""What the servers of a test are known to list, without asking them: recordings and frozen catalogs say it."""

from pathlib import Path

from ..compiler.plan import CatalogServer, PlannedTest, SuitePlan
from .cassettes.toolset_lock import BrokenToolsetLock, get_toolset_lock_path, read_toolset_lock
from .catalogs.frozen_catalog import read_catalog

KnownTools = dict[str, frozenset[str] | None]
"""The tools of each server, or None if they are not known."""


def list_servers(suite: SuitePlan, test: PlannedTest) -> tuple[str, ...]:
    """Return the servers of a test; one that names none is scored with all of its suite."""
    return test.servers or tuple(server.name for server in suite.servers)


class KnownToolFinder:
    """Looks up what servers list; each suite's files are read once."""

    def __init__(self, cassettes: Path) -> None:
        self._cassettes = cassettes
        self._suites: dict[str, dict[str, frozenset[str]]] = {}

    def find_tools(self, suite: SuitePlan, test: PlannedTest) -> KnownTools:
        """Return the tools of each server of a test, or None for a server of which nothing is recorded."""
        if suite.id not in self._suites:
            self._suites[suite.id] = {**self._read_lock(suite), **_read_frozen(suite)}
        listed = self._suites[suite.id]
        return {server: listed.get(server) for server in list_servers(suite, test)}

    def _read_lock(self, suite: SuitePlan) -> dict[str, frozenset[str]]:
        """Return the tools that any recording of the suite saw."""
        try:
            lock = read_toolset_lock(get_toolset_lock_path(self._cassettes, suite))
        except BrokenToolsetLock:
            return {}  # a replay says what is wrong with it; names can be read without it
        found: dict[str, set[str]] = {}
        for toolset in lock.toolsets.values():
            for tool in toolset.tools:
                found.setdefault(tool.server, set()).add(tool.name)
        return {server: frozenset(names) for server, names in found.items()}


def _read_frozen(suite: SuitePlan) -> dict[str, frozenset[str]]:
    frozen = [server for server in suite.servers if isinstance(server, CatalogServer)]
    return {
        server.name: frozenset(str(tool.get("name")) for tool in read_catalog(Path(server.catalog)).tools)
        for server in frozen
    }
