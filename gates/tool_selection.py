"""Counts over classes of interchangeable tools: classes reached, classes missed, and calls that fit no class."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from .gate_result import ClassResult, Counts, MissedClass, UnexpectedTool
from .trace import MALFORMED, Call, Trace, format_tool_id

CallKey = tuple[str | None, str]
RunKey = tuple[int, int]
Outcome = Literal["hit", "repeat", "unexpected"]


class ToolClass(msgspec.Struct, frozen=True):
    """A resolved class."""

    name: str
    members: tuple[str, ...]


class CallOutcome(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The outcome of one call: the class that it reached, whether first, and all its classes if it is in several."""

    id: str
    status: str | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET
    class_: str | UnsetType = msgspec.field(default=UNSET, name="class")
    classes: tuple[str, ...] | UnsetType = UNSET


class SelectionTally:
    """Counts runs added one by one, in memory that does not grow with their number."""

    __slots__ = ("_classes", "_counts_by_reach", "_tools", "runs")

    def __init__(self, classes: Sequence[ToolClass]) -> None:
        self._classes = tuple(classes)
        self._tools = _CalledTools(self._classes)
        self._counts_by_reach: dict[int, int] = {}
        self.runs = 0

    def add(self, trace: Trace) -> RunKey:
        """Count one run. Return the classes that it reached as bits, and how many of its calls were unexpected."""
        reach = unexpected = 0
        tools = self._tools
        self.runs = run = self.runs + 1
        for call in trace.tool_calls:
            tool = tools[call.server, call.name]
            if not tool.bits or call.status == MALFORMED:
                tool.unexpected_calls += 1
                unexpected += 1
            # A tool is counted once a run; the number of the run says whether that happened, without a set to clear.
            elif tool.last_run != run:
                tool.last_run = run
                tool.hit_runs += 1
                reach |= tool.bits
        # Runs that reached the same classes are one entry: bits of classes against a number of runs.
        self._counts_by_reach[reach] = self._counts_by_reach.get(reach, 0) + 1
        return reach, unexpected

    def count_run(self, key: RunKey) -> Counts:
        """Return the counts of a run that `add` described so."""
        reach, unexpected = key
        hits = reach.bit_count()
        return Counts(hits, unexpected, len(self._classes) - hits)

    @property
    def counts(self) -> Counts:
        """Return the counts summed over the runs so far."""
        tp = sum(reach.bit_count() * runs for reach, runs in self._counts_by_reach.items())
        fp = sum(tool.unexpected_calls for tool in self._tools.list_distinct())
        # Every class of every run is either reached or missed.
        return Counts(tp, fp, len(self._classes) * self.runs - tp)

    def make_class_results(self) -> tuple[ClassResult, ...]:
        """Return each class in the order of the suite, with the members that reached it."""
        hits = [tool for tool in self._tools.list_distinct() if tool.hit_runs]
        return tuple(self._make_class_result(1 << index, each, hits) for index, each in enumerate(self._classes))

    def _make_class_result(self, bit: int, tool_class: ToolClass, tools: Sequence["_CalledTool"]) -> ClassResult:
        matched: dict[str, int] = {}
        for tool in tools:
            if tool.bits & bit:
                matched[tool.id] = matched.get(tool.id, 0) + tool.hit_runs
        hits = sum(runs for reach, runs in self._counts_by_reach.items() if reach & bit)
        return ClassResult(tool_class.name, tool_class.members, hits, self.runs, dict(sorted(matched.items())))

    def list_unexpected_tools(self) -> tuple[UnexpectedTool, ...]:
        """Return the tools of no class, most often called first."""
        return rank_unexpected_tools((tool.id, tool.unexpected_calls) for tool in self._tools.list_distinct())


def find_missed_classes(classes: Iterable[ClassResult]) -> tuple[MissedClass, ...]:
    """Return the classes that some run did not reach, in the order of the suite."""
    return tuple(MissedClass(each.name, each.runs - each.hit_runs) for each in classes if each.hit_runs < each.runs)


def rank_unexpected_tools(calls: Iterable[tuple[str, int]]) -> tuple[UnexpectedTool, ...]:
    """Return unexpected tools with their number of calls, most often called first."""
    by_id: dict[str, int] = {}
    for tool, count in calls:
        if count:
            by_id[tool] = by_id.get(tool, 0) + count
    ordered = sorted(by_id.items(), key=lambda item: (-item[1], item[0]))
    return tuple(UnexpectedTool(tool, count) for tool, count in ordered)


class _CalledTool:
    """The counts of one tool; mutable, so that a call costs a single lookup."""

    __slots__ = ("bits", "hit_runs", "id", "last_run", "unexpected_calls")

    def __init__(self, id: str, bits: int) -> None:  # noqa: A002 - the word a call uses
        self.id = id
        self.bits = bits
        self.hit_runs = self.last_run = self.unexpected_calls = 0


class _CalledTools(dict[CallKey, _CalledTool]):
    """The tools called so far. Two keys that spell the same id in the same classes are one tool."""

    def __init__(self, classes: Sequence[ToolClass]) -> None:
        super().__init__()
        self._members = _Membership(classes)
        self._distinct: dict[tuple[str, int], _CalledTool] = {}

    def __missing__(self, key: CallKey) -> _CalledTool:
        called = _CalledTool(format_tool_id(*key), self._members[key])
        self[key] = tool = self._distinct.setdefault((called.id, called.bits), called)
        return tool

    def list_distinct(self) -> Iterable[_CalledTool]:
        return self._distinct.values()


class _Membership(dict[CallKey, int]):
    """The classes of a tool as bits, by server and name; computed once for each tool."""

    def __init__(self, classes: Sequence[ToolClass]) -> None:
        super().__init__()
        self._bits: dict[str, int] = {}
        for index, tool_class in enumerate(classes):
            for member in tool_class.members:
                self._bits[member] = self._bits.get(member, 0) | 1 << index

    def __missing__(self, key: CallKey) -> int:
        server, name = key
        # A member is written with its server or bare; a call belongs to the classes of both spellings.
        bits = self._bits.get(name, 0) | self._bits.get(format_tool_id(server, name), 0)
        self[key] = bits
        return bits


@lru_cache(maxsize=256)
def _build_membership(classes: tuple[ToolClass, ...]) -> _Membership:
    """Return the membership of these classes; it is the same for every run of a test."""
    return _Membership(classes)


def list_call_outcomes(classes: Sequence[ToolClass] | None, trace: Trace) -> tuple[CallOutcome, ...]:
    """Return the outcome of each call of a run; without classes, only what was called."""
    if classes is None:
        return tuple(CallOutcome(call.id, call.status or UNSET) for call in trace.tool_calls)
    members = _build_membership(tuple(classes))
    reached = 0
    outcomes: list[CallOutcome] = []
    for call in trace.tool_calls:
        bits = 0 if call.status == MALFORMED else members[call.server, call.name]
        outcomes.append(_make_call_outcome(call, classes, bits, bits & ~reached))
        reached |= bits
    return tuple(outcomes)


def _make_call_outcome(call: Call, classes: Sequence[ToolClass], bits: int, fresh: int) -> CallOutcome:
    status = call.status or UNSET
    if not bits:
        return CallOutcome(call.id, status, "unexpected")
    # The lowest bit is the first class in the order of the suite; one that this call reaches first wins.
    first = classes[((fresh or bits) & -(fresh or bits)).bit_length() - 1].name
    several = UNSET
    # More than one bit is set if clearing the lowest leaves something.
    if bits & (bits - 1):
        several = tuple(tool_class.name for index, tool_class in enumerate(classes) if bits >> index & 1)
    return CallOutcome(call.id, status, "hit" if fresh else "repeat", first, several)
