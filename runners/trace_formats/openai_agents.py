"""The trace that the OpenAI Agents SDK exports: traces and spans, one a line, each written when it ends.

`mcp_data.server` is exact and the name beside it is flat. A failed tool has no error here, so the status is left out.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import CallKind, ImportedRun, RunBuilder, TraceTool
from .raw_json import text_of
from .shape import Shape
from .tool_names import strip_server
from .trace_format import TraceFormat

_QUIET = frozenset(("agent", "guardrail", "custom", "speech", "speech_group", "transcription", "task"))


class _McpData(msgspec.Struct, gc=False):
    server: str | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _SpanData(msgspec.Struct, gc=False):
    type: str = ""
    name: str | None = None
    input: msgspec.Raw | UnsetType = UNSET
    server: str | None = None
    result: list[str] | None = None
    mcp_data: _McpData | None = None
    usage: _Usage | None = None


class _Span(msgspec.Struct, gc=False):
    object: str | None = None
    id: str | None = None
    trace_id: str | None = None
    parent_id: str | None = None
    started_at: str | None = None
    span_data: _SpanData | None = None


_SPAN = msgspec.json.Decoder(_Span)
_Call = tuple[str, str | None, _Span, str | None]
"""When it began, the span that it is a part of, and the span itself with its arguments."""


class _Reader:
    def __init__(self, line: int) -> None:
        self.run = RunBuilder(line)
        self._calls: list[_Call] = []
        self._parents: list[str | None] = []
        self._seen: set[str] = set()

    def read(self, span: _Span) -> bool:
        """Take one span; return whether its type is known."""
        data = span.span_data
        if data is None or (span.id is not None and span.id in self._seen):
            return True
        self._seen.add(span.id or "")
        if data.type in ("function", "handoff"):
            text = text_of(data.input)
            data.input = UNSET  # it is a view that would hold the whole line
            self._calls.append((span.started_at or "", span.parent_id, span, text))
        elif data.type in ("response", "generation"):
            self.run.turns = (self.run.turns or 0) + 1
            self._parents.append(span.parent_id)
            if data.usage is not None:
                self.run.add_usage(data.usage.input_tokens, data.usage.output_tokens)
        elif data.type == "mcp_tools":
            for name in data.result or ():
                self.run.offer(TraceTool(name, data.server))
        else:
            return data.type in _QUIET
        return True

    def build(self) -> ImportedRun:
        # The request of a turn and its calls are spans of one parent: nothing else says which turn a call is of.
        turns = {parent: number for number, parent in enumerate(self._parents, 1)}
        for _, parent, span, text in sorted(self._calls, key=lambda call: call[0]):
            data = span.span_data or _SpanData()
            server = data.mcp_data.server if data.mcp_data else None
            name = strip_server(data.name or "", server) if server else data.name or ""
            kind: CallKind = "mcp" if server else "own" if data.type == "handoff" else "open"
            self.run.add_call(
                name, text if text is not None else UNSET, id=span.id, server=server, turn=turns.get(parent), kind=kind
            )
        return self.run.build()


def _read(events: EventStream) -> Iterator[ImportedRun]:
    readers: dict[str, _Reader] = {}  # spans of runs at the same time are mixed, so runs end with the file
    for record in events:
        span = decode_record(_SPAN, record)
        if span.object not in ("trace", "trace.span"):
            events.skip(record, span.object)
            continue
        trace = span.id if span.object == "trace" else span.trace_id
        if not readers.setdefault(trace or "", _Reader(record.line)).read(span):
            events.skip(record, span.span_data.type if span.span_data else None)
    for reader in readers.values():
        yield reader.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        (shape.text("object") == "trace.span" and shape.has("span_data"))
        or (shape.text("object") == "trace" and shape.has("workflow_name"))
        for shape in sample
    )


OPENAI_AGENTS = TraceFormat(
    name="openai-agents",
    label="OpenAI Agents SDK (trace)",
    claims=_claims,
    read=_read,
    keys=frozenset(("object", "id", "trace_id", "parent_id", "span_data", "started_at", "ended_at")),
)
