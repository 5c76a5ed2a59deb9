"""Codex: the session files it keeps, `$CODEX_HOME/sessions/…/rollout-*.jsonl`.

A call stands there three times: as the model asked for it (`function_call`), as it was carried out (`McpToolCall`, with
a status) and as the model was answered (`function_call_output`). One `token_usage_record` follows each request.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, REFUSED, CallKind, ImportedRun, RunBuilder
from .raw_json import first_bytes, text_of
from .records import Record
from .shape import Shape
from .trace_format import TraceFormat

_NAMESPACE = "mcp__"
_STATUS = {"completed": OK, "failed": ERROR, "declined": REFUSED}
# How the answer to a call of a tool that does not exist begins; the quotation mark is that of the JSON string.
_UNSUPPORTED = b'"unsupported call'
_OWN_CALLS = {
    "local_shell_call": "shell", "custom_tool_call": "custom_tool_call", "web_search_call": "web_search",
    "tool_search_call": "tool_search",
}  # fmt: skip
_QUIET = frozenset(("session_meta", "turn_context", "world_state", "compacted", "inter_agent_communication"))


class _Text(msgspec.Struct, gc=False):
    text: str | None = None


class _Item(msgspec.Struct, gc=False):
    type: str = ""
    id: str | None = None
    server: str | None = None
    tool: str | None = None
    arguments: msgspec.Raw | UnsetType = UNSET
    status: str | None = None
    content: list[_Text] = []


class _Tokens(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _TokenInfo(msgspec.Struct, gc=False):
    total_token_usage: _Tokens | None = None


class _Payload(msgspec.Struct, gc=False):
    type: str = ""
    role: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: msgspec.Raw | UnsetType = UNSET
    call_id: str | None = None
    output: msgspec.Raw | UnsetType = UNSET
    item: _Item | None = None
    usage: _Tokens | None = None
    response_id: str | None = None
    info: _TokenInfo | None = None
    message: str | None = None
    last_agent_message: str | None = None


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    payload: _Payload | None = None


_LINE = msgspec.json.Decoder(_Line)


class _Reader:
    def __init__(self) -> None:
        self.run = RunBuilder(1)
        self._responses: set[str] = set()
        self._total: _Tokens | None = None

    def read(self, line: _Line, record: Record, events: EventStream) -> None:
        payload = line.payload or _Payload()
        if line.type == "response_item":
            self._read_response_item(payload)
        elif line.type == "event_msg":
            self._read_event(payload)
        elif line.type == "token_usage_record" and payload.usage is not None:
            self._read_usage(payload.response_id, payload.usage)
        elif line.type not in _QUIET:
            events.skip(record, line.type)

    def _read_response_item(self, payload: _Payload) -> None:
        if payload.type == "function_call" and payload.name:
            self._read_call(payload, payload.name)
        elif payload.type == "function_call_output":
            if first_bytes(payload.output, len(_UNSUPPORTED)) == _UNSUPPORTED:
                self.run.set_status(payload.call_id, UNKNOWN_TOOL)
        elif payload.type in _OWN_CALLS:
            own = payload.name or _OWN_CALLS[payload.type]
            self.run.add_call(own, id=payload.call_id, turn=self._turn, kind="own")

    @property
    def _turn(self) -> int | None:
        """The request that is being answered: its own record of tokens follows it."""
        return len(self._responses) + 1

    def _read_call(self, payload: _Payload, name: str) -> None:
        space = payload.namespace or ""
        server = space.removeprefix(_NAMESPACE).rstrip("_") if space.startswith(_NAMESPACE) else None
        kind: CallKind = "mcp" if server or name.startswith(_NAMESPACE) else "prefixed" if not space else "own"
        # In what the model asked for, arguments are JSON in a string; in `McpToolCall` they are JSON.
        text = text_of(payload.arguments)
        self.run.add_call(
            name, UNSET if text is None else text, id=payload.call_id, server=server, turn=self._turn, kind=kind
        )

    def _read_event(self, payload: _Payload) -> None:
        item = payload.item
        if item is not None and payload.type == "item_completed":
            self._read_item(item)
        elif payload.type == "user_message":
            self.run.prompt = self.run.prompt or payload.message
        elif payload.type == "agent_message":
            self.run.final_response = payload.message or self.run.final_response
        elif payload.type == "task_complete":
            self.run.final_response = payload.last_agent_message or self.run.final_response
        elif payload.type == "token_count" and payload.info is not None:
            self._total = payload.info.total_token_usage or self._total

    def _read_item(self, item: _Item) -> None:
        text = "".join(part.text or "" for part in item.content) or None
        if item.type == "McpToolCall" and item.tool:
            # Nothing happens if the model's own request for it was read: the same id counts once.
            self.run.add_call(item.tool, item.arguments, id=item.id, server=item.server, kind="mcp")
            self.run.set_status(item.id, _STATUS.get(item.status or ""))
        elif item.type == "UserMessage":
            self.run.prompt = self.run.prompt or text
        elif item.type == "AgentMessage":
            self.run.final_response = text or self.run.final_response

    def _read_usage(self, response: str | None, usage: _Tokens) -> None:
        key = response or f"#{len(self._responses)}"
        if key not in self._responses:
            self._responses.add(key)
            self.run.add_usage(usage.input_tokens, usage.output_tokens)

    def build(self) -> ImportedRun:
        if self._responses:
            self.run.turns = len(self._responses)
        elif self._total is not None:  # before there was a record for each request
            self.run.set_usage(self._total.input_tokens, self._total.output_tokens)
        return self.run.build()


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader = _Reader()
    for record in events:
        reader.read(decode_record(_LINE, record), record, events)
    yield reader.build()


def _claims(sample: Sequence[Shape]) -> bool:
    kinds = ("session_meta", "response_item", "event_msg", "turn_context", "token_usage_record")
    return any(shape.text("type") in kinds and shape.has("payload") for shape in sample)


CODEX_ROLLOUT = TraceFormat(
    name="codex",
    label="Codex (session)",
    claims=_claims,
    read=_read,
    keys=frozenset(("timestamp", "type", "payload", "ordinal")),
)
