"""All messages of a run of pydantic-ai, as JSON. A call that failed is answered with the outcome `retried`, or in
older versions with a part `retry-prompt`."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, REFUSED, ImportedRun, RunBuilder
from .raw_json import first_bytes, text_of
from .shape import Shape
from .trace_format import TraceFormat

_OUTCOME = {"success": OK, "retried": ERROR, "failed": ERROR, "denied": REFUSED}
_UNKNOWN = b'"Unknown tool name'


class _Part(msgspec.Struct, gc=False):
    part_kind: str = ""
    tool_name: str | None = None
    tool_call_id: str | None = None
    args: msgspec.Raw | UnsetType = UNSET
    content: msgspec.Raw | UnsetType = UNSET
    outcome: str | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    request_tokens: int | None = None
    response_tokens: int | None = None
    cost: Decimal | None = None


class _Message(msgspec.Struct, gc=False):
    kind: str = ""
    parts: list[_Part] = []
    usage: _Usage | None = None
    model_name: str | None = None


_MESSAGE = msgspec.json.Decoder(_Message)


def _read_response(run: RunBuilder, message: _Message) -> None:
    run.turns = (run.turns or 0) + 1
    run.model = run.model or message.model_name
    texts: list[str] = []
    for part in message.parts:
        if part.part_kind in ("tool-call", "builtin-tool-call") and part.tool_name:
            text = text_of(part.args)
            kind = "open" if part.part_kind == "tool-call" else "own"
            args = part.args if text is None else text
            run.add_call(part.tool_name, args, id=part.tool_call_id, turn=run.turns, kind=kind)
        elif part.part_kind == "text":
            texts.append(text_of(part.content) or "")
    run.final_response = "".join(texts) or run.final_response
    if message.usage is not None:
        usage = message.usage
        # The second of each pair is the name that older versions wrote.
        run.add_usage(usage.input_tokens or usage.request_tokens, usage.output_tokens or usage.response_tokens)
        if usage.cost is not None:
            run.cost = (run.cost or Decimal(0)) + usage.cost


def _read_request(run: RunBuilder, message: _Message) -> None:
    for part in message.parts:
        if part.part_kind == "user-prompt":
            run.prompt = run.prompt or text_of(part.content)
        elif part.part_kind == "tool-return":
            # Older versions write no outcome: their failures are parts of the kind `retry-prompt`.
            run.set_status(part.tool_call_id, _OUTCOME.get(part.outcome or "success"))
        elif part.part_kind == "retry-prompt":
            unknown = first_bytes(part.content, len(_UNKNOWN)) == _UNKNOWN
            run.set_status(part.tool_call_id, UNKNOWN_TOOL if unknown else ERROR)


def _read(events: EventStream) -> Iterator[ImportedRun]:
    run: RunBuilder | None = None
    group = 0
    for record in events:
        message = decode_record(_MESSAGE, record)
        if run is None or record.group != group:
            if run is not None:
                yield run.build()
            run, group = RunBuilder(record.line), record.group
        if message.kind == "response":
            _read_response(run, message)
        elif message.kind == "request":
            _read_request(run, message)
        else:
            events.skip(record, message.kind)
    if run is not None:
        yield run.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        shape.text("kind") in ("request", "response") and any(part.has("part_kind") for part in shape.parts("parts"))
        for shape in sample
    )


PYDANTIC_AI = TraceFormat(
    name="pydantic-ai",
    label="pydantic-ai messages",
    claims=_claims,
    read=_read,
    keys=frozenset(("parts", "kind", "part_kind", "usage", "model_name", "run_id")),
)
