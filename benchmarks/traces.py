"""How fast traces of other programs are read, against `json.loads` of the same bytes, and in how much memory."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

from timing import least

from toolgrade.runners.trace_formats.reading import open_trace

GOLDEN = Path(__file__).parent.parent / "tests" / "runners" / "trace_formats" / "golden"
LINES = {
    "claude-code": "claude-stream/plain.jsonl",
    "claude-code session": "claude-session/toolsearch.jsonl",
    "codex": "codex-exec/run.jsonl",
    "codex session": "codex-rollout/session.jsonl",
    "gemini": "gemini-stream/run.jsonl",
    "qwen": "qwen-stream/plain.jsonl",
    "opencode": "opencode-run/run.jsonl",
    "acp": "acp/claude.jsonl",
    "openai-chat": "openai-chat/responses.jsonl",
    "openinference": "openinference/openai_chat.jsonl",
    "tap": "tap-log/tap.jsonl",
}
DOCUMENTS = {
    "langchain": "langchain/langgraph_state.json",
    "otlp": "otlp/pydantic_ai.json",
    "atif": "atif/harbor_claude.json",
    "inspect": "inspect/log.json",
    "pydantic-ai": "pydantic-ai/all_messages.json",
}
AIM, BYTES = 3, 8 * 1024 * 1024
PEAK = """
import sys
from toolgrade.runners.trace_formats.reading import open_trace
with open(sys.argv[1], "rb") as stream:
    for run in open_trace(sys.argv[1], stream).runs:
        pass
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def write_long(source: Path, file: Path, size: int) -> None:
    """Write the lines of a trace again and again: most readers know repeated ids, and have all of it to read."""
    data = source.read_bytes().rstrip() + b"\n"
    with file.open("wb") as stream:
        for _ in range(max(1, size // len(data))):
            stream.write(data)


def write_large(source: Path, file: Path, size: int) -> None:
    """Write a document whose longest list is repeated until it is large."""
    data = source.read_bytes()
    document = json.loads(data)
    longest = max(_find_lists(document), key=lambda found: len(json.dumps(found)))
    longest *= max(1, size // len(data))
    file.write_text(json.dumps(document), encoding="utf-8")


def _find_lists(value: Any) -> Iterator[list[Any]]:
    """Yield the outermost lists of a document."""
    if isinstance(value, list):
        yield cast(list[Any], value)
    elif isinstance(value, dict):
        for part in cast(dict[str, Any], value).values():
            yield from _find_lists(part)


def read(file: Path) -> None:
    with file.open("rb", buffering=256 * 1024) as stream:
        for _ in open_trace(str(file), stream).runs:
            pass


def load_lines(file: Path) -> None:
    with file.open("rb") as stream:
        for line in stream:
            json.loads(line)


def load_document(file: Path) -> None:
    json.loads(file.read_bytes())


def measure(folder: Path) -> Iterator[str]:
    for name, source in LINES.items():
        file = folder / "long.jsonl"
        write_long(GOLDEN / source, file, BYTES)
        yield _compare(name, least(3, partial(read, file), partial(load_lines, file)))
    for name, source in DOCUMENTS.items():
        file = folder / "large.json"
        write_large(GOLDEN / source, file, BYTES)
        yield _compare(name, least(3, partial(read, file), partial(load_document, file)))


def _compare(name: str, seconds: list[float]) -> str:
    ours, theirs = seconds
    return f"{name:22} {ours / theirs:5.2f} times json.loads (aim: at most {AIM})"


def measure_memory(folder: Path) -> str:
    peaks: list[int] = []
    for size in (BYTES, 12 * BYTES):
        file = folder / "memory.jsonl"
        write_long(GOLDEN / LINES["claude-code"], file, size)
        done = subprocess.run([sys.executable, "-c", PEAK, str(file)], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) // 1024)
    return f"peak memory: {peaks[0]} MB for {BYTES >> 20} MB, {peaks[1]} MB for {12 * BYTES >> 20} MB (aim: flat)"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for line in measure(Path(place)):
            print(line)
        print(measure_memory(Path(place)))
