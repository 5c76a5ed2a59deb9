"""Comparing the tool ids that a test's gates name with the tools that the servers list."""

from collections.abc import Iterable

from ...compiler.plan import PlannedTest
from ...foundations.suggestion import format_suggestion
from ...gates.trace import format_tool_id


class ListedTools:
    """The tools that an agent was offered, indexed by name and by id."""

    def __init__(self, tools: Iterable[tuple[str, str]]) -> None:
        """Index tools, given as (server, name)."""
        self._servers: dict[str, list[str]] = {}
        for server, name in tools:
            self._servers.setdefault(name, []).append(server)
        self._ids = {format_tool_id(server, name) for name, found in self._servers.items() for server in found}

    def find_warnings(self, test: PlannedTest) -> tuple[str, ...]:
        """Return a warning for each id that no server lists, or that names a tool of several servers."""
        found = (self._find_warning(*named) for gate in test.gates for named in gate.list_tool_ids())
        return tuple(dict.fromkeys(warning for warning in found if warning))

    def _find_warning(self, where: str, named: str) -> str | None:
        if named not in self._ids and named not in self._servers:
            near = format_suggestion(named, [*sorted(self._ids), *self._servers])
            return f"{where}: no server lists `{named}`{f'; {near}' if near else ''}"
        exposing = sorted(set(self._servers.get(named, ())))
        if len(exposing) > 1:
            listed = " and ".join(f"`{server}`" for server in exposing)
            return f"{where}: `{named}` is a tool of {listed}; a call to any of them counts"
        return None
