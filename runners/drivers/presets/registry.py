"""The programs that are known by name."""

from . import claude_code, codex, gemini, opencode

PRESETS_BY_NAME = {module.PRESET.name: module.PRESET for module in (claude_code, codex, gemini, opencode)}
