"""Counts over classes of interchangeable tools: classes reached, classes missed, and calls that fit no class."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from .conditioned_run import ConditionedRun, ConditionReader, Reason, explain_unlisted_call
from .gate_result import ClassResult, Counts, MissedClass, UnexpectedTool
from .trace import MALFORMED, UNKNOWN_TOOL, Call, Trace, format_tool_id

CallKey = tuple[str | None, str]
RunKey = tuple[int, int]
Outcome = Literal["hit", "repeat", "unexpected"]


class ToolClass(msgspec.Struct, frozen=True, omit_defaults=True):
    """A resolved class. Its conditions narrow which calls count for it."""

    name: str
    members: tuple[str, ...]
    optional: bool = False
    min_calls: int = 1
    max_calls: int | None = None
    after: tuple[str, ...] = ()
    args: dict[str, dict[str, Any]] = {}

    @property
    def has_conditions(self) -> bool:
        return bool(self.optional or self.min_calls > 1 or self.max_calls or self.after or self.args)


class CallOutcome(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The outcome of one call: the class that it reached, whether first, and all its classes if it is in several."""

    id: str
    status: str | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET
    class_: str | UnsetType = msgspec.field(default=UNSET, name="class")
    classes: tuple[str, ...] | UnsetType = UNSET
    reason: Reason | UnsetType = UNSET


class SelectionTally:
    """Counts runs added one by one, in memory that does not grow with their number."""

    __slots__ = ("_classes", "_counts_by_reach", "_tools", "runs")

    def __init__(self, classes: Sequence[ToolClass]) -> None:
        self._classes = tuple(classes)
        self._tools = _CalledTools(self._classes)
        self._counts_by_reach: dict[int, int] = {}
        self.runs: int = 0

    def add(self, trace: Trace) -> RunKey:
        """Count one run. Return the classes that it reached as bits, and how many of its calls were unexpected."""
        reach = unexpected = 0
        tools = self._tools
        self.runs = run = self.runs + 1
        for call in trace.tool_calls:
            tool = tools[call.server, call.name]
            # A call whose arguments could not be read selects no tool, even if it names a member.
            if not tool.bits or call.status == MALFORMED:
                tool.unexpected_calls += 1
                unexpected += 1
                if call.status in (MALFORMED, UNKNOWN_TOOL):
                    tool.count_reason(explain_unlisted_call(call))
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
        return rank_unexpected_tools(
            (tool.id, tool.unexpected_calls, tool.reasons) for tool in self._tools.list_distinct()
        )


class ConditionedTally(SelectionTally):
    """The same for classes with conditions: which calls count is read run by run."""

    __slots__ = ("_matches", "_reader", "_required", "_unexpected")

    def __init__(self, classes: Sequence[ToolClass]) -> None:
        super().__init__(classes)
        self._reader = ConditionReader(self._classes, Membership(each.members for each in classes))
        # Optional classes are followed like the others and left out of the counts: to miss one is no mistake.
        self._required = sum(1 << index for index, each in enumerate(self._classes) if not each.optional)
        self._matches: dict[tuple[int, str], int] = {}
        self._unexpected: dict[str, dict[str, int]] = {}

    def add(self, trace: Trace) -> RunKey:
        """Count one run. Return the classes that it reached as bits, and how many of its calls were unexpected."""
        self.runs += 1
        run = self._reader.read_run(trace)
        # A set, since a member counts once a run: a later call of the same tool adds nothing.
        matches = {
            (1 << index, call.id)
            for call, counted in zip(trace.tool_calls, run.counted, strict=True)
            for index in range(len(self._classes))
            if counted & run.reached & 1 << index
        }
        for match in matches:
            self._matches[match] = self._matches.get(match, 0) + 1
        self._counts_by_reach[run.reached] = self._counts_by_reach.get(run.reached, 0) + 1
        return run.reached, self._count_unexpected(trace, run)

    def _count_unexpected(self, trace: Trace, run: ConditionedRun) -> int:
        found = [(call.id, reason) for call, reason in zip(trace.tool_calls, run.reasons, strict=True) if reason]
        for tool, reason in found:
            reasons = self._unexpected.setdefault(tool, {})
            reasons[reason] = reasons.get(reason, 0) + 1
        return len(found)

    def count_run(self, key: RunKey) -> Counts:
        """Return the counts of a run that `add` described so."""
        hits = (key[0] & self._required).bit_count()
        return Counts(hits, key[1], self._required.bit_count() - hits)

    @property
    def counts(self) -> Counts:
        """Summed over the runs so far."""
        tp = sum((reach & self._required).bit_count() * runs for reach, runs in self._counts_by_reach.items())
        fp = sum(sum(reasons.values()) for reasons in self._unexpected.values())
        return Counts(tp, fp, self._required.bit_count() * self.runs - tp)

    def make_class_results(self) -> tuple[ClassResult, ...]:
        """Return each class in the order of the suite, with the tools whose calls counted."""
        return tuple(self._make_result(1 << index, each) for index, each in enumerate(self._classes))

    def _make_result(self, bit: int, each: ToolClass) -> ClassResult:
        matched = {tool: runs for (of, tool), runs in sorted(self._matches.items()) if of == bit}
        hits = sum(runs for reach, runs in self._counts_by_reach.items() if reach & bit)
        return ClassResult(
            each.name,
            each.members,
            hits,
            self.runs,
            matched,
            optional=each.optional,
            min_calls=each.min_calls,
            max_calls=each.max_calls,
            after=each.after,
            args=each.args,
        )

    def list_unexpected_tools(self) -> tuple[UnexpectedTool, ...]:
        """Return the tools of unexpected calls with the reasons, most often called first."""
        return rank_unexpected_tools(
            (tool, sum(reasons.values()), reasons) for tool, reasons in self._unexpected.items()
        )


def make_selection_tally(classes: Sequence[ToolClass]) -> SelectionTally:
    """Return the tally that these classes need: bits are enough if none has conditions."""
    return (ConditionedTally if any(each.has_conditions for each in classes) else SelectionTally)(classes)


def find_missed_classes(classes: Iterable[ClassResult]) -> tuple[MissedClass, ...]:
    """Return the classes that some run did not reach and had to, in the order of the suite."""
    missed = (each for each in classes if each.hit_runs < each.runs and not each.optional)
    return tuple(MissedClass(each.name, each.runs - each.hit_runs) for each in missed)


def rank_unexpected_tools(calls: Iterable[tuple[str, int, Mapping[str, int]]]) -> tuple[UnexpectedTool, ...]:
    """Return tools with their calls and reasons, most often called first; to be of no class is not told as a reason."""
    counts: dict[str, int] = {}
    reasons: dict[str, dict[str, int]] = {}
    for tool, count, why in calls:
        if count:
            counts[tool] = counts.get(tool, 0) + count
            known = reasons.setdefault(tool, {})
            for reason, times in why.items():
                if reason != "no_class":
                    known[reason] = known.get(reason, 0) + times
    # Ties are broken by id, so that the order of the calls does not change the bytes of a report.
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(UnexpectedTool(tool, count, reasons[tool] or UNSET) for tool, count in ordered)


class _CalledTool:
    """The counts of one tool; mutable, so that a call costs a single lookup."""

    __slots__ = ("bits", "hit_runs", "id", "last_run", "reasons", "unexpected_calls")

    def __init__(self, id: str, bits: int) -> None:  # noqa: A002 - the word a call uses
        self.id = id
        self.bits = bits
        self.hit_runs = self.last_run = self.unexpected_calls = 0
        self.reasons: dict[str, int] = {}

    def count_reason(self, reason: Reason) -> None:
        self.reasons[reason] = self.reasons.get(reason, 0) + 1


class _CalledTools(dict[CallKey, _CalledTool]):
    """The tools called so far. Two keys that spell the same id in the same classes are one tool."""

    def __init__(self, classes: Sequence[ToolClass]) -> None:
        super().__init__()
        self._members = Membership(each.members for each in classes)
        self._distinct: dict[tuple[str, int], _CalledTool] = {}

    def __missing__(self, key: CallKey) -> _CalledTool:
        called = _CalledTool(format_tool_id(*key), self._members[key])
        self[key] = tool = self._distinct.setdefault((called.id, called.bits), called)
        return tool

    def list_distinct(self) -> Iterable[_CalledTool]:
        return self._distinct.values()


class Membership(dict[CallKey, int]):
    """The classes of a tool as bits, by server and name; computed once for each tool."""

    def __init__(self, members: Iterable[Sequence[str]]) -> None:
        super().__init__()
        self._bits: dict[str, int] = {}
        for index, ids in enumerate(members):
            for member in ids:
                self._bits[member] = self._bits.get(member, 0) | 1 << index

    def __missing__(self, key: CallKey) -> int:
        server, name = key
        # A member is written with its server or bare; a call belongs to the classes of both spellings.
        bits = self._bits.get(name, 0) | self._bits.get(format_tool_id(server, name), 0)
        self[key] = bits
        return bits


@lru_cache(maxsize=256)
def _build_membership(members: tuple[tuple[str, ...], ...]) -> Membership:
    """Return the membership of these classes; it is the same for every run of a test."""
    return Membership(members)


def list_call_outcomes(classes: Sequence[ToolClass] | None, trace: Trace) -> tuple[CallOutcome, ...]:
    """Return the outcome of each call of a run; without classes, only what was called."""
    if classes is None:
        return tuple(CallOutcome(call.id, call.status or UNSET) for call in trace.tool_calls)
    if any(each.has_conditions for each in classes):
        return _list_conditioned_outcomes(classes, trace)
    members = _build_membership(tuple(each.members for each in classes))
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
        reason = explain_unlisted_call(call)
        return CallOutcome(call.id, status, "unexpected", reason=UNSET if reason == "no_class" else reason)
    # The lowest bit is the first class in the order of the suite; one that this call reaches first wins.
    first = classes[((fresh or bits) & -(fresh or bits)).bit_length() - 1].name
    several = UNSET
    # More than one bit is set if clearing the lowest leaves something.
    if bits & (bits - 1):
        several = tuple(tool_class.name for index, tool_class in enumerate(classes) if bits >> index & 1)
    return CallOutcome(call.id, status, "hit" if fresh else "repeat", first, several)


def _list_conditioned_outcomes(classes: Sequence[ToolClass], trace: Trace) -> tuple[CallOutcome, ...]:
    """Return the outcomes of a run's calls; the classes of a call are those that the run reached."""
    run = ConditionReader(classes, Membership(each.members for each in classes)).read_run(trace)
    hit = 0
    outcomes: list[CallOutcome] = []
    for call, counted, reason in zip(trace.tool_calls, run.counted, run.reasons, strict=True):
        if reason:
            told = UNSET if reason == "no_class" else reason
            outcomes.append(CallOutcome(call.id, call.status or UNSET, "unexpected", reason=told))
            continue
        reached = counted & run.reached
        if reached:
            outcomes.append(_make_call_outcome(call, classes, reached, reached & ~hit))
        else:  # on the way to a class that was not reached, or beside the calls that reached one
            outcomes.append(CallOutcome(call.id, call.status or UNSET, "repeat"))
        hit |= reached
    return tuple(outcomes)
