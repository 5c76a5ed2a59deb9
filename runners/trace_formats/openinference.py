"""Spans in the words of OpenInference, one a line (`span.to_json()`), with flattened keys.

Each span of a model repeats the history in `llm.input_messages`; only `llm.output_messages` are new. Spans of tools, if
there are any, say what became of the calls.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, ImportedRun, RunBuilder, TraceTool
from .shape import Shape
from .trace_format import TraceFormat

_KIND = "openinference.span.kind"
_OUTPUT = re.compile(r"llm\.output_messages\.(\d+)\.message\.(.+)")
_CALL = re.compile(r"tool_calls\.(\d+)\.tool_call\.(id|function\.name|function\.arguments)")
_TEXT = re.compile(r"contents\.(\d+)\.message_content\.text")
_SCHEMA = re.compile(r"llm\.tools\.(\d+)\.tool\.json_schema")
_PROMPT = re.compile(r"llm\.input_messages\.(\d+)\.message\.role")
_QUIET = frozenset(("AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT"))


class _Status(msgspec.Struct, gc=False):
    status_code: str | None = None


class _Context(msgspec.Struct, gc=False):
    span_id: str | None = None
    trace_id: str | None = None


class _Span(msgspec.Struct, gc=False):
    name: str | None = None
    context: _Context | None = None
    start_time: str | None = None
    status: _Status | None = None
    attributes: dict[str, Any] = {}


class _Function(msgspec.Struct, gc=False):
    name: str = ""
    description: str | None = None
    parameters: msgspec.Raw | UnsetType = UNSET
    input_schema: msgspec.Raw | UnsetType = UNSET
    function: "_Function | None" = None


_SPAN = msgspec.json.Decoder(_Span)
_FUNCTION = msgspec.json.Decoder(_Function)
_ANY = msgspec.json.Decoder()


class _Reader:
    def __init__(self) -> None:
        self.run = RunBuilder(1)
        # A tool's span has no id of a call: it is matched by name and arguments, first come, first served.
        self._waiting: dict[tuple[str, str], deque[str]] = defaultdict(deque)
        self._number = 0

    def read_model(self, attributes: Mapping[str, Any]) -> None:
        """Take the span of a request to a model."""
        run = self.run
        turn = run.turns = (run.turns or 0) + 1
        calls: dict[tuple[int, int], dict[str, str]] = {}
        texts: dict[tuple[int, int], str] = {}
        for key, value in attributes.items():
            if key.startswith("llm.output_messages."):
                _collect(key, value, calls, texts)
            elif run.turns == 1:
                self._read_first(key, value, attributes)
        # Keys are flattened and in any order; the numbers in them are the order of the calls.
        for place in sorted(calls):
            self._add_call(calls[place], turn)
        run.final_response = "".join(texts[place] for place in sorted(texts)) or run.final_response
        run.add_usage(attributes.get("llm.token_count.prompt"), attributes.get("llm.token_count.completion"))
        run.model = run.model or attributes.get("llm.model_name")

    def _read_first(self, key: str, value: object, attributes: Mapping[str, Any]) -> None:
        """Take the tools that were offered and the prompt; every later span repeats them."""
        role = _PROMPT.fullmatch(key)
        if role and value == "user" and self.run.prompt is None:
            prefix = f"llm.input_messages.{role[1]}.message."
            text = attributes.get(f"{prefix}content") or attributes.get(f"{prefix}contents.0.message_content.text")
            self.run.prompt = text if isinstance(text, str) else None
        elif _SCHEMA.fullmatch(key) and isinstance(value, str):
            try:
                tool = _FUNCTION.decode(value)
            except msgspec.DecodeError:
                return
            tool = tool.function or tool
            schema = tool.input_schema if isinstance(tool.parameters, UnsetType) else tool.parameters
            if tool.name:
                self.run.offer(TraceTool(tool.name, None, tool.description, schema))

    def _add_call(self, call: Mapping[str, str], turn: int) -> None:
        name, text = call.get("function.name"), call.get("function.arguments")
        if not name:
            return
        id = call.get("id") or f"#{self._number}"  # noqa: A001
        self._number += 1
        if self.run.add_call(name, UNSET if text is None else text, id=id, turn=turn):
            self._waiting[name, _canonical(text)].append(id)

    def read_tool(self, span: _Span) -> None:
        """Take the span of a tool: it tells of the first call with this name and arguments that has no status yet."""
        attributes = span.attributes
        name = attributes.get("tool.name") or span.name or ""
        text = attributes.get("tool.parameters") or attributes.get("input.value")
        waiting = self._waiting[name, _canonical(text)]
        if waiting:
            failed = span.status is not None and span.status.status_code == "ERROR"
            self.run.set_status(waiting.popleft(), ERROR if failed else OK)


def _canonical(text: object) -> str:
    """Return arguments in a spelling by which equal ones are found."""
    if not isinstance(text, str):
        return ""
    try:
        return msgspec.json.encode(_ANY.decode(text), order="deterministic").decode()
    except (msgspec.DecodeError, RecursionError):
        return text


def _collect(
    key: str, value: object, calls: dict[tuple[int, int], dict[str, str]], texts: dict[tuple[int, int], str]
) -> None:
    output = _OUTPUT.fullmatch(key)
    if output is None or not isinstance(value, str):
        return
    message, rest = int(output[1]), output[2]
    call, text = _CALL.fullmatch(rest), _TEXT.fullmatch(rest)
    if call:
        calls.setdefault((message, int(call[1])), {})[call[2]] = value
    elif rest == "content":
        # The whole text and its parts say the same, in any order: the whole replaces parts that came first.
        for place in [place for place in texts if place[0] == message]:
            del texts[place]
        texts[message, -1] = value
    elif text and (message, -1) not in texts:
        texts[message, int(text[1])] = value


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader, seen = _Reader(), set[str]()
    tools: list[_Span] = []
    for record in events:
        span = decode_record(_SPAN, record)
        id = span.context.span_id if span.context else None  # noqa: A001
        # A span that was exported twice counts once, and so do its tokens.
        if id is not None and id in seen:
            continue
        seen.add(id or "")
        kind = span.attributes.get(_KIND)
        if kind == "LLM":
            reader.read_model(span.attributes)
        elif kind == "TOOL":
            tools.append(span)
        elif kind not in _QUIET:
            events.skip(record, None)
    for span in sorted(tools, key=lambda span: span.start_time or ""):
        reader.read_tool(span)
    yield reader.run.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(shape.part("attributes").has(_KIND) for shape in sample)


OPENINFERENCE = TraceFormat(
    name="openinference",
    label="OpenInference spans",
    claims=_claims,
    read=_read,
    keys=frozenset(("name", "context", "attributes", "kind", "parent_id", "start_time", "status", "resource")),
)
