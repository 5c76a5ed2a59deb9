"""Every format that traces are read from: a row each, two rows where one name has two shapes."""

from collections.abc import Sequence

from ...foundations.fault import BadInput
from ...foundations.suggestion import format_suggestion
from . import (
    acp,
    anthropic,
    atif,
    claude_code,
    codex_exec,
    codex_rollout,
    gemini,
    gemini_session,
    inspect_log,
    langchain,
    mcpchecker,
    openai_agents,
    openai_chat,
    openai_responses,
    opencode,
    openinference,
    otlp,
    own_format,
    pydantic_ai,
    qwen,
    qwen_session,
    tap_log,
)
from .trace_format import TraceFormat

AUTO = "auto"

FORMATS: list[TraceFormat] = [
    own_format.FORMAT,
    tap_log.FORMAT,
    acp.FORMAT,
    claude_code.FORMAT,
    codex_exec.FORMAT,
    codex_rollout.FORMAT,
    gemini.FORMAT,
    gemini_session.FORMAT,
    qwen.FORMAT,
    qwen_session.FORMAT,
    opencode.RUN,
    opencode.EXPORT,
    openai_chat.FORMAT,
    openai_responses.FORMAT,
    anthropic.FORMAT,
    openai_agents.FORMAT,
    langchain.FORMAT,
    pydantic_ai.FORMAT,
    otlp.FORMAT,
    openinference.FORMAT,
    atif.FORMAT,
    inspect_log.FORMAT,
    mcpchecker.FORMAT,
]


def list_format_names() -> list[str]:
    """Return what `--from` takes, `auto` aside."""
    return list(dict.fromkeys(row.name for row in FORMATS))


def find_formats(name: str) -> Sequence[TraceFormat]:
    """Return the rows that a name stands for; raise `BadInput` if there is none."""
    rows = [row for row in FORMATS if name in (AUTO, row.name, *row.also)]
    if not rows:
        names = list_format_names()
        help_line = format_suggestion(name, names) or f"formats: {', '.join(names)}"
        raise BadInput(f"no trace format is named `{name}`", help_line)
    return rows
