"""The Agent Trajectory Interchange Format of Harbor, one trajectory a file or a line.

The server is lost if the program behind it wrote bare names. A status stands only in `extra`, if at all.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, CallKind, ImportedRun, RunBuilder, TraceTool
from .shape import Shape
from .trace_format import TraceFormat

# These programs prefix the name of every MCP tool, so a name without the prefix is a tool of their own.
_PREFIXES = {"claude-code": "mcp__", "qwen-code": "mcp__", "gemini-cli": "mcp_"}
# Codex's names are bare here: only a list tells its own tools from those of servers.
_OWN_TOOLS = {
    "codex": frozenset(
        [
            "shell",
            "shell_command",
            "exec_command",
            "write_stdin",
            "apply_patch",
            "update_plan",
            "view_image",
            "web_search",
            "tool_search",
        ]
    ),
}


class _Extra(msgspec.Struct, gc=False):
    is_error: bool | None = None
    tool_result_is_error: bool | None = None
    is_sidechain: bool = False


class _Call(msgspec.Struct, gc=False):
    function_name: str
    tool_call_id: str | None = None
    arguments: msgspec.Raw | UnsetType = UNSET


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None


class _Result(msgspec.Struct, gc=False):
    source_call_id: str | None = None
    extra: _Extra | None = None


class _Observation(msgspec.Struct, gc=False):
    results: list[_Result] = []


class _Metrics(msgspec.Struct, gc=False):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: Decimal | None = None


class _Step(msgspec.Struct, gc=False):
    source: str = ""
    message: str | list[_Part] | None = None
    tool_calls: list[_Call] | None = None
    observation: _Observation | None = None
    metrics: _Metrics | None = None
    extra: _Extra | None = None
    is_copied_context: bool | None = None


class _Function(msgspec.Struct, gc=False):
    name: str = ""
    description: str | None = None
    parameters: msgspec.Raw | UnsetType = UNSET


class _Definition(msgspec.Struct, gc=False):
    function: _Function | None = None


class _Agent(msgspec.Struct, gc=False):
    name: str | None = None
    model_name: str | None = None
    tool_definitions: list[_Definition] | None = None


class _Totals(msgspec.Struct, gc=False):
    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cost_usd: Decimal | None = None


class _Trajectory(msgspec.Struct, gc=False):
    steps: list[_Step]
    agent: _Agent = msgspec.field(default_factory=_Agent)
    final_metrics: _Totals | None = None


_TRAJECTORY = msgspec.json.Decoder(_Trajectory)


def _text_of(message: str | list[_Part] | None) -> str | None:
    if isinstance(message, list):
        return "".join(part.text or "" for part in message if part.type == "text") or None
    return message or None


def _kind_of(agent: str | None, name: str) -> CallKind:
    """Return what a name says, by what is known of the program that wrote it."""
    prefix = _PREFIXES.get(agent or "")
    if prefix is not None:
        return "mcp" if name.startswith(prefix) else "own"
    if name.startswith("mcp__"):
        return "mcp"
    return "own" if name in _OWN_TOOLS.get(agent or "", ()) else "open"


class _Reader:
    def __init__(self, trajectory: _Trajectory, line: int) -> None:
        self.run = RunBuilder(line)
        self._agent = trajectory.agent.name
        # The flag is written for some programs only: without one in the whole file, silence is no success.
        self._tells_errors = any(_tells(result) for result in _results_of(trajectory.steps))

    def read(self, step: _Step) -> None:
        """Take one step; copied context was counted where it came from."""
        if step.is_copied_context:
            return
        if step.source == "user" and not self.run.turns:
            self.run.prompt = _text_of(step.message) or self.run.prompt
        elif step.source == "agent" and step.extra is not None and step.extra.is_sidechain:
            self.run.sub_agent_calls += len(step.tool_calls or ())
        elif step.source == "agent":
            self._read_answer(step)

    def _read_answer(self, step: _Step) -> None:
        turn = self.run.turns = (self.run.turns or 0) + 1
        for call in step.tool_calls or ():
            kind = _kind_of(self._agent, call.function_name)
            self.run.add_call(call.function_name, call.arguments, id=call.tool_call_id, turn=turn, kind=kind)
        for result in step.observation.results if step.observation else ():
            failed = result.extra is not None and (result.extra.is_error or result.extra.tool_result_is_error)
            self.run.set_status(result.source_call_id, ERROR if failed else OK if self._tells_errors else None)
        self.run.final_response = _text_of(step.message) or self.run.final_response


def _results_of(steps: list[_Step]) -> Iterator[_Result]:
    return (result for step in steps if step.observation for result in step.observation.results)


def _tells(result: _Result) -> bool:
    """Return whether a result says if it is an error, so that this program is known to say it."""
    extra = result.extra
    return extra is not None and (extra.is_error is not None or extra.tool_result_is_error is not None)


def _read(events: EventStream) -> Iterator[ImportedRun]:
    for record in events:
        trajectory = decode_record(_TRAJECTORY, record)
        reader = _Reader(trajectory, record.line)
        for step in trajectory.steps:
            reader.read(step)
        _read_totals(reader.run, trajectory)
        yield reader.run.build()


def _read_totals(run: RunBuilder, trajectory: _Trajectory) -> None:
    run.model = trajectory.agent.model_name
    if trajectory.final_metrics is not None:
        totals = trajectory.final_metrics
        run.set_usage(totals.total_prompt_tokens, totals.total_completion_tokens)
        run.cost = totals.total_cost_usd
    for definition in trajectory.agent.tool_definitions or ():
        if definition.function is not None and definition.function.name:
            function = definition.function
            run.offer(TraceTool(function.name, None, function.description, function.parameters))


def _claims(sample: Sequence[Shape]) -> bool:
    return any((shape.text("schema_version") or "").startswith("ATIF-") and shape.has("steps") for shape in sample)


ATIF = TraceFormat(
    name="atif",
    label="ATIF trajectory",
    claims=_claims,
    read=_read,
    keys=frozenset(("schema_version", "session_id", "agent", "steps", "final_metrics")),
)
