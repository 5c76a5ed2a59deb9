"""Logs of Inspect: the JSON form, or an `.eval` file, which is a zip of the same parts. Each sample is a run.

Names are bare. A failed call has `error` in the message of the tool.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, REFUSED, ImportedRun, RunBuilder, TraceTool
from .shape import Shape
from .trace_format import TraceFormat

_REFUSALS = ("approval", "permission")


class _Error(msgspec.Struct, gc=False):
    type: str | None = None
    message: str | None = None


class _Call(msgspec.Struct, gc=False):
    function: str
    id: str | None = None
    arguments: msgspec.Raw | UnsetType = UNSET
    parse_error: str | None = None


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: str | list[_Part] | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    error: _Error | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Output(msgspec.Struct, gc=False):
    completion: str | None = None
    model: str | None = None


class _Tool(msgspec.Struct, gc=False):
    name: str
    description: str | None = None
    parameters: msgspec.Raw | UnsetType = UNSET


class _Event(msgspec.Struct, gc=False):
    event: str = ""
    tools: list[_Tool] | None = None


class _Sample(msgspec.Struct, gc=False):
    input: str | list[_Message] | None = None
    messages: list[_Message] | None = None
    output: _Output | None = None
    model_usage: dict[str, _Usage] | None = None
    events: msgspec.Raw | UnsetType = UNSET


class _Log(msgspec.Struct, gc=False):
    """A whole log, or one sample of an `.eval` file."""

    samples: list[_Sample] | None = None
    stats: "_Stats | None" = None
    input: str | list[_Message] | None = None
    messages: list[_Message] | None = None
    output: _Output | None = None
    model_usage: dict[str, _Usage] | None = None
    events: msgspec.Raw | UnsetType = UNSET


class _Stats(msgspec.Struct, gc=False):
    model_usage: dict[str, _Usage] | None = None


_LOG = msgspec.json.Decoder(_Log)
_EVENTS = msgspec.json.Decoder(list[_Event])


def _text_of(content: str | list[_Part] | None) -> str | None:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content if part.type == "text") or None
    return content or None


def _status_of(error: _Error | None) -> str:
    if error is None:
        return OK
    if error.type in _REFUSALS:
        return REFUSED
    # There is no type for a tool that does not exist; the message is `Tool NAME not found`.
    return UNKNOWN_TOOL if (error.message or "").startswith("Tool ") and "not found" in (error.message or "") else ERROR


def _read_message(run: RunBuilder, message: _Message) -> None:
    if message.role == "user":
        run.prompt = run.prompt or _text_of(message.content)
    elif message.role == "tool":
        run.set_status(message.tool_call_id, _status_of(message.error))
    elif message.role == "assistant":
        turn = run.turns = (run.turns or 0) + 1
        for call in message.tool_calls or ():
            run.add_call(call.function, call.arguments, id=call.id, turn=turn)
        run.final_response = _text_of(message.content) or run.final_response


def _read_sample(sample: _Sample, usage: dict[str, _Usage] | None, line: int) -> ImportedRun:
    run = RunBuilder(line)
    if isinstance(sample.input, str):
        run.prompt = sample.input
    for message in sample.messages or ():
        _read_message(run, message)
    if sample.output is not None:
        run.final_response = sample.output.completion or run.final_response
        run.model = sample.output.model
    for counted in (sample.model_usage or usage or {}).values():
        run.add_usage(counted.input_tokens, counted.output_tokens)
    for tool in _offered(sample.events):
        run.offer(TraceTool(tool.name, None, tool.description, tool.parameters))
    return run.build()


def _offered(events: msgspec.Raw | UnsetType) -> list[_Tool]:
    """Return the tools of the first request to the model. Events of another shape say nothing here."""
    if isinstance(events, UnsetType):
        return []
    try:
        offers = [event.tools for event in _EVENTS.decode(events) if event.event == "model" and event.tools]
    except msgspec.DecodeError:
        return []
    return offers[0] if offers else []


def _read(events: EventStream) -> Iterator[ImportedRun]:
    for record in events:
        log = decode_record(_LOG, record)
        if log.samples is None:
            one = _Sample(log.input, log.messages, log.output, log.model_usage, log.events)
            yield _read_sample(one, None, record.line)
            continue
        # A log sums up the usage of all samples; it is that of the sample only if there is one.
        usage = log.stats.model_usage if log.stats and len(log.samples) == 1 else None
        for sample in log.samples:
            yield _read_sample(sample, usage, record.line)


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        (shape.has("eval", "samples") and shape.part("eval").has("task"))
        or (shape.has("epoch", "input", "messages", "output", "target"))
        for shape in sample
    )


INSPECT_LOG = TraceFormat(
    name="inspect",
    label="Inspect log",
    claims=_claims,
    read=_read,
    keys=frozenset(("version", "eval", "plan", "results", "samples", "stats")),
)
