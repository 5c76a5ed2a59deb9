"""The Messages API of Anthropic: a list of messages (with `tools`, if it is the body of a request), or the responses.

`is_error` stands in the results that the user's side sends, so responses alone have no status. The API's own connector
to servers (`mcp_tool_use`) has the exact server and its results in the same message; there one response stands for
several requests of the model, and the turns are not known.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from .anthropic_content import ContentBlock, Message, MessageUsage, result_status
from .event_stream import EventStream, decode_record
from .imported_run import CallKind, ImportedRun, RunBuilder, TraceTool
from .openai_chat import is_plain_message
from .shape import Shape
from .trace_format import TraceFormat

_KINDS: dict[str, CallKind] = {"tool_use": "open", "mcp_tool_use": "mcp", "server_tool_use": "own"}
_CALLS = tuple(_KINDS)


class _Tool(msgspec.Struct, gc=False):
    name: str = ""
    description: str | None = None
    input_schema: msgspec.Raw | UnsetType = UNSET


class _Record(msgspec.Struct, gc=False):
    """A body with messages, or one message."""

    messages: list[Message] | None = None
    tools: list[_Tool] | None = None
    role: str | None = None
    id: str | None = None
    model: str | None = None
    content: str | list[ContentBlock] | None = None
    usage: MessageUsage | None = None


_RECORD = msgspec.json.Decoder(_Record)


class _Reader:
    def __init__(self, line: int) -> None:
        self.run = RunBuilder(line)
        self._turns: dict[str, int] = {}
        self._is_hosted = False

    def read(self, message: Message) -> None:
        """Take one message of either side."""
        if message.role == "assistant":
            self._read_answer(message)
        elif message.role == "user":
            for block in message.blocks():
                if block.type == "tool_result":
                    self.run.set_status(block.tool_use_id, result_status(block))
            self.run.prompt = self.run.prompt or message.join_text()

    def _read_answer(self, message: Message) -> None:
        id = message.id or f"#{len(self._turns)}"  # noqa: A001
        # A response that stands in the file twice is one request.
        if id in self._turns:
            return
        turn = self._turns[id] = len(self._turns) + 1
        for block in message.blocks():
            self._read_block(block, turn)
        self.run.final_response = _last_text(message) or self.run.final_response
        if message.usage is not None:
            self.run.add_usage(message.usage.count_input(), message.usage.output_tokens)

    def _read_block(self, block: ContentBlock, turn: int) -> None:
        if block.type == "mcp_tool_result":
            self.run.set_status(block.tool_use_id, result_status(block))
        elif block.type in _CALLS and block.name:
            self._is_hosted |= block.type == "mcp_tool_use"
            self.run.add_call(
                block.name, block.input, id=block.id, server=block.server_name,
                turn=None if block.type == "mcp_tool_use" else turn,
                kind=_KINDS[block.type],
            )  # fmt: skip

    def read_tools(self, tools: list[_Tool]) -> None:
        for tool in tools:
            if tool.name and not isinstance(tool.input_schema, UnsetType):
                self.run.offer(TraceTool(tool.name, None, tool.description, tool.input_schema))

    def build(self) -> ImportedRun:
        self.run.turns = None if self._is_hosted else len(self._turns)
        return self.run.build()


def _last_text(message: Message) -> str | None:
    """Return the text after the last call of a message."""
    texts: list[str] = []
    for block in message.blocks():
        if block.type == "text" and block.text:
            texts.append(block.text)
        elif block.type in _CALLS:
            texts.clear()
    return "".join(texts) or None


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader: _Reader | None = None
    group = 0
    for record in events:
        data = decode_record(_RECORD, record)
        if reader is None or data.messages is not None or record.group != group:
            if reader is not None:
                yield reader.build()
            reader, group = _Reader(record.line), record.group
        reader.run.model = reader.run.model or data.model
        reader.read_tools(data.tools or [])
        for message in data.messages or ():
            reader.read(message)
        if data.role is not None:
            reader.read(Message(data.role, data.id, data.model, data.content, data.usage))
        elif data.messages is None:
            events.skip(record, None)
    if reader is not None:
        yield reader.build()


def _is_message(shape: Shape) -> bool:
    if shape.text("type") not in (None, "message") or shape.text("role") not in ("user", "assistant"):
        return False
    if shape.text("type") == "message" and shape.has("stop_reason", "content"):
        return True
    return any(
        part.has("type")
        and (part.has("tool_use_id") or (part.text("type") in _CALLS and part.has("id", "name", "input")))
        for part in shape.parts("content")
    )


def _is_body(shape: Shape) -> bool:
    messages = list(shape.parts("messages"))
    if any(map(_is_message, messages)):
        return True
    offers = any(tool.has("name", "input_schema") for tool in shape.parts("tools"))
    return bool(messages) and all(map(is_plain_message, messages)) and (offers or not shape.has("tools"))


def _claims(sample: Sequence[Shape]) -> bool:
    # Text alone fits several formats: all of them claim it, so that the user is asked for --from.
    return any(_is_message(shape) or _is_body(shape) for shape in sample) or (
        bool(sample) and all(map(is_plain_message, sample))
    )


ANTHROPIC = TraceFormat(
    name="anthropic",
    label="Anthropic messages",
    claims=_claims,
    read=_read,
    keys=frozenset(("messages", "role", "content", "tools", "stop_reason", "usage", "type", "id")),
)
