"""Both directions of the Agent Client Protocol, one message a line: `{"from": "client" or "agent", "message": {…}}`.

Agents name a tool in different places: `rawInput {server, tool, arguments}`, `_meta` with a server, a title
`TOOL (SERVER MCP Server)`, or a flat name as title. Arguments may come in an update or in the request for permission.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, REFUSED, CallKind, ImportedRun, RunBuilder
from .shape import Shape
from .trace_format import TraceFormat

_SHOWN_NAME = re.compile(r"(.+) \((.+) MCP Server\)")
_FLAT_NAME = re.compile(r"[\w.-]+")
_STATUS = {"completed": OK, "failed": ERROR}
# Updates that are known and tell nothing of calls or the answer: they are not counted as unknown.
_QUIET = frozenset(
    [
        "user_message_chunk",
        "agent_thought_chunk",
        "plan",
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "usage_update",
        "session_info_update",
    ]
)


class _McpInput(msgspec.Struct, gc=False):
    server: str
    tool: str
    arguments: msgspec.Raw | UnsetType = UNSET


class _ClaudeMeta(msgspec.Struct, gc=False, rename="camel"):
    tool_name: str | None = None
    parent_tool_use_id: str | None = None


class _Meta(msgspec.Struct, gc=False, rename="camel"):
    tool_name: str | None = None
    server_id: str | None = None
    claude_code: _ClaudeMeta | None = None
    quota: "_Quota | None" = None


class _Counted(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    # Programs write the counts in either spelling.
    input_tokens_: int | None = msgspec.field(default=None, name="inputTokens")
    output_tokens_: int | None = msgspec.field(default=None, name="outputTokens")


class _Quota(msgspec.Struct, gc=False):
    token_count: _Counted | None = None


class _Content(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None
    content: "_Content | None" = None


class _Update(msgspec.Struct, gc=False, rename="camel"):
    kind_of_update: str = msgspec.field(default="", name="sessionUpdate")
    tool_call_id: str | None = None
    message_id: str | None = None
    name: str | None = None
    title: str | None = None
    status: str | None = None
    raw_input: msgspec.Raw | UnsetType = UNSET
    content: msgspec.Raw | UnsetType = UNSET
    meta: _Meta | None = msgspec.field(default=None, name="_meta")


class _Option(msgspec.Struct, gc=False, rename="camel"):
    option_id: str = ""
    kind: str = ""


class _Params(msgspec.Struct, gc=False, rename="camel"):
    session_id: str | None = None
    update: _Update | None = None
    tool_call: _Update | None = None
    options: list[_Option] = []
    prompt: list[_Content] = []


class _Outcome(msgspec.Struct, gc=False, rename="camel"):
    outcome: str | None = None
    option_id: str | None = None


class _Result(msgspec.Struct, gc=False, rename="camel"):
    outcome: _Outcome | None = None
    stop_reason: str | None = None
    meta: _Meta | None = msgspec.field(default=None, name="_meta")


class _Message(msgspec.Struct, gc=False):
    method: str | None = None
    id: str | int | None = None
    params: _Params | None = None
    result: _Result | None = None


class _Line(msgspec.Struct, gc=False):
    sender: Literal["client", "agent"] = msgspec.field(name="from")
    message: msgspec.Raw


class _Head(msgspec.Struct, gc=False):
    method: str | None = None


_LINE = msgspec.json.Decoder(_Line)
_HEAD = msgspec.json.Decoder(_Head)
_MESSAGE = msgspec.json.Decoder(_Message)
_INPUT = msgspec.json.Decoder(_McpInput)
_CHUNK = msgspec.json.Decoder(_Content)
_CONTENTS = msgspec.json.Decoder(list[_Content])
# Other requests may have parameters of any shape: only these are decoded.
_METHODS = frozenset(("session/update", "session/request_permission", "session/prompt"))


class _Reader:
    def __init__(self) -> None:
        self.run = RunBuilder(1)
        self._asked: dict[str | int, tuple[str, frozenset[str]]] = {}
        self._chunk_of: str | None = None
        self._text: list[str] = []
        self._ended = False

    def read_request(self, message: _Message) -> str | None:
        """Take a request or a notification; return the kind of an update that is not known."""
        params = message.params or _Params()
        if message.method == "session/prompt":
            self.run.prompt = self.run.prompt or "".join(part.text or "" for part in params.prompt) or None
        elif params.tool_call is not None and message.method == "session/request_permission":
            self._read_permission(message.id, params, params.tool_call)
        elif params.update is not None:
            return self._read_update(params.update)
        return None

    def read_answer(self, sender: str, message: _Message) -> None:
        """Take the answer to a request."""
        result = message.result or _Result()
        if sender == "client" and message.id in self._asked:
            self._read_decision(self._asked.pop(message.id), result.outcome)
        elif result.stop_reason is not None:
            self._ended = True
            quota = result.meta.quota if result.meta else None
            # `usage` beside it is the last request alone for some agents: only the quota is the whole turn for all.
            if quota is not None and quota.token_count is not None:
                count = quota.token_count
                self.run.set_usage(
                    count.input_tokens or count.input_tokens_, count.output_tokens or count.output_tokens_
                )

    def _read_update(self, update: _Update) -> str | None:
        kind = update.kind_of_update
        if kind in ("tool_call", "tool_call_update") and update.tool_call_id:
            self._read_call(update, update.tool_call_id)
        elif kind == "agent_message_chunk" and not isinstance(update.content, UnsetType):
            self._read_chunk(update)
        elif kind not in _QUIET:
            return kind
        return None

    def _read_chunk(self, update: _Update) -> None:
        try:
            text = _CHUNK.decode(update.content if not isinstance(update.content, UnsetType) else b"{}").text
        except msgspec.DecodeError:
            text = None
        if text:
            # Another id is another message. The last one is the answer: codex adapters put a warning before it.
            if update.message_id != self._chunk_of:
                self._text.clear()
            self._chunk_of = update.message_id
            self._text.append(text)

    def _read_call(self, update: _Update, id: str) -> None:  # noqa: A002
        claude = update.meta.claude_code if update.meta else None
        if claude is not None and claude.parent_tool_use_id is not None:
            self.run.sub_agent_calls += update.kind_of_update == "tool_call"
            return
        name, server, kind = _name_of(update)
        args = update.raw_input
        exact = _decode_input(args)
        if exact is not None:
            name, server, kind, args = exact.tool, exact.server, "mcp", exact.arguments
        if not isinstance(args, UnsetType) and bytes(args) in (b"{}", b'""') and self.run.knows(id):
            args = UNSET  # an update without arguments takes none away
        if not self.run.knows(id):
            self._text.clear()
            self.run.add_call(name or id, args, id=id, server=server, kind=kind)
        else:
            self.run.set_call(id, name if server or kind == "mcp" else None, server, args, kind if server else None)
        self.run.set_status(id, _STATUS.get(update.status or ""))

    def _read_permission(self, asked: str | int | None, params: _Params, call: _Update) -> None:
        id = call.tool_call_id or ""  # noqa: A001
        known = self.run.knows(id)
        exact = _decode_input(call.raw_input)
        args = exact.arguments if exact else call.raw_input
        if isinstance(args, UnsetType) and not isinstance(call.content, UnsetType):
            args = _args_in_text(call.content)
        if known:
            self.run.set_call(id, args=args if _is_filled(args, call) else UNSET)
        else:
            name, server, kind = (exact.tool, exact.server, "mcp") if exact else _name_of(call)
            self._text.clear()
            self.run.add_call(name or id, args, id=id, server=server, kind=kind)
        if asked is not None:
            # By kind: ids and texts of the options are each program's own.
            self._asked[asked] = (id, frozenset(o.option_id for o in params.options if o.kind.startswith("reject")))

    def _read_decision(self, asked: tuple[str, frozenset[str]], outcome: _Outcome | None) -> None:
        id, rejecting = asked  # noqa: A001
        if outcome is not None and (outcome.outcome == "cancelled" or outcome.option_id in rejecting):
            self.run.set_status(id, REFUSED)

    def build(self) -> ImportedRun:
        self.run.final_response = "".join(self._text) or None
        if not self._ended:
            self.run.warnings.append("it ends without the answer to `session/prompt`: it may be cut")
        return self.run.build()


def _is_filled(args: msgspec.Raw | UnsetType, call: _Update) -> bool:
    """Return whether a request for permission has the arguments themselves, and not a form of the program's own."""
    if isinstance(args, UnsetType) or bytes(args) == b"{}":
        return False
    return (
        not Shape(call.raw_input).has("server_name", "request") if not isinstance(call.raw_input, UnsetType) else True
    )


def _decode_input(raw: msgspec.Raw | UnsetType) -> _McpInput | None:
    if isinstance(raw, UnsetType):
        return None
    try:
        return _INPUT.decode(raw)
    except msgspec.DecodeError:
        return None


def _args_in_text(content: msgspec.Raw) -> msgspec.Raw | UnsetType:
    """Return arguments that stand as JSON in the text of a request for permission, if they do."""
    try:
        texts = [part.content.text for part in _CONTENTS.decode(content) if part.content and part.content.text]
        for text in texts:
            if text.startswith("{"):
                return msgspec.Raw(msgspec.json.decode(text, type=msgspec.Raw))
    except msgspec.DecodeError:
        pass
    return UNSET


def _name_of(update: _Update) -> tuple[str | None, str | None, CallKind]:
    """Return the name of a tool, its server if that is exact, and what the name says."""
    meta = update.meta or _Meta()
    claude = meta.claude_code.tool_name if meta.claude_code else None
    flat = meta.tool_name or claude or update.name
    shown = _SHOWN_NAME.fullmatch(update.title or "")
    if meta.server_id and flat:
        return flat.removeprefix(f"mcp__{meta.server_id}__"), meta.server_id, "mcp"
    if shown:
        return shown[1], shown[2], "mcp"
    if flat:
        return flat, None, "mcp" if flat.startswith("mcp__") else "own"
    title = update.title
    # A title with spaces is prose about one of the program's own tools.
    return title, None, "prefixed" if title and _FLAT_NAME.fullmatch(title) else "own"


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader = _Reader()
    for record in events:
        line = decode_record(_LINE, record)
        method = _HEAD.decode(line.message).method
        if method is not None and method not in _METHODS:
            continue
        try:
            message = _MESSAGE.decode(line.message)
        except msgspec.DecodeError:
            # An answer to another request may have any shape; what was asked for here must not.
            if method is None:
                continue
            # It fails once more, now with file and line in the error.
            decode_record(_MESSAGE, record._replace(data=line.message))
            raise
        if method is None:
            reader.read_answer(line.sender, message)
        else:
            unknown = reader.read_request(message)
            if unknown is not None:
                events.skip(record, unknown)
    yield reader.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(shape.text("from") in ("client", "agent") and shape.part("message").has("jsonrpc") for shape in sample)


ACP = TraceFormat(
    name="acp",
    label="Agent Client Protocol",
    claims=_claims,
    read=_read,
    keys=frozenset(("from", "message", "jsonrpc", "method", "params")),
)
