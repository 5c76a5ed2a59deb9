"""What readers must know of single programs, beyond the golden traces."""

import json
from typing import Any

import pytest
from msgspec import UnsetType

from tests.runners.trace_formats.traces import read_lines
from toolgrade.runners.trace_formats.imported_run import ImportedRun

_NOTHING: dict[str, Any] = {}
_INIT = {"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": "2"}
_RESULT = {"type": "result", "session_id": "s", "result": "done", "usage": {"input_tokens": 3, "output_tokens": 1}}


def _ask(call: str, name: str, message: str = "m1", **more: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call, "name": name, "input": {"n": call}}
    content = {"role": "assistant", "id": message, "content": [block]}
    return {"type": "assistant", "session_id": "s", "message": content, **more}


def _answer(call: str, *, failed: bool = False, text: str = "ok", **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "is_error": failed, "content": text}
    return {"type": "user", "session_id": "s", "message": {"role": "user", "content": [block]}, **more}


def _show(run: ImportedRun) -> list[tuple[str, str | None]]:
    return [(call.name, call.status) for call in run.calls]


def test_a_result_before_its_call_still_counts() -> None:
    (run,) = read_lines(_INIT, _answer("1", failed=True), _ask("1", "mcp__docs__search"), _RESULT)
    assert _show(run) == [("mcp__docs__search", "error")]


def test_calls_of_sub_agents_are_kept_apart() -> None:
    (run,) = read_lines(
        _INIT, _ask("1", "Task"), _ask("2", "mcp__docs__search", "m2", parent_tool_use_id="1"), _answer("1"), _RESULT
    )
    assert _show(run) == [("Task", "ok")]
    assert run.sub_agent_calls == 1


def test_what_compaction_repeats_counts_once() -> None:
    ask = _ask("1", "mcp__docs__search", isSidechain=False)
    (run,) = read_lines(ask, _answer("1"), _ask("2", "mcp__docs__fetch", "m2", isSidechain=False), ask, _answer("1"))
    assert [call.turn for call in run.calls] == [1, 2]
    assert run.turns == 2


def test_what_the_user_did_not_allow_is_refused() -> None:
    denied = {**_RESULT, "permission_denials": [{"tool_name": "mcp__docs__search", "tool_use_id": "1"}]}
    (run,) = read_lines(_INIT, _ask("1", "mcp__docs__search"), _answer("1", failed=True), denied)
    assert _show(run) == [("mcp__docs__search", "refused")]


def test_two_sessions_in_one_stream_are_two_runs() -> None:
    other = {**_INIT, "session_id": "t"}
    runs = read_lines(_INIT, _ask("1", "mcp__docs__search"), _RESULT, other, {**_RESULT, "session_id": "t"})
    assert [len(run.calls) for run in runs] == [1, 0]


def test_tokens_of_a_cache_went_in_too() -> None:
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 1}
    (run,) = read_lines(_INIT, {**_RESULT, "usage": usage})
    assert run.usage is not None
    assert run.usage.input_tokens == 113


def test_arguments_that_are_no_json_are_malformed_and_kept_as_text() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"query": '}}
    (run,) = read_lines({"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]})
    assert _show(run) == [("search", "malformed")]
    args = run.calls[0].args
    assert not isinstance(args, UnsetType)
    assert json.loads(bytes(args)) == '{"query": '


def test_an_id_that_a_server_uses_again_is_another_call() -> None:
    call = {"id": "call_0", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    turn = {"role": "assistant", "content": None, "tool_calls": [call]}
    (run,) = read_lines({"messages": [turn, {"role": "tool", "tool_call_id": "call_0", "content": ""}, turn]})
    assert len(run.calls) == 2


def test_conversations_by_the_line_are_runs() -> None:
    line = {"messages": [{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "1", "content": ""}]}
    assert len(read_lines(line, line)) == 2


def test_messages_by_the_line_are_one_run_of_langgraph() -> None:
    human = {"type": "human", "content": "hi", "additional_kwargs": _NOTHING, "id": "1"}
    call = {"name": "docs_search", "args": _NOTHING, "id": "c"}
    ai = {"type": "ai", "content": "", "additional_kwargs": _NOTHING, "id": "2", "tool_calls": [call]}
    tool = {
        "type": "tool",
        "content": "ok",
        "additional_kwargs": _NOTHING,
        "id": "3",
        "tool_call_id": "c",
        "status": "success",
    }
    (run,) = read_lines(human, ai, tool)
    assert _show(run) == [("docs_search", "ok")]


def test_states_that_grow_are_one_run_and_others_are_their_own() -> None:
    human = {"type": "human", "content": "hi", "additional_kwargs": _NOTHING, "id": "1"}
    ai = {"type": "ai", "content": "yes", "additional_kwargs": _NOTHING, "id": "2"}
    other = {"messages": [{**human, "id": "7"}]}
    runs = read_lines({"messages": [human]}, {"messages": [human, ai]}, other)
    assert [run.turns for run in runs] == [1, None]


@pytest.mark.parametrize(("outcome", "status"), [("cancelled", "refused"), ("selected", "refused")])
def test_a_permission_that_was_not_given_is_refused(outcome: str, status: str) -> None:
    def line(sender: str, **message: Any) -> dict[str, Any]:
        return {"from": sender, "message": {"jsonrpc": "2.0", **message}}

    call = {"toolCallId": "1", "title": "search (docs MCP Server)", "rawInput": {"query": "x"}}
    options = [{"optionId": "no", "name": "No", "kind": "reject_once"}]
    ask = line("agent", id=0, method="session/request_permission", params={"toolCall": call, "options": options})
    answer = line("client", id=0, result={"outcome": {"outcome": outcome, "optionId": "no"}})
    (run,) = read_lines(ask, answer, line("agent", id=3, result={"stopReason": "end_turn"}))
    assert [(c.server, c.name, c.status) for c in run.calls] == [("docs", "search", status)]


def test_a_session_of_gemini_can_be_rewound() -> None:
    head = {"sessionId": "s", "projectHash": "p", "kind": "main"}
    call = {"id": "1", "name": "mcp_docs_search", "args": _NOTHING, "status": "success"}
    first = {"id": "a", "type": "gemini", "content": "", "toolCalls": [call]}
    second = {"id": "b", "type": "gemini", "content": "end"}
    (run,) = read_lines(head, first, {"$rewindTo": "a"}, second)
    assert run.calls == ()
    assert run.final_response == "end"


def test_calls_of_an_agent_that_is_a_tool_are_a_sub_agents() -> None:
    def span(number: str, parent: str | None, operation: str, **more: str) -> dict[str, Any]:
        words = {"gen_ai.operation.name": operation, **more}
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in words.items()]
        where = {"traceId": "t", "spanId": number, "parentSpanId": parent or "", "startTimeUnixNano": number}
        return {**where, "name": operation, "attributes": attributes}

    spans = [
        span("1", None, "invoke_agent"),
        span("2", "1", "execute_tool", **{"gen_ai.tool.name": "delegate"}),
        span("3", "2", "invoke_agent"),
        span("4", "3", "execute_tool", **{"gen_ai.tool.name": "docs_search"}),
    ]
    (run,) = read_lines({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    assert [call.name for call in run.calls] == ["delegate"]
    assert run.sub_agent_calls == 1


def test_a_tap_says_which_lines_are_lost() -> None:
    def line(seq: int) -> dict[str, Any]:
        message = {
            "jsonrpc": "2.0",
            "id": seq,
            "method": "tools/call",
            "params": {"name": "search", "arguments": _NOTHING},
        }
        return {"tap": "docs", "pid": 1, "seq": seq, "dir": "client", "message": message}

    (run,) = read_lines(line(1), line(4))
    assert run.warnings == ("the tap of `docs` lost 2 lines before its line 4",)
    assert [call.status for call in run.calls] == [None, None]


@pytest.mark.parametrize("is_whole_first", [True, False])
def test_the_answer_of_a_span_is_told_once_whether_whole_or_in_parts(is_whole_first: bool) -> None:
    message = "llm.output_messages.0.message."
    texts = {f"{message}contents.0.message_content.text": "done", f"{message}content": "done"}
    ordered = dict(sorted(texts.items(), reverse=not is_whole_first))
    attributes = {"openinference.span.kind": "LLM", **ordered}
    span = {"name": "ChatCompletion", "context": {"trace_id": "0x1", "span_id": "0x2"}, "attributes": attributes}
    (run,) = read_lines(span)
    assert run.final_response == "done"
