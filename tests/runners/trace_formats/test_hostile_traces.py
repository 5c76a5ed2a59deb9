"""Traces that are cut, mixed, newer, huge or no text: the right trace, or an error with file and line."""

import json
import re
import tracemalloc
from pathlib import Path

import pytest

from tests.runners.trace_formats.traces import GOLDEN, GoldenTrace, find_golden, read_bytes, read_lines
from toolgrade.foundations.fault import BadInput
from toolgrade.runners.trace_formats.reading import open_trace

LINE_TRACES = [trace for trace in find_golden() if trace.path.suffix == ".jsonl"]
DOCUMENTS = [trace for trace in find_golden() if trace.path.suffix == ".json"]
ONE_SHAPE = ("tap", "acp", "openinference", "langchain")
"""Formats in which every line has the same shape, so that none can be an unknown event."""
REPEATING = ("claude-code", "codex", "openai-chat", "openai-responses")
"""Formats of which lines are seen twice."""
CLAUDE = GOLDEN / "claude-stream" / "plain.jsonl"
CODEX = GOLDEN / "codex-exec" / "run.jsonl"


@pytest.mark.parametrize("trace", LINE_TRACES, ids=str)
def test_a_last_line_that_is_cut_is_an_error_with_its_line(trace: GoldenTrace) -> None:
    data = trace.path.read_bytes().rstrip()
    with pytest.raises(BadInput, match=rf"^trace\.jsonl:{data.count(10) + 1}: the JSON is cut off here"):
        read_bytes(data[:-4])


@pytest.mark.parametrize("trace", DOCUMENTS, ids=str)
def test_a_document_that_is_cut_is_an_error_with_its_last_line(trace: GoldenTrace) -> None:
    data = trace.path.read_bytes().rstrip()[:-3].rstrip()
    with pytest.raises(BadInput, match=rf"^trace\.jsonl:{data.count(10) + 1}: the JSON is cut off here"):
        read_bytes(data)


@pytest.mark.parametrize("trace", LINE_TRACES + DOCUMENTS, ids=str)
def test_unknown_fields_and_a_mark_at_the_start_change_nothing(trace: GoldenTrace) -> None:
    data = trace.path.read_bytes()
    _, before = read_bytes(data)
    newer = data.replace(b'{"', b'{"added_by_a_newer_version": [1, {"x": null}], "', 1)
    _, after = read_bytes(b"\xef\xbb\xbf" + newer)
    assert after == before


@pytest.mark.parametrize("trace", [t for t in LINE_TRACES if t.format not in ONE_SHAPE], ids=str)
def test_unknown_events_are_skipped_and_counted(trace: GoldenTrace) -> None:
    data = trace.path.read_bytes().rstrip() + b'\n{"type": "of_next_year", "object": "of_next_year"}\n'
    opened, runs = read_bytes(data)
    assert sum(opened.skipped.values()) == 1
    assert len(runs) == 1


@pytest.mark.parametrize("trace", [t for t in LINE_TRACES if t.format in REPEATING], ids=str)
def test_lines_that_are_repeated_count_once(trace: GoldenTrace) -> None:
    lines = trace.path.read_bytes().splitlines(keepends=True)
    _, (before,) = read_bytes(b"".join(lines))
    _, (after,) = read_bytes(b"".join(line + line for line in lines))
    assert after.calls == before.calls
    assert after.final_response == before.final_response


@pytest.mark.parametrize("trace", LINE_TRACES + DOCUMENTS, ids=str)
def test_text_that_is_not_utf8_is_an_error_with_its_line(trace: GoldenTrace) -> None:
    data = trace.path.read_bytes()
    at = data.index(b'"', len(data) // 2)
    with pytest.raises(BadInput, match=rf"^trace\.jsonl:{data[:at].count(10) + 1}: not UTF-8 text"):
        read_bytes(data[:at] + b"\xff\xfe" + data[at:])


def test_utf16_is_named() -> None:
    with pytest.raises(BadInput, match="not UTF-8 text, but UTF-16"):
        read_bytes('{"a": 1}\n'.encode("utf-16"))


@pytest.mark.parametrize("first", LINE_TRACES, ids=str)
def test_two_formats_in_one_file_are_an_error_that_names_both_or_the_line(first: GoldenTrace) -> None:
    second = CODEX if first.format != "codex" else CLAUDE
    with pytest.raises(BadInput, match=r"fits several formats|fits two shapes|began as another format|trace.jsonl:\d+"):
        read_bytes(first.path.read_bytes().rstrip() + b"\n" + second.read_bytes())


def test_a_second_format_far_down_in_a_file_is_an_error_with_its_line() -> None:
    filler = b'{"type": "stream_event", "event": {}}\n' * 200
    data = CLAUDE.read_bytes().rstrip() + b"\n" + filler
    line = data.count(10) + 1
    with pytest.raises(BadInput, match=rf"^trace\.jsonl:{line}: this is codex, and the file began as another format"):
        read_bytes(data + CODEX.read_bytes())


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "no trace that is known"),
        (b"\n \n", "no trace that is known"),
        (b"42\n", "no trace that is known"),
        (b'{"a": 1}\n', "no trace that is known"),
        (b"not json at all\n", "trace.jsonl:1: not JSON"),
        (b'{"a": 1}\n{"b": }\n', "trace.jsonl:2: not JSON"),
        (b'{\n "a": 1,\n}\n', "trace.jsonl:3: not JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b"[[1]]\n", "a list in a list is no trace"),
        (b'[{"role": "user", "content": "hi"}]', "fits several formats: openai-chat, openai-responses, anthropic"),
    ],
)
def test_what_is_no_trace_is_said(data: bytes, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        read_bytes(data)


def test_the_nearest_format_is_named() -> None:
    with pytest.raises(BadInput) as caught:
        read_bytes(b'{"timestamp": 1, "sessionID": "s", "part": {}}\n')
    assert caught.value.help == "the nearest format is opencode: --from opencode reads it as that"


def test_a_file_that_is_plainly_another_format_is_not_read_as_the_one_that_was_named() -> None:
    with pytest.raises(BadInput, match="no trace of gemini, it looks like claude-code") as caught:
        read_bytes(CLAUDE.read_bytes(), "gemini")
    assert caught.value.help == "--from claude-code"


def test_a_format_that_does_not_exist_is_named_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="no trace format is named `claude-cod`") as caught:
        read_bytes(CLAUDE.read_bytes(), "claude-cod")
    assert caught.value.help == "did you mean `claude-code`?"


def test_a_known_event_of_another_shape_is_an_error_with_its_line() -> None:
    lines = CLAUDE.read_text().splitlines()
    lines[1] = re.sub(r'"content": ?\[', '"content": 7, "old": [', lines[1])
    with pytest.raises(BadInput, match=r"^trace\.jsonl:2: expected"):
        read_bytes("\n".join(lines).encode())


def test_a_stream_that_ends_early_says_so() -> None:
    lines = CLAUDE.read_bytes().splitlines(keepends=True)
    _, (run,) = read_bytes(b"".join(lines[:-1]))
    assert run.warnings == ("it ends without its `result` line: it may be cut",)


def test_a_recognised_file_without_calls_is_one_run_with_none() -> None:
    (run,) = read_lines(
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "Nothing to do."}},
        {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 2}},
    )
    assert run.calls == ()
    assert run.final_response == "Nothing to do."


def test_memory_stays_flat_over_a_hundred_thousand_events(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    filler = json.dumps({"type": "stream_event", "session_id": "s", "event": {"text": "x" * 1000}}) + "\n"
    with file.open("w") as out:
        out.write(CLAUDE.read_text())
        out.writelines(filler for _ in range(100_000))
    tracemalloc.start()
    with file.open("rb") as stream:
        (run,) = list(open_trace(str(file), stream).runs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(run.calls) == 5
    assert peak < 8_000_000


@pytest.mark.parametrize("name", ["traces.json", "traces.eval"])
def test_a_damaged_archive_is_an_error(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes((GOLDEN / "inspect" / "log.eval").read_bytes()[:4000])
    with file.open("rb") as stream, pytest.raises(BadInput, match="the archive is damaged"):
        open_trace(str(file), stream)
