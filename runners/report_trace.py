"""A run as the report shows it: every call with its outcome, and no text longer than a fixed bound."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from ..foundations.canonical_json import digest_bytes, encode_compact
from ..foundations.redaction import REDACTED, Redactor
from ..gates.tool_selection import CallOutcome, ToolClass, list_call_outcomes
from ..gates.trace import Call, Trace
from .cell_result import ScoredCall, TraceResult

# Reports are committed to git and shown as pages: what a model writes must not make them megabytes.
MAX_ARGS_BYTES = 2_000
MAX_TEXT = 2_000
_MARK = REDACTED.encode()


def make_trace_result(classes: Sequence[ToolClass] | None, trace: Trace, run: int) -> TraceResult:
    """Return a run for the report. Its secrets must have been redacted already."""
    outcomes = list_call_outcomes(classes, trace)
    calls = tuple(_make_scored_call(call, outcome) for call, outcome in zip(trace.tool_calls, outcomes, strict=True))
    return TraceResult(run, calls, _cut_text(trace.final_response), UNSET if trace.turns is None else trace.turns)


def keep_as_recorded(trace: Trace) -> Trace:
    """Return a run from a cassette unchanged: it was redacted when it was recorded."""
    return trace


def redact_trace(trace: Trace) -> Trace:
    """Return a run that was recorded elsewhere, with everything that looks like a secret redacted."""
    redactor = Redactor()
    calls = tuple(msgspec.structs.replace(call, args=_redact_args(call, redactor)) for call in trace.tool_calls)
    answer = None if trace.final_response is None else redactor.redact_text(trace.final_response)
    return msgspec.structs.replace(trace, tool_calls=calls, final_response=answer)


def _redact_args(call: Call, redactor: Redactor) -> msgspec.Raw | UnsetType:
    if isinstance(call.args, UnsetType):
        return UNSET
    return msgspec.Raw(msgspec.json.encode(redactor.redact_value(msgspec.json.decode(call.args))))


def _make_scored_call(call: Call, outcome: CallOutcome) -> ScoredCall:
    raw = b"" if isinstance(call.args, UnsetType) else bytes(call.args)
    return ScoredCall(
        outcome.id,
        outcome.status,
        outcome.outcome,
        outcome.class_,
        outcome.classes,
        outcome.reason,
        UNSET if call.turn is None else call.turn,
        _cut_args(raw) if raw else UNSET,
        _MARK in raw,
    )


def _cut_args(raw: bytes) -> Any:
    args = msgspec.json.decode(raw)
    # The bound is on compact JSON, so that spaces do not count; raw bytes within it need no second encoding.
    if len(raw) <= MAX_ARGS_BYTES:
        return args
    # The hash keeps two different long arguments apart in a diff of two reports.
    compact = encode_compact(args)
    return args if len(compact) <= MAX_ARGS_BYTES else f"{len(compact):,} bytes, {digest_bytes(compact)}"


def _cut_text(text: str | None) -> str | UnsetType:
    if text is None:
        return UNSET
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}… (cut: {len(text):,} characters)"
