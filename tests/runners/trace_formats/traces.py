"""What tests of trace formats share: the golden folders, and a file as its runs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgrade.runners.trace_formats.imported_run import ImportedRun
from toolgrade.runners.trace_formats.reading import TraceFile, open_trace
from toolgrade.runners.trace_formats.records import open_bytes
from toolgrade.runners.trace_formats.tool_names import KnownServers

GOLDEN = Path(__file__).parent / "golden"
LISTED = {
    "docs": frozenset(("search", "fetch", "list_pages")),
    "mail_box": frozenset(("search", "send_message", "delete_message")),
}
SERVERS = KnownServers(LISTED)
FORMAT_OF_FOLDER = {
    "acp": "acp",
    "anthropic-messages": "anthropic",
    "atif": "atif",
    "claude-session": "claude-code",
    "claude-stream": "claude-code",
    "codex-exec": "codex",
    "codex-rollout": "codex",
    "gemini-session": "gemini",
    "gemini-stream": "gemini",
    "inspect": "inspect",
    "langchain": "langchain",
    "mcpchecker": "mcpchecker",
    "openai-agents": "openai-agents",
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "opencode-export": "opencode",
    "opencode-run": "opencode",
    "openinference": "openinference",
    "otlp": "otlp",
    "pydantic-ai": "pydantic-ai",
    "qwen-session": "qwen",
    "qwen-stream": "qwen",
    "tap-log": "tap",
    "toolgrade": "toolgrade",
}


@dataclass(frozen=True)
class GoldenTrace:
    """A trace of a real program, and what it must give."""

    path: Path
    format: str
    expected: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"


def find_golden() -> list[GoldenTrace]:
    """Return all golden traces."""
    return [
        GoldenTrace(folder / name, FORMAT_OF_FOLDER[folder.name], expected)
        for folder in sorted(GOLDEN.iterdir())
        for name, expected in json.loads((folder / "expected.json").read_text()).items()
    ]


def read_bytes(data: bytes, name: str = "auto", file: str = "trace.jsonl") -> tuple[TraceFile, list[ImportedRun]]:
    """Return a file in memory and its runs."""
    opened = open_trace(file, open_bytes(data), name)
    return opened, list(opened.runs)


def read_path(path: Path, name: str = "auto") -> tuple[TraceFile, list[ImportedRun]]:
    """Return a file and its runs."""
    with path.open("rb") as stream:
        opened = open_trace(str(path), stream, name)
        return opened, list(opened.runs)


def read_lines(*lines: dict[str, Any], name: str = "auto") -> list[ImportedRun]:
    """Return the runs of these lines."""
    return read_bytes("".join(json.dumps(line) + "\n" for line in lines).encode(), name)[1]
