"""A run as the report shows it: every call with what became of it, nothing longer than a page can bear."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from ..gates.tool_selection import CallOutcome, ToolClass, call_outcomes
from ..gates.trace import Call, Trace
from .cassettes.redaction import REDACTED, Redactor
from .cell_result import CallResult, TraceResult

MAX_ARGS_BYTES = 2_000
MAX_TEXT = 2_000
_COMPACT = msgspec.json.Encoder(order="sorted")
_MARK = REDACTED.encode()


def shown_trace(classes: Sequence[ToolClass] | None, trace: Trace, run: int) -> TraceResult:
    """A run whose secrets were taken out already."""
    outcomes = call_outcomes(classes, trace)
    calls = tuple(_shown_call(call, outcome) for call, outcome in zip(trace.tool_calls, outcomes, strict=True))
    return TraceResult(run, calls, _shown_text(trace.final_response), UNSET if trace.turns is None else trace.turns)


def as_recorded(trace: Trace) -> Trace:
    """A run from a cassette may be shown as it is: secrets were taken out when it was written."""
    return trace


def redacted_trace(trace: Trace) -> Trace:
    """A run that was recorded elsewhere, without what looks like a secret."""
    redactor = Redactor()
    calls = tuple(msgspec.structs.replace(call, args=_redacted_args(call, redactor)) for call in trace.tool_calls)
    answer = None if trace.final_response is None else redactor.text(trace.final_response)
    return msgspec.structs.replace(trace, tool_calls=calls, final_response=answer)


def _redacted_args(call: Call, redactor: Redactor) -> msgspec.Raw | UnsetType:
    if isinstance(call.args, UnsetType):
        return UNSET
    return msgspec.Raw(msgspec.json.encode(redactor.value(msgspec.json.decode(call.args))))


def _shown_call(call: Call, outcome: CallOutcome) -> CallResult:
    raw = b"" if isinstance(call.args, UnsetType) else bytes(call.args)
    return CallResult(
        outcome.id,
        outcome.status,
        outcome.outcome,
        outcome.class_,
        outcome.classes,
        UNSET if call.turn is None else call.turn,
        _shown_args(raw) if raw else UNSET,
        _MARK in raw,
    )


def _shown_args(raw: bytes) -> Any:
    args = msgspec.json.decode(raw)
    if len(raw) <= MAX_ARGS_BYTES:
        return args
    compact = _COMPACT.encode(args)
    return args if len(compact) <= MAX_ARGS_BYTES else f"{len(compact):,} bytes, sha256:{sha256(compact).hexdigest()}"


def _shown_text(text: str | None) -> str | UnsetType:
    if text is None:
        return UNSET
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}… (cut: {len(text):,} characters)"
