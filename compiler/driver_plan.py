"""The program that runs the conversations of a test, as the plan has it."""

import re
from pathlib import PurePath
from typing import Literal

import msgspec

PRESETS = ("claude-code", "codex", "gemini", "opencode")
"""Programs that toolgrade knows how to start; each has a module in runners/drivers/presets."""

PLACEHOLDER = re.compile(r"\{(prompt|system_prompt|model|mcp_config|workdir)\}")
"""What stands for a value in the arguments and variables of a command."""

DEFAULT_TIMEOUT_S = 300

DriverKind = Literal["preset", "acp", "command"]
Permissions = Literal["allow_tools", "deny"]
ToolSearch = Literal["on", "off"]


class DriverPlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """A program, how it is started and how its conversation is read; `${env:NAME}` stays a reference until it runs."""

    kind: DriverKind
    preset: str | None = None
    argv: tuple[str, ...] = ()
    trace: str | None = None
    env: dict[str, str] = {}
    permissions: Permissions = "allow_tools"
    tool_search: ToolSearch | None = None
    workdir: str | None = None
    timeout_s: int = DEFAULT_TIMEOUT_S

    @property
    def label(self) -> str:
        """The name that its cells begin with: the preset, or the kind of driver and its program."""
        return self.preset or f"{self.kind}:{PurePath(self.argv[0]).name}"

    def name_cell(self, model: str | None) -> str:
        """Return the name of a cell with this model, or with the program's own choice of one."""
        return self.label if model is None else f"{self.label}:{model}"

    def find_model(self, cell_model: str) -> str | None:
        """Return the model of a cell that has this driver, or None if the program chooses it."""
        return None if cell_model == self.label else cell_model.removeprefix(f"{self.label}:")
