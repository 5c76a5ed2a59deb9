"""Messages of LangChain and LangGraph, in four spellings: `{type, data}`, flat with `type`, `{lc, id, kwargs}`, and
the updates of a graph, `{node: {"messages": […]}}`; as a list, in a state (`{"messages": […]}`) or one a line."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_part, decode_record
from .imported_run import ERROR, OK, ImportedRun, RunBuilder
from .raw_json import first_bytes
from .records import Record
from .shape import Shape
from .trace_format import TraceFormat

_ROLES = {
    "human": "human", "HumanMessage": "human", "HumanMessageChunk": "human",
    "ai": "ai", "AIMessage": "ai", "AIMessageChunk": "ai",
    "tool": "tool", "ToolMessage": "tool",
    "system": "system", "SystemMessage": "system", "developer": "system",
    "function": "system", "remove": "system", "chat": "system",
}  # fmt: skip
_STATUS = {"success": OK, "error": ERROR}
# The words of LangGraph's tool node for a tool that does not exist; its status is a plain error.
_NOT_A_TOOL = b"is not a valid tool, try one of"


class _ToolCall(msgspec.Struct, gc=False):
    name: str = ""
    args: msgspec.Raw | UnsetType = UNSET
    id: str | None = None


class _Invalid(msgspec.Struct, gc=False):
    name: str | None = None
    args: str | None = None
    id: str | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None


class _Metadata(msgspec.Struct, gc=False):
    model_name: str | None = None


class _Message(msgspec.Struct, gc=False):
    type: str = ""
    id: str | list[str] | None = None
    content: msgspec.Raw | UnsetType = UNSET
    tool_calls: list[_ToolCall] = []
    invalid_tool_calls: list[_Invalid] = []
    tool_call_id: str | None = None
    status: str | None = None
    usage_metadata: _Usage | None = None
    response_metadata: _Metadata | None = None
    data: "_Message | None" = None
    kwargs: "_Message | None" = None


_MESSAGE = msgspec.json.Decoder(_Message)
_MESSAGES = msgspec.json.Decoder(list[_Message])
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_CONTENT = msgspec.json.Decoder(str | list[_Part | str])


class _Node(msgspec.Struct, gc=False):
    messages: list[_Message] | _Message | None = None


_NODE = msgspec.json.Decoder(_Node)


def _unwrap(message: _Message) -> tuple[str, _Message]:
    """Return the role of a message and the message itself, whichever way it is spelled."""
    inner = message.data or message.kwargs or message
    # In the spelling with `lc` the id is the path of a class, and its last part says the role.
    name = message.id[-1] if message.kwargs and isinstance(message.id, list) and message.id else message.type
    return _ROLES.get(name, ""), inner


class _Reader:
    def __init__(self, line: int) -> None:
        self.run = RunBuilder(line)
        self._seen: set[str] = set()
        self.first: str | None = None

    def read(self, message: _Message, record: Record) -> bool:
        """Take one message; return whether its role is known."""
        role, inner = _unwrap(message)
        if isinstance(inner.id, str):
            self.first = self.first or inner.id
            # States and updates repeat what was said so far: a message counts once.
            if inner.id in self._seen:
                return True
            self._seen.add(inner.id)
        if role == "ai":
            self._read_answer(inner, record)
        elif role == "tool":
            status = UNKNOWN_TOOL if _NOT_A_TOOL in first_bytes(inner.content, 300) else _STATUS.get(inner.status or "")
            self.run.set_status(inner.tool_call_id, status)
        elif role == "human":
            self.run.prompt = self.run.prompt or _text_of(inner, record)
        return bool(role)

    def _read_answer(self, message: _Message, record: Record) -> None:
        turn = self.run.turns = (self.run.turns or 0) + 1
        for call in message.tool_calls:
            self.run.add_call(call.name, call.args, id=call.id, turn=turn)
        # Calls whose arguments are no JSON stand in a list of their own; the model made them all the same.
        for invalid in message.invalid_tool_calls:
            self.run.add_call(invalid.name or "", invalid.args or UNSET, id=invalid.id, turn=turn)
        self.run.final_response = _text_of(message, record) or self.run.final_response
        if message.usage_metadata is not None:
            self.run.add_usage(message.usage_metadata.input_tokens, message.usage_metadata.output_tokens)
        if message.response_metadata is not None:
            self.run.model = self.run.model or message.response_metadata.model_name


def _text_of(message: _Message, record: Record) -> str | None:
    if isinstance(message.content, UnsetType) or bytes(message.content) == b"null":
        return None
    content = decode_part(_CONTENT, message.content, record)
    if isinstance(content, str):
        return content or None
    texts = [
        part if isinstance(part, str) else part.text or ""
        for part in content
        if isinstance(part, str) or part.type == "text"
    ]
    return "".join(texts) or None


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader: _Reader | None = None
    group = 0
    for record in events:
        messages, is_state = _messages_of(record)
        fresh = is_state and reader is not None and not _goes_on(reader, messages)
        if reader is None or fresh or record.group != group:
            if reader is not None:
                yield reader.run.build()
            reader, group = _Reader(record.line), record.group
        for message in messages:
            if not reader.read(message, record):
                events.skip(record, message.type)
    if reader is not None:
        yield reader.run.build()


def _messages_of(record: Record) -> tuple[list[_Message], bool]:
    """Return the messages of a record, and whether it is the state of a whole conversation."""
    fields = decode_record(_FIELDS, record)
    if "messages" in fields:
        return decode_part(_MESSAGES, fields["messages"], record), True
    if "type" in fields:
        return [decode_record(_MESSAGE, record)], False
    found: list[_Message] = []
    for value in fields.values():
        if first_bytes(value) == b"{":
            messages = decode_part(_NODE, value, record).messages
            found += messages if isinstance(messages, list) else [messages] if messages else []
    return found, False


def _goes_on(reader: _Reader, messages: list[_Message]) -> bool:
    """Return whether a state is a later one of the same conversation: it begins with the same message."""
    first = _unwrap(messages[0])[1].id if messages else None
    return first is not None and first == reader.first


def _is_message(shape: Shape) -> bool:
    if shape.has("lc", "id", "kwargs"):
        return True
    if shape.text("type") not in _ROLES:
        return False
    inner = shape.part("data") if shape.has("data") else shape
    return inner.has("content", "additional_kwargs") or inner.has("content", "response_metadata")


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        _is_message(shape)
        or any(map(_is_message, shape.parts("messages")))
        or any(_is_message(message) for node in shape.values() for message in node.parts("messages"))
        for shape in sample
    )


LANGCHAIN = TraceFormat(
    name="langchain",
    label="LangChain messages",
    claims=_claims,
    read=_read,
    keys=frozenset(
        ("messages", "type", "data", "content", "additional_kwargs", "response_metadata", "tool_calls", "lc")
    ),
)
