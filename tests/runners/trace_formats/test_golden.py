"""Traces of real programs: each gives the calls that the program made, told by its shape or by its name."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.runners.trace_formats.traces import (
    FORMAT_OF_FOLDER,
    GOLDEN,
    LISTED,
    SERVERS,
    GoldenTrace,
    find_golden,
    read_path,
)
from toolgrade.gates.trace import Call
from toolgrade.runners.trace_formats.imported_run import ImportedCall, ImportedRun
from toolgrade.runners.trace_formats.records import read_records
from toolgrade.runners.trace_formats.registry import FORMATS
from toolgrade.runners.trace_formats.resolved_run import NameResolver
from toolgrade.runners.trace_formats.shape import Shape
from toolgrade.runners.trace_formats.tool_names import AmbiguousName, KnownServers

TRACES = find_golden()
ARCHIVES = [trace for trace in TRACES if trace.path.suffix == ".eval"]
AMBIGUOUS = [trace for trace in TRACES if any(call["server"] is None for call in trace.expected["tool_calls"])]


@pytest.mark.parametrize("trace", TRACES, ids=str)
@pytest.mark.parametrize("by_name", [False, True], ids=["auto", "by name"])
def test_a_trace_gives_what_the_program_did(trace: GoldenTrace, by_name: bool) -> None:
    _skip_without_zstd(trace)
    opened, runs = read_path(trace.path, trace.format if by_name else "auto")
    assert len(runs) == 1
    run, expected = runs[0], trace.expected
    calls, others = _resolve_each(run)
    assert _in_any_order_of_a_turn(calls) == _in_any_order_of_a_turn(
        [(turn, *_expected_call(call)) for (turn, *_), call in zip(calls, expected["tool_calls"], strict=True)]
    )
    assert run.final_response == expected["final_response"]
    assert others == len(expected.get("other_calls", ()))
    if "turns" in expected:
        assert run.turns == expected["turns"]
    if "usage" in expected:
        assert msgspec.to_builtins(run.usage) == expected["usage"]
    assert not opened.skipped
    assert not run.warnings


def _skip_without_zstd(trace: GoldenTrace) -> None:
    if trace in ARCHIVES:
        pytest.importorskip("zstandard", reason="an .eval file needs zstandard")


def _resolve_each(run: ImportedRun) -> tuple[list[tuple[int | None, str | None, str, Any, str]], int]:
    """Return the calls, with no server where the file cannot tell it, and how many are of other tools."""
    calls: list[tuple[int | None, str | None, str, Any, str]] = []
    others = 0
    for call in run.calls:
        resolved = _resolve_one(call)
        if resolved is None:
            others += 1
            continue
        args = None if isinstance(resolved.args, msgspec.UnsetType) else json.loads(bytes(resolved.args))
        calls.append((call.turn, resolved.server, resolved.name, args, resolved.status or "unknown"))
    return calls, others


def _resolve_one(call: ImportedCall) -> Call | None:
    try:
        found = NameResolver(SERVERS).resolve(ImportedRun((call,))).trace.tool_calls
    except AmbiguousName:
        return Call(call.name, None, call.args, call.status)
    return found[0] if found else None


def _expected_call(call: dict[str, Any]) -> tuple[Any, ...]:
    return call["server"], call["name"], call["args"], call["status"]


def _in_any_order_of_a_turn(calls: Sequence[tuple[Any, ...]]) -> list[str]:
    return sorted(json.dumps(call, sort_keys=True) for call in calls)


@pytest.mark.parametrize("trace", TRACES, ids=str)
def test_exactly_one_reader_claims_a_trace(trace: GoldenTrace) -> None:
    _skip_without_zstd(trace)
    opened, _ = read_path(trace.path)
    assert opened.format.name == trace.format or trace.format in opened.format.also
    if trace not in ARCHIVES:
        with trace.path.open("rb") as stream:
            sample = [Shape(record.data) for record in read_records(str(trace.path), stream)]
        assert [row.label for row in FORMATS if row.claims(sample)] == [opened.format.label]


@pytest.mark.parametrize("trace", AMBIGUOUS, ids=str)
def test_a_bare_name_of_two_servers_is_an_error_that_names_them(trace: GoldenTrace) -> None:
    _skip_without_zstd(trace)
    _, (run,) = read_path(trace.path)
    with pytest.raises(AmbiguousName, match="`docs` or `mail_box`") as caught:
        NameResolver(SERVERS).resolve(run)
    assert caught.value.help == "say whose it is: --server-of search=docs or --server-of search=mail_box"


@pytest.mark.parametrize("trace", AMBIGUOUS, ids=str)
def test_the_user_says_whose_a_bare_name_is(trace: GoldenTrace) -> None:
    _skip_without_zstd(trace)
    _, (run,) = read_path(trace.path)
    resolved = NameResolver(KnownServers(LISTED, {"search": "docs"})).resolve(run)
    expected = [(call["server"] or "docs", call["name"]) for call in trace.expected["tool_calls"]]
    assert sorted((call.server, call.name) for call in resolved.trace.tool_calls) == sorted(expected)


def test_every_format_has_a_golden_folder() -> None:
    assert {row.name for row in FORMATS} == set(FORMAT_OF_FOLDER.values())
    assert {path.name for path in GOLDEN.iterdir()} == set(FORMAT_OF_FOLDER)


def test_calls_of_one_turn_have_the_same_turn() -> None:
    _, (run,) = read_path(GOLDEN / "claude-stream" / "plain.jsonl")
    assert [call.turn for call in run.calls] == [1, 2, 2, 3, 4]


@pytest.mark.parametrize(
    ("file", "count"),
    [
        ("claude-session/plain.jsonl", 6),
        ("openai-chat/messages.json", 6),
        ("anthropic-messages/messages.json", 6),
        ("openai-responses/mcp.json", 6),
        ("otlp/pydantic_ai.json", 6),
        ("openinference/openai_chat.jsonl", 6),
        ("atif/hand.json", 6),
        ("tap-log/tap.jsonl", 6),
    ],
)
def test_a_catalog_in_a_trace_is_kept(file: str, count: int) -> None:
    _, (run,) = read_path(GOLDEN / Path(file))
    assert len(run.offered) == count
    assert all(not isinstance(tool.input_schema, msgspec.UnsetType) for tool in run.offered)


@pytest.mark.parametrize(
    "file",
    [
        "claude-session/plain.jsonl",
        "codex-rollout/session.jsonl",
        "gemini-stream/run.jsonl",
        "gemini-session/session.jsonl",
        "qwen-session/toolsearch.jsonl",
        "opencode-export/session.json",
        "acp/codex.jsonl",
        "openai-chat/messages.json",
        "openai-responses/input.json",
        "anthropic-messages/messages.json",
        "langchain/langgraph_state.json",
        "pydantic-ai/all_messages.json",
        "otlp/pydantic_ai.json",
        "openinference/anthropic.jsonl",
        "atif/harbor_codex.json",
        "inspect/log.json",
    ],
)
def test_the_prompt_is_the_users_own_words(file: str) -> None:
    _, (run,) = read_path(GOLDEN / Path(file))
    assert run.prompt == (
        "Find the retention policy in the docs, look for mails from legal about it, and send Dana a summary."
    )
