"""Chat completions: a list of messages (with `tools`, if it is the body of a request), or the responses, one a line.

Arguments are JSON in a string, and nothing says whether a call succeeded, so the status is left out.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import ImportedRun, RunBuilder, TraceTool
from .shape import Shape
from .trace_format import TraceFormat


class _Function(msgspec.Struct, gc=False):
    name: str = ""
    arguments: str | None = None
    description: str | None = None
    parameters: msgspec.Raw | UnsetType = UNSET


class _ToolCall(msgspec.Struct, gc=False):
    function: _Function | None = None
    id: str | None = None


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None


class _Message(msgspec.Struct, gc=False):
    role: str | None = None
    content: str | list[_Part] | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(msgspec.Struct, gc=False):
    message: _Message | None = None


class _Usage(msgspec.Struct, gc=False):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Offered(msgspec.Struct, gc=False):
    function: _Function | None = None


class _Record(msgspec.Struct, gc=False):
    """A body with messages, one message, or one response."""

    messages: list[_Message] | None = None
    tools: list[_Offered] | None = None
    model: str | None = None
    role: str | None = None
    content: str | list[_Part] | None = None
    tool_calls: list[_ToolCall] | None = None
    id: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


_RECORD = msgspec.json.Decoder(_Record)
_PLAIN_KEYS = frozenset(("role", "content", "name"))
_RESULT_KEYS = frozenset(("role", "content", "tool_call_id", "name"))


def _text_of(content: str | list[_Part] | None) -> str | None:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content if part.type in ("text", "output_text")) or None
    return content or None


class _Reader:
    def __init__(self, line: int) -> None:
        self.run = RunBuilder(line)
        self._responses: set[str] = set()

    def read_message(self, message: _Message) -> None:
        if message.role in ("user", "system", "developer"):
            if message.role == "user":
                self.run.prompt = self.run.prompt or _text_of(message.content)
        elif message.role == "assistant":
            self.run.turns = (self.run.turns or 0) + 1
            for call in message.tool_calls or ():
                if call.function is not None and call.function.name:
                    # An id may be used again by a server that counts anew in each turn: no two are taken for one here.
                    self.run.add_call(call.function.name, call.function.arguments or UNSET, turn=self.run.turns)
            self.run.final_response = _text_of(message.content) or self.run.final_response

    def read_response(self, record: _Record, choices: list[_Choice]) -> None:
        if record.id is not None and record.id in self._responses:
            return
        self._responses.add(record.id or "")
        # Further choices are alternatives, of which a conversation goes on with one.
        message = choices[0].message if choices else None
        self.read_message(message or _Message(role="assistant"))
        if record.usage is not None:
            self.run.add_usage(record.usage.prompt_tokens, record.usage.completion_tokens)

    def read_tools(self, tools: list[_Offered]) -> None:
        for tool in tools:
            if tool.function is not None and tool.function.name:
                function = tool.function
                self.run.offer(TraceTool(function.name, None, function.description, function.parameters))


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader: _Reader | None = None
    group = 0
    for record in events:
        data = decode_record(_RECORD, record)
        is_body = data.messages is not None
        if reader is None or is_body or record.group != group:
            if reader is not None:
                yield reader.run.build()
            reader, group = _Reader(record.line), record.group
        reader.run.model = reader.run.model or data.model
        reader.read_tools(data.tools or [])
        for message in data.messages or ():
            reader.read_message(message)
        if data.choices is not None:
            reader.read_response(data, data.choices)
        elif data.role is not None:
            reader.read_message(_Message(data.role, data.content, data.tool_calls))
        elif not is_body:
            events.skip(record, None)
    if reader is not None:
        yield reader.run.build()


def is_chat_message(shape: Shape) -> bool:
    """Return whether a message can be nothing but one of chat completions."""
    calls = shape.text("role") == "assistant" and any(
        call.part("function").has("name") for call in shape.parts("tool_calls")
    )
    # Inspect has messages of the role `tool` with a `tool_call_id`, too, but with more keys.
    return calls or (shape.text("role") == "tool" and shape.has("tool_call_id") and shape.keys <= _RESULT_KEYS)


def is_plain_message(shape: Shape) -> bool:
    """Return whether a message is text alone, which several formats spell alike."""
    return shape.has("role", "content") and shape.keys <= _PLAIN_KEYS and not any(True for _ in shape.parts("content"))


def _is_body(shape: Shape) -> bool:
    messages = list(shape.parts("messages"))
    offers = any(tool.part("function").has("name") for tool in shape.parts("tools"))
    if any(is_chat_message(message) for message in messages):
        return True
    # Messages of text alone fit Anthropic's body as well: the shape of the tools decides, if there are any.
    return bool(messages) and all(map(is_plain_message, messages)) and (offers or not shape.has("tools"))


def _claims(sample: Sequence[Shape]) -> bool:
    if any(shape.text("object") == "chat.completion" or is_chat_message(shape) or _is_body(shape) for shape in sample):
        return not any(shape.has("openinference.span.kind") for shape in sample)
    return bool(sample) and all(map(is_plain_message, sample))


OPENAI_CHAT = TraceFormat(
    name="openai-chat",
    label="OpenAI chat completions",
    claims=_claims,
    read=_read,
    keys=frozenset(("messages", "role", "content", "tool_calls", "tools", "choices", "tool_call_id", "object")),
)
