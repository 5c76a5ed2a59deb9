"""Gemini CLI: the session files it keeps, `~/.gemini/tmp/PROJECT/chats/session-*`.

A log of updates: a message is written again with the same id when its calls are known, and the last one counts.
`$set` carries messages, too; `$rewindTo` takes back all from a message on.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_record
from .gemini import kind_of, status_of
from .imported_run import ImportedRun, RunBuilder
from .shape import Shape
from .trace_format import TraceFormat

_SHOWN_NAME = re.compile(r"(.+) \((.+) MCP Server\)")
# A session has no type of error: only the text tells that the tool does not exist.
_NOT_FOUND = re.compile(rb'"error":\s*"Tool \\"[^"]*\\" not found')


class _ToolCall(msgspec.Struct, gc=False):
    name: str
    id: str | None = None
    args: msgspec.Raw | UnsetType = UNSET
    status: str | None = None
    shown: str | None = msgspec.field(default=None, name="displayName")
    result: msgspec.Raw | UnsetType = UNSET


class _Tokens(msgspec.Struct, gc=False):
    input: int | None = None
    output: int | None = None
    thoughts: int | None = None


class _Part(msgspec.Struct, gc=False):
    text: str | None = None


class _Message(msgspec.Struct, gc=False):
    id: str | None = None
    type: str = ""
    model: str | None = None
    content: str | _Part | list[_Part | str] | None = None
    tokens: _Tokens | None = None
    tool_calls: list[_ToolCall] = msgspec.field(default_factory=list[_ToolCall], name="toolCalls")


class _Update(msgspec.Struct, gc=False):
    messages: list[_Message] = []


class _Line(_Message, gc=False):
    update: _Update | None = msgspec.field(default=None, name="$set")
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")
    messages: list[_Message] = []


_LINE = msgspec.json.Decoder(_Line)


def _text_of(message: _Message) -> str | None:
    content = message.content
    parts = content if isinstance(content, list) else [content]
    texts = [part.text if isinstance(part, _Part) else part for part in parts]
    return "".join(text for text in texts if text) or None


def _keep(messages: dict[str, _Message], message: _Message) -> None:
    if message.type not in ("user", "gemini"):
        return
    for call in message.tool_calls:  # what was decoded must not hold the line it came from
        call.args = UNSET if isinstance(call.args, UnsetType) else call.args.copy()
        if call.status == "error" and not isinstance(call.result, UnsetType) and _NOT_FOUND.search(bytes(call.result)):
            call.status = UNKNOWN_TOOL
        call.result = UNSET
    # A key that is written again keeps its place in a dict: the last version stands where the first one did.
    messages[message.id or f"#{len(messages)}"] = message


def _rewind(messages: dict[str, _Message], id: str) -> None:  # noqa: A002
    ids = list(messages)
    for later in ids[ids.index(id) :] if id in messages else ():
        del messages[later]


def _add_calls(run: RunBuilder, message: _Message, turn: int) -> None:
    for call in message.tool_calls:
        shown = _SHOWN_NAME.fullmatch(call.shown or "")
        name, server = shown.groups() if shown else (call.name, None)
        status = UNKNOWN_TOOL if call.status == UNKNOWN_TOOL else status_of(call.status, None)
        kind = "mcp" if shown else kind_of(call.name)
        run.add_call(name, call.args, id=call.id, server=server, status=status, turn=turn, kind=kind)


def _build(messages: dict[str, _Message]) -> ImportedRun:
    run, turn = RunBuilder(1), 0
    for message in messages.values():
        text = _text_of(message)
        if message.type == "user":
            run.prompt = text if text and turn == 0 else run.prompt
            continue
        turn += 1
        _add_calls(run, message, turn)
        run.final_response = text or run.final_response
        run.model = run.model or message.model
        if message.tokens is not None:
            # Thoughts are counted apart from the answer here; both went out.
            out, thoughts = message.tokens.output, message.tokens.thoughts or 0
            run.add_usage(message.tokens.input, None if out is None else out + thoughts)
    run.turns = turn
    return run.build()


def _read(events: EventStream) -> Iterator[ImportedRun]:
    messages: dict[str, _Message] = {}
    for record in events:
        line = decode_record(_LINE, record)
        for message in (*line.messages, *(line.update.messages if line.update else ()), line):
            _keep(messages, message)
        if line.rewind_to is not None:
            _rewind(messages, line.rewind_to)
        elif line.type and line.type not in ("user", "gemini", "info", "error", "warning"):
            events.skip(record, line.type)
    yield _build(messages)


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        shape.has("sessionId", "projectHash") or (shape.text("type") == "gemini" and shape.has("id", "content"))
        for shape in sample
    )


GEMINI_SESSION = TraceFormat(
    name="gemini",
    label="Gemini CLI (session)",
    claims=_claims,
    read=_read,
    keys=frozenset(("id", "timestamp", "type", "content", "$set", "toolCalls", "tokens", "thoughts")),
)
