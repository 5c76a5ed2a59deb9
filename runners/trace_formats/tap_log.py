"""The log of our taps: what went through to and from each server, one message a line.

    {"tap": "docs", "pid": 4711, "seq": 12, "dir": "client", "message": {"jsonrpc": "2.0", …}}

- `tap`: the name of the server in the suite. Several taps may write into one file.
- `pid`: the process of the tap; two that tap one server are told apart by it.
- `seq`: counts the lines of one process from 1. Within a process it is the order on the wire; a gap is a lost line.
- `dir`: who sent the message, `client` (the agent) or `server`.
- `message`: one JSON-RPC message as it went by, with secrets taken out.

The order of the lines is the order of the calls. There is no final text, and no turn: the taps do not see the model.
A call without an answer has no status. The pages of `tools/list` are put together; a new listing replaces the old one.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, ImportedRun, RunBuilder, TraceTool
from .shape import Shape
from .trace_format import TraceFormat

# The protocol has no code for an unknown tool: it is a bad parameter, with these words.
_INVALID_PARAMS = -32602
_UNKNOWN = "unknown tool"


class _Tool(msgspec.Struct, gc=False, rename="camel"):
    name: str
    description: str | None = None
    input_schema: msgspec.Raw | UnsetType = UNSET


class _Params(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: msgspec.Raw | UnsetType = UNSET
    cursor: str | None = None


class _Result(msgspec.Struct, gc=False, rename="camel"):
    is_error: bool = False
    tools: list[_Tool] | None = None


class _Error(msgspec.Struct, gc=False):
    code: int | None = None
    message: str | None = None


class _Request(msgspec.Struct, gc=False):
    params: _Params | None = None


class _Answer(msgspec.Struct, gc=False):
    result: _Result | None = None
    error: _Error | None = None


class _Head(msgspec.Struct, gc=False):
    method: str | None = None
    id: str | int | None = None


class TapLine(msgspec.Struct, gc=False):
    """One line of the log."""

    tap: str
    pid: int
    seq: int
    dir: Literal["client", "server"]
    message: msgspec.Raw


_LINE = msgspec.json.Decoder(TapLine)
_HEAD = msgspec.json.Decoder(_Head)
_REQUEST = msgspec.json.Decoder(_Request)
_ANSWER = msgspec.json.Decoder(_Answer)
_Asked = tuple[str, int, str | int]


class _Reader:
    def __init__(self) -> None:
        self.run = RunBuilder(1)
        self._calls: dict[_Asked, str] = {}
        self._lists: dict[_Asked, bool] = {}
        self._listed: dict[str, list[_Tool]] = {}
        self._last: dict[int, int] = {}
        self._number = 0

    def read(self, line: TapLine) -> None:
        """Take one message."""
        self._check_order(line)
        head = _HEAD.decode(line.message)
        if head.id is None:
            return
        # Ids begin anew in each process, and langchain and Inspect start one for every call.
        asked = (line.tap, line.pid, head.id)
        if line.dir == "client" and head.method == "tools/call":
            self._read_call(asked, _REQUEST.decode(line.message).params or _Params())
        elif line.dir == "client" and head.method == "tools/list":
            params = _REQUEST.decode(line.message).params
            self._lists[asked] = bool(params and params.cursor)
        elif line.dir == "server" and head.method is None and (asked in self._calls or asked in self._lists):
            self._read_answer(asked, _ANSWER.decode(line.message))

    def _check_order(self, line: TapLine) -> None:
        lost = line.seq - self._last.get(line.pid, 0) - 1
        if lost > 0:
            self.run.warnings.append(f"the tap of `{line.tap}` lost {lost} lines before its line {line.seq}")
        self._last[line.pid] = max(line.seq, self._last.get(line.pid, 0))

    def _read_call(self, asked: _Asked, params: _Params) -> None:
        self._number += 1
        id = self._calls[asked] = str(self._number)  # noqa: A001
        self.run.add_call(params.name or "", params.arguments, id=id, server=asked[0], kind="mcp")

    def _read_answer(self, asked: _Asked, answer: _Answer) -> None:
        if asked in self._calls:
            self.run.set_status(self._calls.pop(asked), _status_of(answer))
        elif answer.result is not None and answer.result.tools is not None:
            goes_on = self._lists.pop(asked)
            for tool in answer.result.tools:
                tool.input_schema = UNSET if isinstance(tool.input_schema, UnsetType) else tool.input_schema.copy()
            self._listed[asked[0]] = (self._listed.get(asked[0], []) if goes_on else []) + answer.result.tools

    def build(self) -> ImportedRun:
        for server, tools in self._listed.items():
            for tool in tools:
                self.run.offer(TraceTool(tool.name, server, tool.description, tool.input_schema))
        return self.run.build()


def _status_of(answer: _Answer) -> str:
    if answer.error is not None:
        unknown = answer.error.code == _INVALID_PARAMS and _UNKNOWN in (answer.error.message or "").lower()
        return UNKNOWN_TOOL if unknown else ERROR
    return ERROR if answer.result is not None and answer.result.is_error else OK


def _read(events: EventStream) -> Iterator[ImportedRun]:
    reader = _Reader()
    for record in events:
        line = decode_record(_LINE, record)
        try:
            reader.read(line)
        except msgspec.DecodeError:
            events.skip(record, "no JSON-RPC message")
    yield reader.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(shape.has("tap", "pid", "seq", "dir", "message") for shape in sample)


TAP_LOG = TraceFormat(
    name="tap",
    label="tap log",
    claims=_claims,
    read=_read,
    keys=frozenset(("tap", "pid", "seq", "dir", "message")),
)
