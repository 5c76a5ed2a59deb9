"""Traces that the libraries write now: a change of a format is noticed where the library is installed."""

import json
from typing import Any

import pytest

from tests.runners.trace_formats.traces import SERVERS, read_bytes
from toolgrade.runners.trace_formats.resolved_run import NameResolver

pytestmark = [
    pytest.mark.libraries,
    pytest.mark.filterwarnings("default"),  # what other libraries warn of is theirs
]
PROMPT = "Find the retention policy."


def _read(data: bytes, name: str) -> list[tuple[str, str | None, int | None]]:
    """Return the calls of a trace that the named format claims."""
    opened, (run,) = read_bytes(data)
    assert opened.format.name == name
    assert not opened.skipped
    resolved = NameResolver(SERVERS).resolve(run)
    return [(call.id, call.status, call.turn) for call in resolved.trace.tool_calls]


def test_pydantic_ai() -> None:
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    def answer(messages: list[Any], _info: AgentInfo) -> ModelResponse:
        asked = sum(isinstance(message, ModelResponse) for message in messages)
        if asked == 0:
            return ModelResponse([ToolCallPart("docs_search", {"query": "retention"})])
        if asked == 1:
            return ModelResponse([ToolCallPart("mail_box_send_message", {"to": "dana"})])
        return ModelResponse([TextPart("Done.")])

    agent: Any = pydantic_ai.Agent(FunctionModel(answer), retries=3)

    @agent.tool_plain
    def docs_search(query: str) -> str:
        return f"hits for {query}"

    @agent.tool_plain
    def mail_box_send_message(to: str) -> str:
        raise pydantic_ai.ModelRetry(f"not an address: {to}")

    assert docs_search
    assert mail_box_send_message
    data: bytes = agent.run_sync(PROMPT).all_messages_json()
    assert _read(data, "pydantic-ai") == [("docs.search", "ok", 1), ("mail_box.send_message", "error", 2)]
    _, (run,) = read_bytes(data)
    assert (run.prompt, run.final_response, run.turns) == (PROMPT, "Done.", 3)


def test_langchain() -> None:
    messages = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")
    dumped = pytest.importorskip("langchain_core.load")
    call = {"name": "docs_search", "args": {"query": "retention"}, "id": "1"}
    conversation: list[Any] = [
        messages.HumanMessage(PROMPT),
        messages.AIMessage("", tool_calls=[call]),
        messages.ToolMessage("down", tool_call_id="1", status="error"),
        messages.AIMessage("Done."),
    ]
    spellings: list[Any] = [
        messages.messages_to_dict(conversation),
        {"messages": [message.model_dump() for message in conversation]},
        dumped.dumpd({"messages": conversation}),
    ]
    for spelling in spellings:
        data = json.dumps(spelling).encode()
        assert _read(data, "langchain") == [("docs.search", "error", 1)]
        _, (run,) = read_bytes(data)
        assert (run.prompt, run.final_response) == (PROMPT, "Done.")


def test_openai_agents() -> None:
    agents = pytest.importorskip("agents", reason="openai-agents is not installed")
    if not hasattr(agents, "custom_span"):
        pytest.skip("`agents` is another package here")
    lines: list[str] = []

    class Exporter:
        def export(self, items: list[Any]) -> None:
            lines.extend(json.dumps(item.export()) for item in items)

    processors = pytest.importorskip("agents.tracing.processors")
    processor: Any = processors.BatchTraceProcessor(Exporter())
    agents.set_trace_processors([processor])
    with agents.trace("work"), agents.custom_span("turn"):
        with agents.mcp_tools_span(server="docs", result=["search"]):
            pass
        with agents.function_span("mcp_docs__search", input='{"query": "retention"}') as span:
            span.span_data.mcp_data = {"server": "docs"}
    processor.force_flush()
    assert _read("\n".join(lines).encode(), "openai-agents") == [("docs.search", None, None)]


def test_opentelemetry() -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="the SDK of OpenTelemetry is not installed")
    encoder = pytest.importorskip(
        "opentelemetry.exporter.otlp.proto.common.trace_encoder", reason="the OTLP encoder is not installed"
    )
    json_format = pytest.importorskip("google.protobuf.json_format")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    in_memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    exporter: Any = in_memory.InMemorySpanExporter()
    provider: Any = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    tracer: Any = provider.get_tracer("test")
    words = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "docs_search"}
    done = {"gen_ai.tool.call.arguments": '{"query": "retention"}', "gen_ai.tool.call.result": "hits"}
    with (
        tracer.start_as_current_span("execute_tool docs_search", attributes={**words, **done}),
        tracer.start_as_current_span("tools/call search", attributes={"mcp.method.name": "tools/call"}),
    ):
        pass
    data: str = json_format.MessageToJson(encoder.encode_spans(exporter.get_finished_spans()))
    assert _read(data.encode(), "otlp") == [("docs.search", "ok", None)]
