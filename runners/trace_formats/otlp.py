"""Spans of OpenTelemetry as OTLP JSON, one export or one export a line.

A call may be three spans in one another: of the agent (`execute_tool docs_search`), of the client library and of the
protocol's SDK. The outermost is the call; what it lacks is taken from the inner ones. Enums are names or numbers.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import UNSET, UnsetType

from .event_stream import EventStream, decode_record
from .imported_run import ERROR, OK, ImportedRun, RunBuilder, TraceTool
from .shape import Shape
from .trace_format import TraceFormat

_SDK_CALL = "MCP send tools/call "
_FAILED = ("STATUS_CODE_ERROR", 2)
_DONE = ("STATUS_CODE_OK", 1)
_MODEL_CALLS = ("chat", "text_completion", "generate_content")


class _Value(msgspec.Struct, gc=False, rename="camel"):
    string_value: str | None = None
    # The JSON of protobuf writes 64-bit integers as text; not every exporter does.
    int_value: str | int | None = None


class _Attribute(msgspec.Struct, gc=False):
    key: str
    value: _Value | None = None


class _Status(msgspec.Struct, gc=False):
    code: str | int | None = None


class _Span(msgspec.Struct, gc=False, rename="camel"):
    trace_id: str = ""
    span_id: str = ""
    parent_span_id: str | None = None
    name: str = ""
    start: str | int = msgspec.field(default=0, name="startTimeUnixNano")
    attributes: list[_Attribute] = []
    status: _Status | None = None


class _Scope(msgspec.Struct, gc=False):
    spans: list[_Span] = []


class _Resource(msgspec.Struct, gc=False, rename="camel"):
    scope_spans: list[_Scope] = []


class _Export(msgspec.Struct, gc=False, rename="camel"):
    resource_spans: list[_Resource] = []


class _Entity(msgspec.Struct, gc=False):
    tool_name: str
    arguments: msgspec.Raw | UnsetType = UNSET


class _Definition(msgspec.Struct, gc=False):
    name: str
    description: str | None = None
    parameters: msgspec.Raw | UnsetType = UNSET


class _MessagePart(msgspec.Struct, gc=False):
    type: str = ""
    content: str | None = None


class _ModelMessage(msgspec.Struct, gc=False):
    role: str | None = None
    parts: list[_MessagePart] = []


_EXPORT = msgspec.json.Decoder(_Export)
_ENTITY = msgspec.json.Decoder(_Entity)
_DEFINITIONS = msgspec.json.Decoder(list[_Definition])
_MESSAGES = msgspec.json.Decoder(list[_ModelMessage])


@dataclass(slots=True)
class _Node:
    """A span that matters, with those of its inner ones that matter."""

    span: _Span
    attributes: dict[str, str]
    operation: str
    inner: "list[_Node]" = field(default_factory=list["_Node"])


def _attributes_of(span: _Span) -> dict[str, str]:
    found: dict[str, str] = {}
    for attribute in span.attributes:
        value = attribute.value
        if value is not None:
            text = value.string_value if value.string_value is not None else value.int_value
            if text is not None:
                found[attribute.key] = str(text)
    return found


def _operation_of(attributes: dict[str, str]) -> str:
    """Return what a span is: a call of a tool, a request to a model, a run of an agent, or nothing of these."""
    operation = attributes.get("gen_ai.operation.name", "")
    if (
        operation == "execute_tool"
        or attributes.get("mcp.method.name") == "tools/call"
        or attributes.get("traceloop.span.kind") == "tool"
    ):
        return "call"
    return "model" if operation in _MODEL_CALLS else "agent" if operation == "invoke_agent" else ""


def _name_of(node: _Node) -> str:
    name = node.attributes.get("gen_ai.tool.name") or node.attributes.get("traceloop.entity.name")
    return name or node.span.name.removeprefix(_SDK_CALL).removeprefix("tools/call ")


def _status_of(node: _Node) -> str | None:
    """Return what became of a call; a span of the protocol's SDK alone says nothing of it."""
    code = node.span.status.code if node.span.status else None
    if code in _FAILED or "error.type" in node.attributes:
        return ERROR
    # These are marks of libraries that note a failure: without one the call succeeded.
    tells = code in _DONE or "gen_ai.tool.call.result" in node.attributes or "fastmcp.component.key" in node.attributes
    return OK if tells else None


def _args_of(node: _Node) -> str | msgspec.Raw | UnsetType:
    text = node.attributes.get("gen_ai.tool.call.arguments")
    entity = node.attributes.get("traceloop.entity.input")
    if text is not None or entity is None:
        return UNSET if text is None else text
    try:
        return _ENTITY.decode(entity).arguments
    except msgspec.DecodeError:
        return UNSET


class _Trace:
    """The spans of one run."""

    def __init__(self, nodes: dict[str, _Node]) -> None:
        self._nodes = nodes
        self._run = RunBuilder()
        self._begun: list[int] = []
        self._result: str | None = None

    def build(self) -> ImportedRun:
        """Return the run of these spans."""
        nodes = sorted(self._nodes.values(), key=lambda node: int(node.span.start))
        calls = [node for node in nodes if node.operation == "call"]
        owners = {node.span.span_id: self._find_owner(node) for node in calls}
        for node in calls:
            owner = owners[node.span.span_id]
            if owner is not None:
                owner.inner.append(node)
        for node in nodes:
            if node.operation == "model":
                self._read_model(node)
            elif node.operation == "agent" and self._find_outer(node, ("agent",)) is None:
                self._result = node.attributes.get("final_result") or self._result
        for node in calls:
            if owners[node.span.span_id] is None:
                self._read_call(node)
        self._run.final_response = self._result or self._run.final_response
        return self._run.build()

    def _find_outer(self, node: _Node, operations: tuple[str, ...]) -> _Node | None:
        """Return the nearest outer span of these kinds, if there is one."""
        seen: set[str] = set()
        parent = node.span.parent_span_id
        # A damaged file may have parents in a circle.
        while parent and parent in self._nodes and parent not in seen:
            seen.add(parent)
            if self._nodes[parent].operation in operations:
                return self._nodes[parent]
            parent = self._nodes[parent].span.parent_span_id
        return None

    def _find_owner(self, node: _Node) -> _Node | None:
        """Return the outermost span that tells of the same call; beyond an agent there are other calls."""
        owner, outer = None, self._find_outer(node, ("call", "agent"))
        while outer is not None and outer.operation == "call" and outer is not owner:
            owner, outer = outer, self._find_outer(outer, ("call", "agent"))
        return owner

    def _is_sub_agent(self, node: _Node) -> bool:
        agent = self._find_outer(node, ("agent",))
        return agent is not None and self._find_outer(agent, ("agent",)) is not None

    def _read_call(self, node: _Node) -> None:
        if self._is_sub_agent(node):
            self._run.sub_agent_calls += 1
            return
        status = _status_of(node) or next(filter(None, map(_status_of, node.inner)), None)
        args = next((args for args in map(_args_of, (node, *node.inner)) if not isinstance(args, UnsetType)), UNSET)
        # No span says its turn: it is the number of requests to the model that had begun before.
        turn = bisect_right(self._begun, int(node.span.start)) or None
        server = node.attributes.get("mcp.server.name")
        self._run.add_call(_name_of(node), args, id=node.span.span_id, server=server, status=status, turn=turn)

    def _read_model(self, node: _Node) -> None:
        if self._is_sub_agent(node):
            return
        run, attributes = self._run, node.attributes
        run.turns = (run.turns or 0) + 1
        self._begun.append(int(node.span.start))
        counts = [attributes.get(f"gen_ai.usage.{side}_tokens", "") for side in ("input", "output")]
        run.add_usage(*(int(count) if count.isdigit() else None for count in counts))
        run.model = run.model or attributes.get("gen_ai.response.model")
        run.prompt = run.prompt or _text_in(attributes.get("gen_ai.input.messages"), "user")
        run.final_response = _text_in(attributes.get("gen_ai.output.messages"), "assistant") or run.final_response
        for tool in _definitions_in(attributes.get("gen_ai.tool.definitions")):
            run.offer(TraceTool(tool.name, None, tool.description, tool.parameters))


def _text_in(messages: str | None, role: str) -> str | None:
    """Return the text of the first message of a role."""
    try:
        decoded = _MESSAGES.decode(messages or "[]")
    except msgspec.DecodeError:
        return None
    for message in decoded:
        if message.role == role:
            return "".join(part.content or "" for part in message.parts if part.type == "text") or None
    return None


def _definitions_in(text: str | None) -> list[_Definition]:
    try:
        return _DEFINITIONS.decode(text or "[]")
    except msgspec.DecodeError:
        return []


def _read(events: EventStream) -> Iterator[ImportedRun]:
    nodes: dict[str, _Node] = {}
    for record in events:
        export = decode_record(_EXPORT, record)
        if not export.resource_spans:
            events.skip(record, None)
        for span in (s for resource in export.resource_spans for scope in resource.scope_spans for s in scope.spans):
            attributes = _attributes_of(span)
            nodes[span.span_id] = _Node(span, attributes, _operation_of(attributes))
            # What matters of them is in the dict; the rest would stay in memory until the file ends.
            span.attributes = []
    for group in _split_runs(nodes):
        yield _Trace(group).build()


def _split_runs(nodes: dict[str, _Node]) -> list[dict[str, _Node]]:
    """Return the spans of each run: a trace each if several have an agent at their root, else all are one run."""
    traces: dict[str, dict[str, _Node]] = {}
    for id, node in nodes.items():  # noqa: A001
        traces.setdefault(node.span.trace_id, {})[id] = node
    agents = [trace for trace in traces.values() if any(node.operation == "agent" for node in trace.values())]
    return agents if len(agents) > 1 else [nodes]


def _claims(sample: Sequence[Shape]) -> bool:
    return any(shape.has("resourceSpans") for shape in sample)


OTLP = TraceFormat(
    name="otlp",
    label="OpenTelemetry (OTLP JSON)",
    claims=_claims,
    read=_read,
    keys=frozenset(("resourceSpans", "scopeSpans", "spans")),
)
