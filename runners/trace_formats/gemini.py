"""Gemini CLI: what `gemini -p … --output-format stream-json` prints.

A flat name has one underscore (`mcp_docs_search`), so it is read against the servers of the suite. The text of an
answer comes in pieces. Requests are not marked: a call or a text after a result begins the next one.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, REFUSED, CallKind, ImportedRun, RunBuilder
from .shape import Shape
from .trace_format import TraceFormat

_MCP_PREFIX = "mcp_"
_STATUS = {"success": OK, "error": ERROR, "cancelled": REFUSED}
# The type says more than the status, which is `error` for all of these.
_STATUS_OF_ERROR = {
    "tool_not_registered": UNKNOWN_TOOL,
    "execution_denied": REFUSED,
    "policy_violation": REFUSED,
}


def kind_of(name: str) -> CallKind:
    """Return what the flat name of a call says: tools of servers have a prefix, those of the program have none."""
    return "mcp" if name.startswith(_MCP_PREFIX) else "own"


def status_of(status: str | None, error_type: str | None) -> str | None:
    """Return what became of a call."""
    return _STATUS_OF_ERROR.get(error_type or "", _STATUS.get(status or ""))


class _Error(msgspec.Struct, gc=False):
    type: str | None = None


class _Stats(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Event(msgspec.Struct, gc=False):
    type: str = ""
    role: str | None = None
    content: str | None = None
    delta: bool = False
    model: str | None = None
    tool_name: str | None = None
    tool_id: str | None = None
    parameters: msgspec.Raw | UnsetType = UNSET
    status: str | None = None
    error: _Error | None = None
    stats: _Stats | None = None


_EVENT = msgspec.json.Decoder(_Event)


class _Reader:
    def __init__(self, line: int) -> None:
        self.run = RunBuilder(line)
        self._turn = 1
        self._answered = False
        self._ended = False
        self._pieces: list[str] = []

    def read(self, event: _Event) -> bool:
        """Take one event; return whether it is known."""
        if event.type == "tool_use" and event.tool_name:
            self._begin_turn()
            kind = kind_of(event.tool_name)
            self.run.add_call(event.tool_name, event.parameters, id=event.tool_id, turn=self._turn, kind=kind)
        elif event.type == "tool_result":
            self._answered = True
            self.run.set_status(event.tool_id, status_of(event.status, event.error.type if event.error else None))
        elif event.type == "message" and event.content is not None:
            self._read_message(event, event.content)
        elif event.type == "result":
            self._ended = True
            if event.stats is not None:
                self.run.set_usage(event.stats.input_tokens, event.stats.output_tokens)
        elif event.type == "init":
            self.run.model = event.model
        return event.type in ("init", "message", "tool_use", "tool_result", "result", "error")

    def _begin_turn(self) -> None:
        if self._answered:
            self._turn += 1
            self._pieces.clear()
        self._answered = False

    def _read_message(self, event: _Event, text: str) -> None:
        if event.role == "user":
            self.run.prompt = self.run.prompt or text
        elif event.role == "assistant":
            self._begin_turn()
            # Pieces have `delta`; a text without it is the whole message.
            if not event.delta:
                self._pieces.clear()
            self._pieces.append(text)

    def build(self) -> ImportedRun:
        self.run.final_response = "".join(self._pieces) or None
        self.run.turns = self._turn
        if not self._ended:
            self.run.warnings.append("it ends without its `result` line: it may be cut")
        return self.run.build()


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader: _Reader | None = None
    for record in events:
        event = decode_record(_EVENT, record)
        if reader is None or event.type == "init":
            if reader is not None:
                yield reader.build()
            reader = _Reader(record.line)
        if not reader.read(event):
            events.skip(record, event.type)
    if reader is not None:
        yield reader.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        (shape.text("type") == "tool_use" and shape.has("tool_name", "tool_id"))
        or (shape.text("type") == "init" and shape.has("session_id", "model", "timestamp"))
        or (shape.text("type") == "result" and shape.part("stats").has("total_tokens", "tool_calls"))
        for shape in sample
    )


GEMINI = TraceFormat(
    name="gemini",
    label="Gemini CLI (stream-json)",
    claims=_claims,
    read=_read,
    keys=frozenset(("type", "timestamp", "tool_name", "tool_id", "parameters", "stats")),
)
