"""The one record that every format is read into: the calls as the file names them, before names are resolved."""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import MALFORMED, Usage

CallKind = Literal["mcp", "own", "prefixed", "open", "written"]
"""What a flat name says by itself: `mcp` is surely an MCP tool and `own` surely a tool of the program itself;
`prefixed` is an MCP tool only if it begins with a server's name; `open` may be a bare name, too; `written` stays as it
is unless the user asks for names to be resolved."""

OK = "ok"
ERROR = "error"
REFUSED = "refused"


class ImportedCall(msgspec.Struct, frozen=True, gc=False):
    """One call that the agent asked for. `server` is set only if the file names the server exactly."""

    name: str
    server: str | None = None
    args: msgspec.Raw | UnsetType = UNSET
    status: str | None = None
    turn: int | None = None
    id: str | None = None
    kind: CallKind = "open"


class TraceTool(msgspec.Struct, frozen=True, gc=False):
    """A tool that the model was offered, as the file spells it; the schema stays undecoded JSON."""

    name: str
    server: str | None = None
    description: str | None = None
    input_schema: msgspec.Raw | UnsetType = UNSET


class ImportedRun(msgspec.Struct, frozen=True, gc=False):
    """One run of an agent as a foreign file tells it, with what was left out of it."""

    calls: tuple[ImportedCall, ...]
    final_response: str | None = None
    turns: int | None = None
    usage: Usage | None = None
    cost: Decimal | None = None
    prompt: str | None = None
    test: str | None = None
    model: str | None = None
    offered: tuple[TraceTool, ...] = ()
    sub_agent_calls: int = 0
    skipped: Mapping[str, int] = {}
    warnings: tuple[str, ...] = ()
    line: int = 0


Arguments = msgspec.Raw | str | UnsetType
"""Arguments as JSON, or as JSON in a string, or not in the file."""

_NULL = b"null"


def detach_arguments(args: Arguments) -> tuple[msgspec.Raw | UnsetType, str | None]:
    """Return arguments detached from the line they came from, and the status `malformed` if they are no JSON."""
    if isinstance(args, UnsetType):
        return UNSET, None
    if isinstance(args, str):
        # An empty text is how some providers write a call without arguments.
        text = args.strip().encode()
        try:
            # The syntax alone is checked, and the text kept: to decode and encode it could alter its numbers.
            msgspec.json.decode(text or b"{}", type=msgspec.Raw)
        except (msgspec.DecodeError, RecursionError):
            return msgspec.Raw(msgspec.json.encode(args)), MALFORMED
        return msgspec.Raw(text or b"{}"), None
    if bytes(args) == _NULL:
        return UNSET, None
    # A Raw is a view of the whole line it was decoded from; the copy lets the line go.
    return args.copy(), None


class _Draft(msgspec.Struct):
    """A call while its run is being read."""

    name: str
    server: str | None
    args: msgspec.Raw | UnsetType
    status: str | None
    turn: int | None
    id: str | None
    kind: CallKind


class RunBuilder:
    """Collects one run. Calls keep the order in which the agent asked; a result may stand before its call."""

    def __init__(self, line: int = 0) -> None:
        self.line = line
        self.final_response: str | None = None
        self.turns: int | None = None
        self.cost: Decimal | None = None
        self.prompt: str | None = None
        self.test: str | None = None
        self.model: str | None = None
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.sub_agent_calls = 0
        self.skipped: Counter[str] = Counter()
        self.warnings: list[str] = []
        self._calls: list[_Draft] = []
        self._by_id: dict[str, _Draft] = {}
        self._early: dict[str, str] = {}
        self._offered: dict[tuple[str | None, str], TraceTool] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def add_call(
        self,
        name: str,
        args: Arguments = UNSET,
        *,
        id: str | None = None,  # noqa: A002 - the word of every format
        server: str | None = None,
        status: str | None = None,
        turn: int | None = None,
        kind: CallKind = "open",
    ) -> bool:
        """Add a call, unless one with this id is there already; return whether it is new."""
        if id is not None and id in self._by_id:
            return False
        kept, malformed = detach_arguments(args)
        call = _Draft(name, server, kept, malformed or status, turn, id, kind)
        self._calls.append(call)
        if id is not None:
            self._by_id[id] = call
            call.status = call.status or self._early.pop(id, None)
        return True

    def knows(self, id: str) -> bool:  # noqa: A002
        """Return whether a call with this id was added."""
        return id in self._by_id

    def set_status(self, id: str | None, status: str | None) -> None:  # noqa: A002
        """Set what became of a call, which may be named only later."""
        if id is None or status is None:
            return
        call = self._by_id.get(id)
        if call is None:
            self._early[id] = status
        elif call.status != MALFORMED:
            call.status = status

    def set_call(
        self,
        id: str,  # noqa: A002
        name: str | None = None,
        server: str | None = None,
        args: Arguments = UNSET,
        kind: CallKind | None = None,
    ) -> None:
        """Complete a call with what a later event says of it."""
        call = self._by_id[id]
        call.name = name or call.name
        call.server = server or call.server
        call.kind = kind or call.kind
        kept, malformed = detach_arguments(args)
        if not isinstance(kept, UnsetType):
            call.args, call.status = kept, malformed or call.status

    def add_usage(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """Add the tokens of one request."""
        if input_tokens is not None:
            self.input_tokens = (self.input_tokens or 0) + input_tokens
        if output_tokens is not None:
            self.output_tokens = (self.output_tokens or 0) + output_tokens

    def set_usage(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """Set the tokens of the whole run."""
        self.input_tokens, self.output_tokens = input_tokens, output_tokens

    def offer(self, tool: TraceTool) -> None:
        """Note a tool that the model was offered; a fuller description of the same tool wins."""
        key = (tool.server, tool.name)
        known = self._offered.get(key)
        if known is None or (
            isinstance(known.input_schema, UnsetType) and not isinstance(tool.input_schema, UnsetType)
        ):
            schema = tool.input_schema
            self._offered[key] = (
                tool if isinstance(schema, UnsetType) else msgspec.structs.replace(tool, input_schema=schema.copy())
            )

    def skip(self, kind: str) -> None:
        """Count an event that says nothing about calls, or that is not known."""
        self.skipped[kind] += 1

    def build(self) -> ImportedRun:
        """Return the run as it was read so far."""
        counted = self.input_tokens is not None or self.output_tokens is not None
        return ImportedRun(
            calls=tuple(ImportedCall(*msgspec.structs.astuple(call)) for call in self._calls),
            final_response=self.final_response,
            turns=self.turns,
            usage=Usage(self.input_tokens, self.output_tokens) if counted else None,
            cost=self.cost,
            prompt=self.prompt,
            test=self.test,
            model=self.model,
            offered=tuple(self._offered.values()),
            sub_agent_calls=self.sub_agent_calls,
            skipped=dict(self.skipped),
            warnings=tuple(self.warnings),
            line=self.line,
        )
