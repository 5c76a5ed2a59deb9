"""Every format that traces are read from: a row each, and two rows if one name has two shapes."""

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
    own_format.OWN_FORMAT,
    tap_log.TAP_LOG,
    acp.ACP,
    claude_code.CLAUDE_CODE,
    codex_exec.CODEX_EXEC,
    codex_rollout.CODEX_ROLLOUT,
    gemini.GEMINI,
    gemini_session.GEMINI_SESSION,
    qwen.QWEN,
    qwen_session.QWEN_SESSION,
    opencode.OPENCODE_RUN,
    opencode.OPENCODE_EXPORT,
    openai_chat.OPENAI_CHAT,
    openai_responses.OPENAI_RESPONSES,
    anthropic.ANTHROPIC,
    openai_agents.OPENAI_AGENTS,
    langchain.LANGCHAIN,
    pydantic_ai.PYDANTIC_AI,
    otlp.OTLP,
    openinference.OPENINFERENCE,
    atif.ATIF,
    inspect_log.INSPECT_LOG,
    mcpchecker.MCPCHECKER,
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
