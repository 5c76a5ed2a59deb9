"""Our own format: a run is `{"tool_calls": [{"name": …, "server": …}]}`. Its names are taken as they are written."""

from collections.abc import Iterator, Sequence

import msgspec

from ...gates.trace import Trace, Usage
from .event_stream import EventStream, decode_record
from .imported_run import ImportedRun, RunBuilder
from .shape import Shape
from .trace_format import TraceFormat

_KEYS = frozenset(("tool_calls", "final_response", "turns", "usage", "cost", "test", "model"))


class _Run(Trace, frozen=True, gc=False):
    test: str | None = None
    model: str | None = None


_RUN = msgspec.json.Decoder(_Run)


def _read(events: EventStream) -> Iterator[ImportedRun]:
    for record in events:
        own = decode_record(_RUN, record)
        run = RunBuilder(record.line)
        for call in own.tool_calls:
            run.add_call(call.name, call.args, server=call.server, status=call.status, turn=call.turn, kind="written")
        usage = own.usage or Usage()
        run.set_usage(usage.input_tokens, usage.output_tokens)
        run.final_response, run.turns, run.cost = own.final_response, own.turns, own.cost
        run.test, run.model = own.test, own.model
        yield run.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        # A chat message has `tool_calls`, too, but with a role or a type, and a `function` in each.
        shape.has("tool_calls")
        and not shape.has("role")
        and not shape.has("type")
        and not any(call.has("function") for call in shape.parts("tool_calls"))
        for shape in sample
    )


OWN_FORMAT = TraceFormat(name="toolgrade", label="toolgrade", claims=_claims, read=_read, keys=_KEYS)
