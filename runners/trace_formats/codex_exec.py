"""Codex: what `codex exec --json` prints. Server and tool are exact; a call of an unknown tool leaves no line."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, REFUSED, ImportedRun, RunBuilder
from .shape import Shape
from .trace_format import TraceFormat

_STATUS = {"completed": OK, "failed": ERROR, "declined": REFUSED}
_OWN_TOOLS = {"command_execution": "shell", "file_change": "apply_patch", "web_search": "web_search"}
# An item of the type `error` is a warning of the program, and no failure of the run.
_QUIET_ITEMS = frozenset(("reasoning", "todo_list", "error", "agent_message", "plan"))
_QUIET = frozenset(("thread.started", "turn.started", "turn.failed", "error"))
# A call that was not allowed has the status `failed`, too: only these words tell.
_REJECTED = "user rejected MCP tool call"


class _Error(msgspec.Struct, gc=False):
    message: str | None = None


class _Item(msgspec.Struct, gc=False):
    type: str = ""
    id: str | None = None
    server: str | None = None
    tool: str | None = None
    arguments: msgspec.Raw | UnsetType = UNSET
    status: str | None = None
    error: _Error | None = None
    text: str | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Event(msgspec.Struct, gc=False):
    type: str = ""
    item: _Item | None = None
    thread_id: str | None = None
    usage: _Usage | None = None


_EVENT = msgspec.json.Decoder(_Event)


def _status_of(item: _Item) -> str | None:
    if item.error is not None and _REJECTED in (item.error.message or ""):
        return REFUSED
    return _STATUS.get(item.status or "")


def _read_item(run: RunBuilder, item: _Item) -> bool:
    """Take one item, which is repeated as it goes on; return whether its type is known."""
    if item.type == "mcp_tool_call" and item.tool:
        run.add_call(item.tool, item.arguments, id=item.id, server=item.server, kind="mcp")
        run.set_status(item.id, _status_of(item))
    elif item.type in _OWN_TOOLS:
        run.add_call(_OWN_TOOLS[item.type], id=item.id, kind="own")
    elif item.type == "agent_message":
        run.final_response = item.text or run.final_response
    return item.type in _QUIET_ITEMS or item.type in _OWN_TOOLS or item.type == "mcp_tool_call"


def _read(events: EventStream) -> Iterator[ImportedRun]:
    run, ended, thread = RunBuilder(1), False, None
    for record in events:
        event = decode_record(_EVENT, record)
        if event.type == "thread.started":
            if thread not in (None, event.thread_id):
                yield _finish(run, ended)
                run, ended = RunBuilder(record.line), False
            thread = event.thread_id
        if event.item is not None and event.type.startswith("item."):
            if not _read_item(run, event.item):
                events.skip(record, event.item.type)
        elif event.type == "turn.completed":
            ended = True
            if event.usage is not None:
                run.add_usage(event.usage.input_tokens, event.usage.output_tokens)
        elif event.type in _QUIET:
            ended |= event.type == "turn.failed"
        else:
            events.skip(record, event.type)
    yield _finish(run, ended)


def _finish(run: RunBuilder, ended: bool) -> ImportedRun:
    if not ended:
        run.warnings.append("it ends without its `turn.completed` line: it may be cut")
    return run.build()


def _claims(sample: Sequence[Shape]) -> bool:
    return any(
        (shape.text("type") == "thread.started" and shape.has("thread_id"))
        or (shape.text("type") in ("item.started", "item.updated", "item.completed") and shape.part("item").has("type"))
        for shape in sample
    )


CODEX_EXEC = TraceFormat(
    name="codex",
    label="Codex (exec --json)",
    claims=_claims,
    read=_read,
    keys=frozenset(("type", "item", "thread_id", "usage")),
)
