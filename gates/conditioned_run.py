"""Which calls of a run count for which classes, if the classes have conditions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from .operators import explain_mismatch
from .target import ABSENT, Step, decode_call_arguments, parse_steps, walk_json
from .trace import MALFORMED, UNKNOWN_TOOL, Call, Trace

Reason = Literal["malformed", "unknown_tool", "wrong_args", "too_early", "too_many", "no_class"]
"""Why a call is unexpected."""


class ConditionedClass(Protocol):
    """The conditions of a class; which tools are members of it is looked up elsewhere."""

    @property
    def name(self) -> str: ...
    @property
    def min_calls(self) -> int: ...
    @property
    def max_calls(self) -> int | None: ...
    @property
    def after(self) -> Sequence[str]: ...
    @property
    def args(self) -> Mapping[str, Mapping[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class ConditionedRun:
    """One run: the classes it reached as bits, and for each call the classes it counts for or why it is unexpected."""

    reached: int
    counted: tuple[int, ...]
    reasons: tuple[Reason | None, ...]


@dataclass(slots=True)
class _CallReading:
    """A call with the classes it names, those whose arguments it meets, and those it counts for."""

    call: Call
    named: int
    fitting: int
    counted: int = 0
    is_surplus: bool = False


class ConditionReader:
    """Reads runs against the conditions of a gate's classes."""

    def __init__(self, classes: Sequence[ConditionedClass], members: Mapping[tuple[str | None, str], int]) -> None:
        self._members = members
        bits = {each.name: 1 << index for index, each in enumerate(classes)}
        self._after = [sum(bits[name] for name in set(each.after)) for each in classes]
        self._least = [each.min_calls for each in classes]
        self._most = [each.max_calls for each in classes]
        self._args = [
            tuple((parse_args_path(path), matcher) for path, matcher in each.args.items()) for each in classes
        ]

    def read_run(self, trace: Trace) -> ConditionedRun:
        """Return what every call of a run counts for."""
        readings = [self._start_reading(call) for call in trace.tool_calls]
        calls_of = [0] * len(self._least)
        reached = 0
        for turn in _group_turns(readings):
            for reading in turn:
                # `reached` is still that of the earlier turns: calls of one turn have no order among them.
                reading.counted = sum(1 << at for at in _list_bits(reading.fitting) if not self._after[at] & ~reached)
            for at in (at for reading in turn for at in _list_bits(reading.counted)):
                calls_of[at] += 1
            reached = sum(1 << at for at, least in enumerate(self._least) if calls_of[at] >= least)
        self._mark_surplus(readings)
        reasons: list[Reason | None] = [self._explain_unexpected(reading, reached) for reading in readings]
        return ConditionedRun(reached, tuple(reading.counted for reading in readings), tuple(reasons))

    def _start_reading(self, call: Call) -> _CallReading:
        named = 0 if call.status == MALFORMED else self._members[call.server, call.name]
        return _CallReading(call, named, sum(1 << at for at in _list_bits(named) if self._meets_args(at, call)))

    def _meets_args(self, at: int, call: Call) -> bool:
        if not self._args[at]:
            return True
        args = decode_call_arguments(call.args)
        return all(_meets(walk_json(args, steps), matcher) for steps, matcher in self._args[at])

    def _mark_surplus(self, readings: Iterable[_CallReading]) -> None:
        """Mark the calls that count only for classes whose `max_calls` earlier calls of the list used up."""
        calls_of = [0] * len(self._most)
        for reading in readings:
            reading.is_surplus = bool(reading.counted) and all(
                (most := self._most[at]) is not None and calls_of[at] >= most for at in _list_bits(reading.counted)
            )
            for at in _list_bits(reading.counted):
                calls_of[at] += 1

    def _explain_unexpected(self, reading: _CallReading, reached: int) -> Reason | None:
        """Return why a call is unexpected, or None; with several classes the first in their order decides."""
        if not reading.named:
            return explain_unlisted_call(reading.call)
        # A call of a class that other calls reach is no mistake, even if it does not count itself.
        if not reading.is_surplus and (reading.counted or reading.named & reached):
            return None
        first = reading.named & -reading.named
        if not reading.fitting & first:
            return "wrong_args"
        return "too_many" if reading.counted & first else "too_early"


def explain_unlisted_call(call: Call) -> Reason:
    """Return why a call that names no member of a class is unexpected."""
    if call.status == MALFORMED:
        return "malformed"
    return "unknown_tool" if call.status == UNKNOWN_TOOL else "no_class"


def parse_args_path(path: str) -> tuple[Step, ...]:
    """Return the steps of a path into the arguments of a call; raise ValueError if it is none."""
    steps = parse_steps(path if path.startswith(("[", ".")) else f".{path}")
    if not steps:
        raise ValueError(path)
    return steps


def is_args_path(path: object) -> bool:
    """Return whether a text is a path into the arguments of a call."""
    try:
        return isinstance(path, str) and bool(parse_args_path(path))
    except ValueError:
        return False


def _meets(value: object, matcher: Mapping[str, Any]) -> bool:
    return value is not ABSENT and explain_mismatch(matcher, value) is None


def _group_turns(readings: Sequence[_CallReading]) -> Iterator[list[_CallReading]]:
    """Yield the calls of each turn; a call without a turn is one of its own, in the order of the list."""
    turns: dict[tuple[int, bool], list[_CallReading]] = {}
    for index, reading in enumerate(readings):
        turn = reading.call.turn
        turns.setdefault((index, False) if turn is None else (turn, True), []).append(reading)
    # Turn numbers say the order only if every call has one; otherwise the order of the list does.
    has_turns = all(is_turn for _, is_turn in turns)
    yield from (turns[key] for key in (sorted(turns) if has_turns else turns))


def _list_bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
