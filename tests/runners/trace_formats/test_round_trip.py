"""Any trace of ours, written as another program would write it and read back, gives the same verdict."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.runners.trace_formats.traces import LISTED, SERVERS, read_bytes
from toolgrade.gate_scoring import score_selection
from toolgrade.gates.trace import Call, Trace
from toolgrade.runners.trace_formats.resolved_run import NameResolver

TOOLS = [(server, tool) for server, tools in sorted(LISTED.items()) for tool in sorted(tools)]
CLASSES: list[dict[str, Any]] = [
    {"name": "look", "members": ["docs.search", "mail_box.search"]},
    {"name": "read", "members": ["docs.fetch"]},
    {"name": "send", "members": ["mail_box.send_message"]},
]
Turns = list[list[tuple[str, str, dict[str, Any], bool]]]


def _make_call(tool: tuple[str, str], args: dict[str, Any], ok: bool) -> tuple[str, str, dict[str, Any], bool]:
    return *tool, args, ok


_VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
_ARGS = st.dictionaries(st.text(max_size=6), _VALUES | st.lists(_VALUES, max_size=3), max_size=3)
_CALLS = st.builds(_make_call, st.sampled_from(TOOLS), _ARGS, st.booleans())
TURNS: st.SearchStrategy[Turns] = st.lists(st.lists(_CALLS, min_size=1, max_size=3), max_size=5)


def _lines(*lines: dict[str, Any]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def write_claude(turns: Turns) -> bytes:
    lines: list[dict[str, Any]] = [{"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": "2"}]
    for number, calls in enumerate(turns):
        for place, (server, tool, args, _) in enumerate(calls):
            block = {"type": "tool_use", "id": f"{number}.{place}", "name": f"mcp__{server}__{tool}", "input": args}
            message = {"role": "assistant", "id": f"m{number}", "content": [block]}
            lines.append({"type": "assistant", "session_id": "s", "message": message})
        for place, (*_, ok) in enumerate(calls):
            block = {"type": "tool_result", "tool_use_id": f"{number}.{place}", "is_error": not ok, "content": ""}
            lines.append({"type": "user", "session_id": "s", "message": {"role": "user", "content": [block]}})
    return _lines(*lines, {"type": "result", "session_id": "s", "result": "done"})


def write_openai(turns: Turns) -> bytes:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, calls in enumerate(turns):
        made = [
            {"id": f"{number}.{place}", "function": {"name": f"{server}__{tool}", "arguments": json.dumps(args)}}
            for place, (server, tool, args, _) in enumerate(calls)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": made})
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": ""} for call in made]
    tools = [{"type": "function", "function": {"name": f"{server}__{tool}"}} for server, tool in TOOLS]
    return json.dumps({"messages": messages, "tools": tools}, indent=1).encode()


def write_langchain(turns: Turns) -> bytes:
    messages: list[dict[str, Any]] = [{"type": "human", "content": "go", "additional_kwargs": {}}]
    for number, calls in enumerate(turns):
        made = [
            {"name": f"{server}_{tool}", "args": args, "id": f"{number}.{place}"}
            for place, (server, tool, args, _) in enumerate(calls)
        ]
        messages.append({"type": "ai", "content": "", "additional_kwargs": {}, "tool_calls": made})
        for call, (*_, ok) in zip(made, calls, strict=True):
            status = "success" if ok else "error"
            messages.append({"type": "tool", "content": "", "tool_call_id": call["id"], "status": status})
    return json.dumps({"messages": messages}).encode()


def write_codex(turns: Turns) -> bytes:
    lines: list[dict[str, Any]] = [{"type": "thread.started", "thread_id": "t"}]
    calls = [call for turn in turns for call in turn]
    for number, (server, tool, args, ok) in enumerate(calls):
        item = {"id": str(number), "type": "mcp_tool_call", "server": server, "tool": tool, "arguments": args}
        lines.append({"type": "item.started", "item": {**item, "status": "in_progress"}})
        lines.append({"type": "item.completed", "item": {**item, "status": "completed" if ok else "failed"}})
    return _lines(*lines, {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}})


WRITERS: list[Callable[[Turns], bytes]] = [write_claude, write_openai, write_langchain, write_codex]


def _write_own(turns: Turns) -> Trace:
    calls = [
        Call(tool, server, status="ok" if ok else "error", turn=number)
        for number, made in enumerate(turns, 1)
        for server, tool, _, ok in made
    ]
    return Trace(tuple(calls))


@given(TURNS, st.sampled_from(WRITERS))
def test_a_trace_in_another_format_gets_the_same_verdict(turns: Turns, write: Callable[[Turns], bytes]) -> None:
    _, (run,) = read_bytes(write(turns), "auto", "trace")
    read = NameResolver(SERVERS).resolve(run).trace
    own = _write_own(turns)
    assert [call.id for call in read.tool_calls] == [call.id for call in own.tool_calls]
    assert score_selection(CLASSES, [read]) == score_selection(CLASSES, [own])
    if write is not write_openai:
        assert [call.status for call in read.tool_calls] == [call.status for call in own.tool_calls]
    if write is not write_codex:
        assert [call.turn for call in read.tool_calls] == [call.turn for call in own.tool_calls]
    wanted = [args for made in turns for *_, args, _ in made]
    assert [json.loads(bytes(call.args)) for call in read.tool_calls] == wanted  # type: ignore[arg-type]
