"""Qwen Code: the session files it keeps. Lines with `message.parts`; `toolCallResult` says what became of a call."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, REFUSED, ImportedRun, RunBuilder
from .qwen import add_unwrapped
from .shape import Shape
from .trace_format import TraceFormat

_STATUS = {"success": OK, "error": ERROR, "cancelled": REFUSED}
_STATUS_OF_ERROR = {"tool_not_registered": UNKNOWN_TOOL, "execution_denied": REFUSED}


class _FunctionCall(msgspec.Struct, gc=False):
    name: str
    id: str | None = None
    args: msgspec.Raw | UnsetType = UNSET


class _Part(msgspec.Struct, gc=False):
    text: str | None = None
    thought: bool | None = None
    function_call: _FunctionCall | None = msgspec.field(default=None, name="functionCall")


class _Message(msgspec.Struct, gc=False):
    parts: list[_Part] = []


class _Usage(msgspec.Struct, gc=False, rename="camel"):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None


class _Result(msgspec.Struct, gc=False, rename="camel"):
    call_id: str | None = None
    status: str | None = None
    error_type: str | None = None


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    uuid: str | None = None
    model: str | None = None
    message: _Message | None = None
    usage: _Usage | None = msgspec.field(default=None, name="usageMetadata")
    result: _Result | None = msgspec.field(default=None, name="toolCallResult")


_LINE = msgspec.json.Decoder(_Line)


def _join_text(message: _Message) -> str | None:
    # Thoughts are parts of a message, too, and no answer.
    texts = [part.text for part in message.parts if part.text and not part.thought]
    return "".join(texts) if texts else None


def _status_of(result: _Result) -> str | None:
    return _STATUS_OF_ERROR.get(result.error_type or "", _STATUS.get(result.status or ""))


def _read_answer(run: RunBuilder, line: _Line, turn: int) -> None:
    message = line.message or _Message()
    for part in message.parts:
        if part.function_call is not None:
            call = part.function_call
            add_unwrapped(run, call.name, call.args, call.id, turn)
    run.final_response = _join_text(message) or run.final_response
    run.model = run.model or line.model
    if line.usage is not None:
        out = line.usage.candidates_token_count
        thoughts = line.usage.thoughts_token_count or 0
        run.add_usage(line.usage.prompt_token_count, None if out is None else out + thoughts)


def _read(events: EventStream) -> Iterator[ImportedRun]:
    run, seen = RunBuilder(1), set[str]()
    for record in events:
        line = decode_record(_LINE, record)
        # A line that stands in the file twice counts once, and so do its tokens.
        if line.uuid is not None and line.uuid in seen:
            continue
        seen.add(line.uuid or "")
        if line.type == "assistant":
            run.turns = (run.turns or 0) + 1
            _read_answer(run, line, run.turns)
        elif line.type == "tool_result" and line.result is not None:
            run.set_status(line.result.call_id, _status_of(line.result))
        elif line.type == "user":
            run.prompt = run.prompt or _join_text(line.message or _Message())
        elif line.type not in ("system", "tool_result"):
            events.skip(record, line.type)
    yield run.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        shape.text("type") in ("user", "assistant", "tool_result") and shape.part("message").has("role", "parts")
        for shape in sample
    )


QWEN_SESSION = TraceFormat(
    name="qwen",
    label="Qwen Code (session)",
    claims=_claims,
    read=_read,
    keys=frozenset(("type", "message", "uuid", "parentUuid", "provenance", "usageMetadata")),
)
