"""Presets: how a known program is started with the servers of a test and nothing of the user's own."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...compiler.driver_plan import Permissions, ToolSearch


@dataclass(frozen=True, slots=True)
class TappedServer:
    """A server behind its tap: the command that the program starts."""

    name: str
    command: str
    args: tuple[str, ...]

    def to_entry(self) -> dict[str, Any]:
        """Return the server as an entry of `.mcp.json`."""
        return {"command": self.command, "args": list(self.args)}


@dataclass(frozen=True, slots=True)
class DriverTask:
    """One run, as a program has to be told of it. `home` and `workdir` are its own folders."""

    prompt: str
    system_prompt: str | None
    model: str | None
    base_url: str | None
    api_key: str | None
    servers: tuple[TappedServer, ...]
    home: Path
    workdir: Path
    user_home: Path
    start_s: float
    permissions: Permissions = "allow_tools"
    tool_search: ToolSearch | None = None

    def list_entries(self) -> dict[str, dict[str, Any]]:
        """Return the servers as `.mcp.json` has them, by name."""
        return {server.name: server.to_entry() for server in self.servers}


@dataclass(frozen=True, slots=True)
class Launch:
    """A command line and the variables that it needs beside those that every program gets."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Preset:
    """A known program: `prepare` writes its configuration and returns its command line."""

    name: str
    trace: str
    login_variables: tuple[str, ...]
    prepare: Callable[[DriverTask], Launch]
    find_trace: Callable[[Path], Path | None] = lambda _home: None
    """Finds the trace that a program keeps in its home, if that tells more than what it prints."""


def write_config(path: Path, content: str | Mapping[str, Any]) -> Path:
    """Write a configuration that its owner alone can read; a mapping is written as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Private before anything is in it: there may be a key.
    path.touch(mode=0o600)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2), encoding="utf-8")
    return path


def link_login(task: DriverTask, *names: str) -> None:
    """Let a program use the login that it has in the user's home, unless the test names an address of its own.

    The files are linked: a program that renews its login keeps the renewed one.
    """
    for name in names if task.base_url is None else ():
        theirs, ours = task.user_home / name, task.home / name
        if theirs.is_file():
            ours.parent.mkdir(parents=True, exist_ok=True)
            ours.symlink_to(theirs)
