"""Qwen Code: what `qwen -p … --output-format stream-json` prints, in the manner of Claude Code.

With its tool search an MCP call is wrapped: `tool_call {name, arguments}`. The search itself is a tool of the program.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from .anthropic_content import ContentBlock
from .claude_code import StreamReader, is_message_line, read_lines
from .event_stream import EventStream
from .imported_run import CallKind, ImportedRun, RunBuilder
from .shape import Shape
from .trace_format import TraceFormat

WRAPPER = "tool_call"
_MCP_PREFIX = "mcp__"


class _Wrapped(msgspec.Struct, gc=False):
    name: str
    arguments: msgspec.Raw | UnsetType = UNSET


_WRAPPED = msgspec.json.Decoder(_Wrapped)


def add_unwrapped(run: RunBuilder, name: str, args: msgspec.Raw | UnsetType, id: str | None, turn: int) -> None:  # noqa: A002
    """Add a call; one that is wrapped by the tool search is added as the call that it carries."""
    if name == WRAPPER and not isinstance(args, UnsetType):
        try:
            inner = _WRAPPED.decode(args)
            name, args = inner.name, inner.arguments
        except msgspec.DecodeError:
            pass  # a call of the wrapper that names no tool stays a call of the program's own tool
    kind: CallKind = "mcp" if name.startswith(_MCP_PREFIX) else "own"
    run.add_call(name, args, id=id, turn=turn, kind=kind)


class _QwenReader(StreamReader):
    def add_call(self, block: ContentBlock, turn: int) -> None:
        add_unwrapped(self.run, block.name or "", block.input, block.id, turn)


def _claims(sample: Sequence[Shape]) -> bool:
    if any(shape.has("claude_code_version") or shape.has("isSidechain") for shape in sample):
        return False
    return any(
        shape.has("qwen_code_version") or (is_message_line(shape) and shape.has("session_id")) for shape in sample
    )


def _read(events: EventStream) -> Iterator[ImportedRun]:
    return read_lines(events, _QwenReader)


QWEN = TraceFormat(
    name="qwen",
    label="Qwen Code (stream-json)",
    claims=_claims,
    read=_read,
    keys=frozenset(("type", "message", "session_id", "uuid")),
)
