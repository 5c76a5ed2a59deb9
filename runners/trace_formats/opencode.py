"""OpenCode: what `opencode run --format json` prints, and what `opencode export SESSION` gives.

`run` writes a line when a call ends, so calls are sorted by their start. A tool that does not exist is the tool
`invalid`, completed, with the name in its input; the arguments are lost. Names are SERVER_TOOL.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .event_stream import EventStream, decode_part, decode_record
from .imported_run import ERROR, OK, REFUSED, ImportedRun, RunBuilder
from .records import Record
from .shape import Shape
from .trace_format import TraceFormat

_INVALID = "invalid"
_STATUS = {"completed": OK, "error": ERROR}
# A call that the user did not allow is an error, too: only its text tells.
_REJECTED = "rejected permission"
_QUIET_PARTS = frozenset(("step-start", "reasoning", "snapshot", "patch", "file", "agent", "compaction", "retry"))


class _Time(msgspec.Struct, gc=False):
    start: int | float | None = None


class _State(msgspec.Struct, gc=False):
    status: str | None = None
    input: msgspec.Raw | UnsetType = UNSET
    error: str | None = None
    time: _Time | None = None


class _Tokens(msgspec.Struct, gc=False):
    input: int | None = None
    output: int | None = None
    reasoning: int | None = None


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    tool: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    call_id: str | None = msgspec.field(default=None, name="callID")
    message_id: str | None = msgspec.field(default=None, name="messageID")
    state: _State | None = None
    tokens: _Tokens | None = None
    cost: Decimal | None = None


class _Event(msgspec.Struct, gc=False):
    type: str = ""
    session_id: str | None = msgspec.field(default=None, name="sessionID")
    part: _Part | None = None


class _Model(msgspec.Struct, gc=False):
    id: str | None = None


class _Info(msgspec.Struct, gc=False):
    role: str | None = None
    model: _Model | None = None


class _Message(msgspec.Struct, gc=False):
    info: _Info
    parts: list[_Part] = []


class _Session(msgspec.Struct, gc=False):
    info: _Info
    messages: list[_Message]


class _Ghost(msgspec.Struct, gc=False):
    tool: str | None = None


_EVENT = msgspec.json.Decoder(_Event)
_SESSION = msgspec.json.Decoder(_Session)
_GHOST = msgspec.json.Decoder(_Ghost)


class _Reader:
    def __init__(self, line: int) -> None:
        self.run = RunBuilder(line)
        self._calls: list[tuple[int, int | float, str, _Part]] = []
        self._turns: dict[str, int] = {}
        self._answer: tuple[str, str] | None = None
        self._cost: Decimal | None = None

    def read(self, part: _Part, record: Record) -> bool:
        """Take one part; return whether its type is known."""
        if part.type == "tool" and part.tool and part.state:
            self._read_tool(part, part.tool, part.state, record)
        elif part.type == "text" and part.text:
            self._read_text(part.message_id or "", part.text)
        elif part.type == "step-finish":
            self._read_step(part)
        else:
            return part.type in _QUIET_PARTS
        return True

    def _turn(self, message: str | None) -> int:
        return self._turns.setdefault(message or "", len(self._turns) + 1)

    def _read_tool(self, part: _Part, name: str, state: _State, record: Record) -> None:
        turn = self._turn(part.message_id)
        if name == _INVALID and not isinstance(state.input, UnsetType):
            ghost = decode_part(_GHOST, state.input, record)
            name, state.input, state.status = ghost.tool or name, UNSET, UNKNOWN_TOOL
        if not isinstance(state.input, UnsetType):
            # The Raw is a view of its whole line, which it would keep in memory until the run is built.
            state.input = state.input.copy()
        start = state.time.start if state.time and state.time.start is not None else 0
        self._calls.append((turn, start, name, part))

    def _read_text(self, message: str, text: str) -> None:
        self._turn(message)
        before = self._answer[1] if self._answer and self._answer[0] == message else ""
        self._answer = (message, before + text)

    def _read_step(self, part: _Part) -> None:
        self._turn(part.message_id)
        self.run.turns = (self.run.turns or 0) + 1
        if part.tokens is not None:
            # Reasoning is counted apart from the answer here; both went out.
            out, thoughts = part.tokens.output, part.tokens.reasoning or 0
            self.run.add_usage(part.tokens.input, None if out is None else out + thoughts)
        if part.cost:  # 0 is also written when the price is not known
            self._cost = (self._cost or Decimal(0)) + part.cost

    def build(self) -> ImportedRun:
        for turn, _, name, part in sorted(self._calls, key=lambda call: call[:2]):
            state = part.state or _State()
            status = UNKNOWN_TOOL if state.status == UNKNOWN_TOOL else _STATUS.get(state.status or "")
            if status == ERROR and _REJECTED in (state.error or ""):
                status = REFUSED
            self.run.add_call(name, state.input, id=part.call_id, status=status, turn=turn, kind="prefixed")
        self.run.final_response = self._answer[1] if self._answer else None
        self.run.cost = self._cost
        return self.run.build()


def _unquote(text: str) -> str:
    """Return a prompt without the quotation marks that `opencode run` puts around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _read_run(events: EventStream) -> Iterator[ImportedRun]:
    reader, session = None, None
    for record in events:
        event = decode_record(_EVENT, record)
        if reader is None or event.session_id not in (None, session):
            if reader is not None:
                yield reader.build()
            reader, session = _Reader(record.line), event.session_id
        if (event.part is None and event.type != "error") or (event.part and not reader.read(event.part, record)):
            events.skip(record, event.type)
    if reader is not None:
        yield reader.build()


def _read_export(events: EventStream) -> Iterator[ImportedRun]:
    for record in events:
        session = decode_record(_SESSION, record)
        reader = _Reader(record.line)
        for message in session.messages:
            _read_exported(reader, message, record, events)
        reader.run.model = session.info.model.id if session.info.model else None
        yield reader.build()


def _read_exported(reader: _Reader, message: _Message, record: Record, events: EventStream) -> None:
    if message.info.role == "user":
        texts = [part.text for part in message.parts if part.type == "text" and part.text and not part.synthetic]
        reader.run.prompt = reader.run.prompt or (_unquote("".join(texts)) if texts else None)
        return
    for part in message.parts:
        if not reader.read(part, record):
            events.skip(record, part.type)


def _claims_run(sample: Sequence[Shape]) -> bool:
    return any(shape.has("sessionID", "part") and shape.part("part").has("messageID", "type") for shape in sample)


def _claims_export(sample: Sequence[Shape]) -> bool:
    return any(
        shape.has("info", "messages") and any(message.has("info", "parts") for message in shape.parts("messages"))
        for shape in sample
    )


OPENCODE_RUN = TraceFormat(
    name="opencode",
    label="OpenCode (run --format json)",
    claims=_claims_run,
    read=_read_run,
    keys=frozenset(("type", "timestamp", "sessionID", "part")),
)
OPENCODE_EXPORT = TraceFormat(
    name="opencode",
    label="OpenCode (export)",
    claims=_claims_export,
    read=_read_export,
    keys=frozenset(("info", "messages", "parts")),
)
