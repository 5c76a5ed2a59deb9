"""Claude Code: what `claude -p … --output-format stream-json --verbose` prints, and the session files it keeps.

Parallel calls are lines of their own with one message id. `usage` of an assistant line in the stream is that of its
start, so the totals come from the `result` line; a session has no such line, and the last usage of each message counts.
A call of a sub-agent has `parent_tool_use_id`, or `isSidechain` in a session. After compaction old lines are repeated.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec
from msgspec import UNSET, UnsetType

from .anthropic_content import ContentBlock, Message, MessageUsage, result_status
from .event_stream import EventStream, decode_part, decode_record
from .imported_run import REFUSED, CallKind, ImportedRun, RunBuilder, TraceTool
from .records import Record
from .shape import Shape
from .trace_format import TraceFormat

# The model of answers that the program writes itself, such as the text of an error: no request stands behind them.
_SYNTHETIC = "<synthetic>"
_MCP_PREFIX = "mcp__"
_QUIET = frozenset(
    [
        "system",
        "stream_event",
        "rate_limit_event",
        "control_request",
        "control_response",
        "tool_progress",
        "queue-operation",
        "attachment",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "last-prompt",
        "tools-used",
        "cost-state",
        "summary",
        "file-history-snapshot",
        "atis-latch",
        "progress",
        "custom-title",
        "ai-title",
        "agent-name",
        "mode",
        "permission-mode",
        "pr-link",
    ]
)
"""Lines that are known, and say nothing about calls."""


class _Decision(msgspec.Struct, gc=False):
    decision: str | None = None


class _ResultMeta(msgspec.Struct, gc=False):
    id: str | None = None
    permission_decision: _Decision | None = None


class _Denial(msgspec.Struct, gc=False):
    tool_use_id: str | None = None


class _Schema(msgspec.Struct, gc=False):
    input_schema: msgspec.Raw | UnsetType = UNSET


class _ShownTool(msgspec.Struct, gc=False):
    name: str
    description: str | None = None
    schema: _Schema | None = None
    input_schema: msgspec.Raw | UnsetType = UNSET


class _Attachment(msgspec.Struct, gc=False):
    type: str = ""
    tools: list[_ShownTool] = []
    entries: list[_ShownTool] = []


class Line(msgspec.Struct, gc=False):
    """One line of the stream or of a session; what other lines have is not looked at."""

    type: str = ""
    subtype: str | None = None
    message: msgspec.Raw | UnsetType = UNSET
    parent_tool_use_id: str | None = None
    is_sidechain: bool = msgspec.field(default=False, name="isSidechain")
    is_meta: bool = msgspec.field(default=False, name="isMeta")
    is_summary: bool = msgspec.field(default=False, name="isCompactSummary")
    session_id: str | None = None
    attachment: msgspec.Raw | UnsetType = UNSET
    permission: _Decision | None = msgspec.field(default=None, name="permissionDecision")
    tool_result_meta: list[_ResultMeta] = []
    result: str | None = None
    usage: MessageUsage | None = None
    cost: Decimal | None = msgspec.field(default=None, name="total_cost_usd")
    permission_denials: list[_Denial] = []
    is_error: bool = False


_LINE = msgspec.json.Decoder(Line)
_MESSAGE = msgspec.json.Decoder(Message)
_ATTACHMENT = msgspec.json.Decoder(_Attachment)


class StreamReader:
    """Reads lines in the manner of Claude Code into one run."""

    def __init__(self, line: int = 0) -> None:
        self.run = RunBuilder(line)
        self._turns: dict[str, int] = {}
        self._usage: dict[str, MessageUsage | None] = {}
        self._answer: tuple[str | None, str] | None = None
        self._ended = False
        self._streamed = False

    def read(self, line: Line, record: Record, events: EventStream) -> None:
        """Take one line."""
        if line.type in ("assistant", "user") and not isinstance(line.message, UnsetType):
            self._read_message(line, decode_part(_MESSAGE, line.message, record))
        elif line.type == "result":
            self._read_result(line)
        elif line.type == "attachment" and not isinstance(line.attachment, UnsetType):
            self._read_attachment(decode_part(_ATTACHMENT, line.attachment, record))
        elif line.type == "system":
            self._streamed |= line.subtype == "init"
        elif line.type not in _QUIET:
            events.skip(record, line.type)

    def _read_message(self, line: Line, message: Message) -> None:
        if line.parent_tool_use_id is not None or line.is_sidechain:
            self.run.sub_agent_calls += sum(block.type == "tool_use" for block in message.blocks())
        elif line.type == "assistant":
            self._read_answer(message)
        else:
            self._read_results(line, message)

    def _read_answer(self, message: Message) -> None:
        if message.model == _SYNTHETIC:
            return
        id = message.id or f"#{len(self._turns)}"  # noqa: A001
        turn = self._turns.setdefault(id, len(self._turns) + 1)
        self._usage[id] = message.usage
        for block in message.blocks():
            if block.type == "tool_use" and block.name:
                self.add_call(block, turn)
        text = message.join_text()
        if text is not None and turn == len(self._turns):  # an older message is a copy
            before = self._answer[1] if self._answer and self._answer[0] == id else ""
            self._answer = (id, text if before == text else before + text)
        self.run.model = self.run.model or message.model

    def add_call(self, block: ContentBlock, turn: int) -> None:
        """Add the call of a block."""
        name = block.name or ""
        kind: CallKind = "mcp" if name.startswith(_MCP_PREFIX) else "own"
        self.run.add_call(name, block.input, id=block.id, turn=turn, kind=kind)

    def _read_results(self, line: Line, message: Message) -> None:
        results = [block for block in message.blocks() if block.type == "tool_result"]
        for block in results:
            self.run.set_status(block.tool_use_id, result_status(block))
        for meta in line.tool_result_meta:
            self._read_decision(meta.id, meta.permission_decision)
        # A decision on the line itself names no call: it is this one's if there is no other.
        if len(results) == 1:
            self._read_decision(results[0].tool_use_id, line.permission)
        # What the program puts into the user's mouth (`isMeta`, the summary after compaction) is no prompt.
        if not results and self.run.prompt is None and not line.is_meta and not line.is_summary:
            self.run.prompt = message.join_text()

    def _read_decision(self, id: str | None, decision: _Decision | None) -> None:  # noqa: A002
        if decision is not None and decision.decision in ("reject", "deny"):
            self.run.set_status(id, REFUSED)

    def _read_result(self, line: Line) -> None:
        self._ended = True
        if line.result is not None:
            self._answer = (None, line.result)
        if line.usage is not None:
            self.run.set_usage(line.usage.count_input(), line.usage.output_tokens)
        self.run.cost = line.cost
        for denial in line.permission_denials:
            self.run.set_status(denial.tool_use_id, REFUSED)

    def _read_attachment(self, attachment: _Attachment) -> None:
        for tool in (*attachment.tools, *attachment.entries):
            schema = tool.schema.input_schema if tool.schema else tool.input_schema
            # The program's own tools are in no server's catalog.
            if tool.name.startswith(_MCP_PREFIX):
                self.run.offer(TraceTool(tool.name, None, tool.description, schema))

    def build(self) -> ImportedRun:
        """Return the run that was read."""
        self.run.turns = len(self._turns)
        self.run.final_response = self._answer[1] if self._answer else None
        if not self._ended:
            if self._streamed:
                self.run.warnings.append("it ends without its `result` line: it may be cut")
            for usage in self._usage.values():
                # In a stream these are the figures of each message's start: no total is better than a wrong one.
                if usage is not None and not self._streamed:
                    self.run.add_usage(usage.count_input(), usage.output_tokens)
        return self.run.build()


def read_lines(events: EventStream, make_reader: type[StreamReader]) -> Iterator[ImportedRun]:
    """Yield the runs of a file of such lines; a new session that begins in a stream is a new run."""
    reader, session = None, None
    for record in events:
        line = decode_record(_LINE, record)
        begins = line.type == "system" and line.subtype == "init"
        if reader is None or (begins and session is not None and line.session_id != session):
            if reader is not None:
                yield reader.build()
            reader = make_reader(record.line)
        session = line.session_id or session
        reader.read(line, record, events)
    if reader is not None:
        yield reader.build()


def is_message_line(shape: Shape) -> bool:
    """Return whether a record is an assistant or user line with content in the manner of Claude Code."""
    return shape.text("type") in ("assistant", "user") and shape.part("message").has("role", "content")


def _claims(sample: Sequence[Shape]) -> bool:
    # Qwen Code writes lines of the same shape, with its own version in the first one.
    if any(shape.has("qwen_code_version") for shape in sample):
        return False
    return any(
        shape.has("claude_code_version")
        or (is_message_line(shape) and (shape.has("session_id") or shape.has("isSidechain")))
        or (shape.has("isSidechain", "attachment"))
        for shape in sample
    )


def _read(events: EventStream) -> Iterator[ImportedRun]:
    return read_lines(events, StreamReader)


CLAUDE_CODE = TraceFormat(
    name="claude-code",
    label="Claude Code",
    claims=_claims,
    read=_read,
    keys=frozenset(("type", "message", "session_id", "sessionId", "uuid", "parentUuid")),
)
