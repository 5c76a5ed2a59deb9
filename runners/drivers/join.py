"""The calls of a program: its own trace, which says what it selected, joined with the taps, which say what ran."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UnsetType

from ...gates.trace import MALFORMED, UNKNOWN_TOOL, Call, format_tool_id
from ..catalogs.fingerprint import ServerListing
from ..taps.tap_record import ExecutedCall
from ..trace_formats.imported_run import REFUSED, ImportedRun
from ..trace_formats.resolved_run import NameResolver
from ..trace_formats.tool_names import KnownServers

_NEVER_RAN = frozenset((REFUSED, UNKNOWN_TOOL, MALFORMED))


@dataclass(slots=True)
class JoinedCalls:
    """The calls of a run for its recording, and where the two sides disagree."""

    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    own_tools: Counter[str] = field(default_factory=Counter[str])
    warnings: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Selected:
    """A call in the program's trace, with the call that ran for it, if one did."""

    call: Call
    id: str | None
    ran: ExecutedCall | None = None


def list_executed_calls(executed: Sequence[ExecutedCall], listings: Mapping[str, ServerListing]) -> JoinedCalls:
    """Return the calls of a run of which the taps are the only trace."""
    return JoinedCalls([_record_executed(call, call.turn, listings) for call in executed])


def join_calls(
    run: ImportedRun, executed: Sequence[ExecutedCall], listings: Mapping[str, ServerListing]
) -> JoinedCalls:
    """Return every call that the program selected, with what became of it, and every call that ran besides.

    Calls are joined by id if they have one, else by tool and arguments, else by tool alone: the order of the calls of a
    turn is not a fact. Raise `AmbiguousName` if the trace does not say which server a tool belongs to.
    """
    joined = JoinedCalls()
    selected = list(_resolve_calls(run, listings, joined.own_tools))
    spare = list(executed)
    # All calls by id first, then all by arguments: a weak match must not take the partner of a strong one.
    for is_match in (_has_same_id, _has_same_arguments, _has_same_tool):
        for one in selected:
            # What by its own trace never ran takes a partner by its id alone.
            if one.ran is None and (is_match is _has_same_id or one.call.status not in _NEVER_RAN):
                one.ran = next((call for call in spare if is_match(one, call)), None)
                spare = [call for call in spare if call is not one.ran]
    turns = _choose_turns(selected)
    for one, turn in zip(selected, turns, strict=True):
        joined.calls.append(_record_selected(one, turn, listings))
    joined.calls += [_record_executed(call, _find_turn(call, selected, turns), listings) for call in spare]
    joined.warnings += _describe_disagreements(selected, spare, joined.calls)
    return joined


def _resolve_calls(
    run: ImportedRun, listings: Mapping[str, ServerListing], own_tools: Counter[str]
) -> Iterator[_Selected]:
    """Yield the calls of MCP tools under the names that the taps use; count the others."""
    names = {server: frozenset(str(tool.get("name")) for tool in listing.tools) for server, listing in listings.items()}
    resolver = NameResolver(KnownServers(names))
    for call in run.calls:
        # One call at a time: a resolved call no longer has the id that it is joined by.
        resolved = resolver.resolve(msgspec.structs.replace(run, calls=(call,)))
        own_tools.update(resolved.left_out)
        for found in resolved.trace.tool_calls:
            yield _Selected(found, call.id)


def _has_same_id(one: _Selected, call: ExecutedCall) -> bool:
    return one.id is not None and call.call_id == one.id


def _has_same_tool(one: _Selected, call: ExecutedCall) -> bool:
    return (one.call.server, one.call.name) == (call.server, call.name)


def _has_same_arguments(one: _Selected, call: ExecutedCall) -> bool:
    return _has_same_tool(one, call) and _decode_args(one.call) == (call.args or {})


def _decode_args(call: Call) -> Any:
    return {} if isinstance(call.args, UnsetType) else msgspec.json.decode(call.args)


def _choose_turns(selected: Sequence[_Selected]) -> list[int]:
    """Return the turn of each call: as the trace has it, else as the calls overlapped."""
    turns: list[int] = []
    for one in selected:
        known = one.call.turn if one.call.turn is not None else one.ran and one.ran.turn
        turns.append(known or (turns[-1] if turns else 1))
    return turns


def _find_turn(call: ExecutedCall, selected: Sequence[_Selected], turns: Sequence[int]) -> int:
    """Return the turn of a call that only a tap saw: that of the last call before it that both sides have."""
    before = [turn for one, turn in zip(selected, turns, strict=True) if one.ran and one.ran.turn <= call.turn]
    return max(before, default=call.turn)


def _record_selected(one: _Selected, turn: int, listings: Mapping[str, ServerListing]) -> dict[str, Any]:
    if one.ran is not None:
        return _record_executed(one.ran, turn, listings)
    call = one.call
    record: dict[str, Any] = {"name": call.name, "turn": turn}
    if call.server is not None:
        record["server"] = call.server
    if not isinstance(call.args, UnsetType):
        record["args"] = msgspec.json.decode(call.args)
    if call.status in _NEVER_RAN:
        record["status"] = call.status
    else:
        # The program chose it and no server got it: it was held back, or there is no such tool.
        record["status"] = REFUSED if _is_listed(call.server, call.name, listings) else UNKNOWN_TOOL
    return record


def _record_executed(call: ExecutedCall, turn: int, listings: Mapping[str, ServerListing]) -> dict[str, Any]:
    status = call.status if _is_listed(call.server, call.name, listings) else UNKNOWN_TOOL
    record: dict[str, Any] = {"server": call.server, "name": call.name, "turn": turn, "status": status}
    record["args"] = {} if call.args is None else call.args
    return record if call.result is None else {**record, "result": call.result}


def _is_listed(server: str | None, name: str, listings: Mapping[str, ServerListing]) -> bool:
    listing = listings.get(server or "")
    return listing is not None and any(tool.get("name") == name for tool in listing.tools)


def _describe_disagreements(
    selected: Sequence[_Selected], spare: Sequence[ExecutedCall], calls: Sequence[dict[str, Any]]
) -> Iterator[str]:
    unseen = [
        one.call.id
        for one, record in zip(selected, calls, strict=False)
        if one.ran is None and one.call.status not in _NEVER_RAN and record["status"] == REFUSED
    ]
    if unseen:
        yield f"the program's trace has calls that no server got, counted as refused: {_count_names(unseen)}"
    if spare:
        names = [format_tool_id(call.server, call.name) for call in spare]
        yield f"calls reached a server that the program's trace does not have: {_count_names(names)}"


def _count_names(names: Sequence[str]) -> str:
    return ", ".join(f"{name} ({count})" if count > 1 else name for name, count in sorted(Counter(names).items()))
