"""Making a cassette of a finished run: checked, bounded in size, and redacted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, cast

import msgspec
from msgspec import UNSET, Raw, UnsetType

from ...foundations.canonical_json import encode_compact
from ...foundations.fault import BadInput
from ...foundations.redaction import Redactor
from ...gates.trace import Usage
from ..catalogs.fingerprint import ServerListing, Toolset
from ..cell_selection import PlannedCell
from ..servers.bounded_result import cut_result
from .cassette import FORMAT, KIND, Cassette, CassetteKey, RecordedCall, RecordedToolset, make_run_shape

MAX_RESULT_BYTES = 256 * 1024
"""The bound of a recorded result. A longer one is cut to its length and hash, as no gate reads results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """A run to record. `tools` holds the tools that each server listed; `meta` holds what varies between equal runs.

    A call is a mapping with `name` and, if they are known, `server`, `args`, `status`, `result` and `turn`.
    """

    tool_calls: Sequence[Mapping[str, Any]]
    tools: Mapping[str, ServerListing | Sequence[Mapping[str, Any]]]
    final_response: str | None = None
    turns: int | None = None
    usage: Usage | Mapping[str, int] | None = None
    cost: Decimal | str | None = None
    warnings: Sequence[str] = ()
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def collect_listings(self) -> dict[str, ServerListing]:
        """Return what each server listed. A plain list of tools becomes a listing without a version."""
        return {
            name: listed if isinstance(listed, ServerListing) else ServerListing(None, listed)
            for name, listed in self.tools.items()
        }


def make_cassette(planned: PlannedCell, run: int, done: FinishedRun, toolset: Toolset, redactor: Redactor) -> Cassette:
    """Return the cassette of a run. Raise `BadInput` if a replay could not read it."""
    test = planned.test
    if not 1 <= run <= test.runs:
        raise BadInput(f"`{test.name}` has runs 1 to {test.runs}, not {run}")
    shape = make_run_shape(planned)
    try:
        calls = tuple(_make_recorded_call(call, redactor) for call in done.tool_calls)
        cassette = Cassette(
            format=FORMAT,
            kind=KIND,
            status="complete",
            key=CassetteKey(
                planned.suite.name, test.name, planned.cell.model or "", run, test.runs, shape.digest, shape
            ),
            toolset=_make_recorded_toolset(toolset),
            tool_calls=calls,
            final_response=UNSET
            if done.final_response is None
            else redactor.redact_text(_escape_surrogates(done.final_response)),
            turns=UNSET if done.turns is None else done.turns,
            usage=UNSET if done.usage is None else _to_usage(done.usage),
            cost=UNSET if done.cost is None else str(done.cost),
            warnings=tuple(redactor.redact_text(_escape_surrogates(text)) for text in done.warnings),
            redactions=redactor.count,
            integrity="",
        )
        _check_replayable(cassette)
    except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
        raise BadInput(f"this run cannot be recorded: {error or type(error).__name__}") from None
    return cassette


def _check_replayable(cassette: Cassette) -> None:
    """Raise an exception of msgspec if a replay could not encode the cassette or decode its arguments."""
    msgspec.json.encode(cassette)
    for call in cassette.to_trace().tool_calls:
        if not isinstance(call.args, UnsetType):
            msgspec.json.decode(call.args)


def _make_recorded_call(call: Mapping[str, Any], redactor: Redactor) -> RecordedCall:
    """Return a call redacted, with a bounded result. Raise `ValidationError` if it has keys of a wrong type."""
    values: dict[str, Raw] = {}
    if "args" in call:
        values["args"] = _encode_raw(redactor.redact_value(call["args"]))
    if "result" in call:
        values["result"] = _encode_raw(cut_result(redactor.redact_value(call["result"]), MAX_RESULT_BYTES))
    # Arguments and results are already encoded: msgspec checks the other fields, and must not look into these.
    rest = {key: value for key, value in call.items() if key not in values}
    return msgspec.structs.replace(msgspec.convert({"turn": 1, **rest}, RecordedCall), **values)


def _encode_raw(value: Any) -> Raw:
    # The walk through the value is slow and hardly ever needed: the encoder finds surrogates first.
    try:
        return Raw(encode_compact(value))
    except UnicodeEncodeError:
        return Raw(encode_compact(_escape_surrogates(value)))


def _escape_surrogates(value: Any) -> Any:
    """Return a JSON value with every lone surrogate, which UTF-8 cannot hold, replaced by its escape."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_escape_surrogates(key): _escape_surrogates(part) for key, part in cast(dict[str, Any], value).items()}
    return [_escape_surrogates(part) for part in cast(list[Any], value)] if isinstance(value, list) else value


def _to_usage(usage: Usage | Mapping[str, int]) -> Usage:
    return usage if isinstance(usage, Usage) else msgspec.convert(dict(usage), Usage)


def _make_recorded_toolset(toolset: Toolset) -> RecordedToolset:
    servers = tuple(sorted(server.name for server in toolset.servers))
    return RecordedToolset(toolset.scheme, toolset.fingerprint, len(toolset.tools), servers)
