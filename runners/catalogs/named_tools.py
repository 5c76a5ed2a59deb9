"""The ids that a test's gates name, against the tools that were there: which no server lists, and which two do."""

from collections.abc import Iterable, Iterator

from ...compiler.plan import PlannedTest
from ...foundations.suggestion import format_suggestion
from ...gates.equal_function_sets import EqualFunctionSets
from ...gates.token_efficiency import TokenEfficiency
from ...gates.tool_correctness import ToolCorrectness
from ...gates.trace import format_tool_id


class ListedTools:
    """The tools that an agent saw, ready to be asked about."""

    def __init__(self, tools: Iterable[tuple[str, str]]) -> None:
        """Tools as (server, name)."""
        self._servers: dict[str, list[str]] = {}
        for server, name in tools:
            self._servers.setdefault(name, []).append(server)
        self._ids = {format_tool_id(server, name) for name, found in self._servers.items() for server in found}

    def find_warnings(self, test: PlannedTest) -> tuple[str, ...]:
        """What to know about the ids that a test's gates name."""
        found = (self._find_warning(place, named) for place, named in _list_named_ids(test))
        return tuple(dict.fromkeys(warning for warning in found if warning))

    def _find_warning(self, place: str, named: str) -> str | None:
        if named not in self._ids and named not in self._servers:
            near = format_suggestion(named, [*sorted(self._ids), *self._servers])
            return f"{place}: no server lists `{named}`{f'; {near}' if near else ''}"
        exposing = sorted(set(self._servers.get(named, ())))
        if len(exposing) > 1:
            listed = " and ".join(f"`{server}`" for server in exposing)
            return f"{place}: `{named}` is a tool of {listed}; a call to any of them counts"
        return None


def _list_named_ids(test: PlannedTest) -> Iterator[tuple[str, str]]:
    """Every id, with where it stands."""
    for gate in test.gates:
        if isinstance(gate, ToolCorrectness):
            yield from (("expected_tools", named) for named in gate.expected_tools)
        elif isinstance(gate, EqualFunctionSets | TokenEfficiency):
            yield from ((f"class `{one.name}`", member) for one in gate.classes for member in one.members)
