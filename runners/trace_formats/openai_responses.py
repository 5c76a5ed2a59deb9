"""The Responses API: an input list (also that of the OpenAI Agents SDK), or the responses, one a line.

A call of a server's tool that the API made itself (`mcp_call`) has the server and an error; `mcp_list_tools` is a
catalog. A plain `function_call` has no status. If the API made calls itself, one response stands for several requests
of the model, and the turns are not known.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, ImportedRun, RunBuilder, TraceTool
from .openai_chat import is_plain_message
from .records import Record
from .shape import Shape
from .trace_format import TraceFormat

_OWN_CALLS = frozenset(
    [
        "web_search_call",
        "file_search_call",
        "computer_call",
        "code_interpreter_call",
        "image_generation_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "custom_tool_call",
        "tool_search_call",
    ]
)
_QUIET = frozenset(
    [
        "function_call_output",
        "reasoning",
        "mcp_approval_request",
        "mcp_approval_response",
        "item_reference",
        "compaction",
        "computer_call_output",
        "local_shell_call_output",
        "shell_call_output",
        "apply_patch_call_output",
        "custom_tool_call_output",
        "tool_search_output",
    ]
)


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None


class _Tool(msgspec.Struct, gc=False):
    type: str | None = None
    name: str | None = None
    description: str | None = None
    parameters: msgspec.Raw | UnsetType = UNSET
    input_schema: msgspec.Raw | UnsetType = UNSET


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Item(msgspec.Struct, gc=False):
    """One item, or one response that has items as its output."""

    type: str | None = None
    role: str | None = None
    content: str | list[_Part] | None = None
    name: str | None = None
    arguments: str | None = None
    call_id: str | None = None
    id: str | None = None
    server_label: str | None = None
    error: msgspec.Raw | UnsetType = UNSET
    tools: list[_Tool] | None = None
    object: str | None = None
    # The items of a response, or the text of a call's output: decoded when it is known which.
    output: msgspec.Raw | UnsetType = UNSET
    usage: _Usage | None = None
    model: str | None = None
    input: msgspec.Raw | UnsetType = UNSET


_TEXTS = ("output_text", "input_text", "text")
_ITEM = msgspec.json.Decoder(_Item)
_ITEMS = msgspec.json.Decoder(list[_Item])


def _text_of(content: str | list[_Part] | None) -> str | None:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content if part.type in _TEXTS) or None
    return content or None


class _Reader:
    def __init__(self, line: int) -> None:
        self.run = RunBuilder(line)
        self._turn = 0
        self._is_answering = False
        self._is_hosted = False
        self._responses: set[str] = set()

    def read_item(self, item: _Item) -> bool:
        """Take one item; return whether its type is known."""
        if item.type in ("function_call", "mcp_call") or item.type in _OWN_CALLS:
            self._begin_turn()
            self._read_call(item)
        elif item.type == "mcp_list_tools":
            self._read_catalog(item)
        elif item.role == "assistant":
            self._begin_turn()
            self.run.final_response = _text_of(item.content) or self.run.final_response
        elif item.role is not None:
            self._is_answering = False
            if item.role == "user":
                self.run.prompt = self.run.prompt or _text_of(item.content)
        elif item.type in _QUIET:
            # After an output the model is asked again: what it says next is of another turn.
            self._is_answering &= not item.type.endswith("output")
        else:
            return False
        return True

    def _begin_turn(self) -> None:
        if not self._is_answering:
            self._turn += 1
        self._is_answering = True

    def _read_call(self, item: _Item) -> None:
        arguments = UNSET if item.arguments is None else item.arguments
        if item.type == "mcp_call":
            self._is_hosted = True
            status = OK if isinstance(item.error, UnsetType) or bytes(item.error) == b"null" else ERROR
            server = item.server_label
            self.run.add_call(item.name or "", arguments, id=item.id, server=server, status=status, kind="mcp")
        elif item.type == "function_call" and item.name:
            self.run.add_call(item.name, arguments, id=item.call_id, turn=self._turn)
        else:
            self.run.add_call(item.name or item.type or "", id=item.call_id or item.id, turn=self._turn, kind="own")

    def _read_catalog(self, item: _Item) -> None:
        for tool in item.tools or ():
            if tool.name:
                self.run.offer(TraceTool(tool.name, item.server_label, tool.description, tool.input_schema))

    def read_response(self, response: _Item, output: list[_Item]) -> list[str]:
        """Take one response; return the types of items that are not known."""
        if response.id is not None and response.id in self._responses:
            return []
        self._responses.add(response.id or "")
        self._is_answering = False
        self.run.model = self.run.model or response.model
        for tool in response.tools or ():
            if tool.type == "function" and tool.name:
                self.run.offer(TraceTool(tool.name, None, tool.description, tool.parameters))
        unknown = [item.type or "no type" for item in output if not self.read_item(item)]
        if response.usage is not None:
            self.run.add_usage(response.usage.input_tokens, response.usage.output_tokens)
        return unknown

    def build(self) -> ImportedRun:
        self.run.turns = None if self._is_hosted else self._turn
        return self.run.build()


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader: _Reader | None = None
    group = 0
    for record in events:
        item = decode_record(_ITEM, record)
        if reader is None or record.group != group:
            if reader is not None:
                yield reader.build()
            reader, group = _Reader(record.line), record.group
        for kind in _read_record(reader, item, record):
            events.skip(record, kind)
    if reader is not None:
        yield reader.build()


def _read_record(reader: _Reader, item: _Item, record: Record) -> list[str]:
    """Take a record; return the types in it that are not known."""
    if item.object == "response" and not isinstance(item.output, UnsetType):
        return reader.read_response(item, decode_record(_ITEMS, record._replace(data=item.output)))
    return [] if reader.read_item(item) else [item.type or "no type"]


def _is_item(shape: Shape) -> bool:
    kind = shape.text("type")
    if kind in ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"):
        return shape.has("call_id")
    if kind == "message":
        return any((part.text("type") or "").endswith("put_text") for part in shape.parts("content"))
    return kind in ("mcp_call", "mcp_list_tools") and shape.has("server_label")


def _claims(sample: Sequence[Shape]) -> bool:
    if any(shape.text("object") == "response" or _is_item(shape) for shape in sample):
        return True
    return bool(sample) and all(map(is_plain_message, sample))


OPENAI_RESPONSES = TraceFormat(
    name="openai-responses",
    label="OpenAI responses",
    claims=_claims,
    read=_read,
    keys=frozenset(("type", "role", "content", "call_id", "arguments", "output", "object", "status")),
    # `result.to_input_list()` of the Agents SDK is a list of these items.
    also=("openai-agents",),
)
