"""Results of mcpchecker: each task is a run. Its proxy saw the calls, so servers and tools are exact.

The calls of several servers stand one server after another and are sorted by their time.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, ImportedRun, RunBuilder
from .shape import Shape
from .trace_format import TraceFormat


class _Params(msgspec.Struct, gc=False):
    arguments: msgspec.Raw | UnsetType = UNSET


class _Request(msgspec.Struct, gc=False):
    params: _Params | None = msgspec.field(default=None, name="Params")


class _Outcome(msgspec.Struct, gc=False, rename="camel"):
    is_error: bool = False


class _Call(msgspec.Struct, gc=False, rename="camel"):
    name: str
    server_name: str | None = None
    timestamp: str = ""
    success: bool = True
    request: _Request | None = None
    result: _Outcome | None = None


class _History(msgspec.Struct, gc=False):
    tool_calls: list[_Call] | None = msgspec.field(default=None, name="ToolCalls")


class _Task(msgspec.Struct, gc=False, rename="camel"):
    task_name: str | None = None
    task_output: str | None = None
    call_history: _History | None = None


class _File(_Task, gc=False):
    """One task, or the file that wraps a list of them."""

    results: list[_Task] | None = None


_FILE = msgspec.json.Decoder(_File)


def _read_task(task: _Task, line: int) -> ImportedRun:
    run = RunBuilder(line)
    calls = (task.call_history.tool_calls or []) if task.call_history else []
    for call in sorted(calls, key=lambda call: call.timestamp):
        params = call.request.params if call.request else None
        failed = not call.success or (call.result is not None and call.result.is_error)
        run.add_call(
            call.name, params.arguments if params else UNSET,
            server=call.server_name, status=ERROR if failed else OK, kind="mcp",
        )  # fmt: skip
    run.test = task.task_name
    run.final_response = task.task_output or None
    return run.build()


def _read(events: EventStream) -> Iterator[ImportedRun]:
    for record in events:
        data = decode_record(_FILE, record)
        if data.results is None and data.task_name is None:
            events.skip(record, None)
            continue
        for task in [data] if data.results is None else data.results:
            yield _read_task(task, record.line)


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        shape.has("taskName", "callHistory")
        or any(part.has("taskName", "callHistory") for part in shape.parts("results"))
        for shape in sample
    )


MCPCHECKER = TraceFormat(
    name="mcpchecker",
    label="mcpchecker results",
    claims=_claims,
    read=_read,
    keys=frozenset(("summary", "results", "taskName", "callHistory", "taskPassed", "allAssertionsPassed")),
)
