"""Taps in a client's own configuration, in the form of `.mcp.json`: put around every server, and taken out again."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ...foundations.fault import BadInput, Fault
from ..atomic_file import write_durably

# The first is the key of `.mcp.json`, the second that of VS Code.
_KEYS = ("mcpServers", "servers", "mcp_servers")
_INDENT = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """A configuration as it was read: its text, all of it, and the servers in it."""

    text: str
    document: Mapping[str, Any]
    key: str

    @property
    def servers(self) -> Mapping[str, Any]:
        return cast(Mapping[str, Any], self.document[self.key])

    def with_servers(self, servers: Mapping[str, Any]) -> str:
        """Return the text with other servers in it, indented as it was."""
        # So that a tap that is put in and taken out leaves the file as it was.
        found = _INDENT.search(self.text)
        document = {**self.document, self.key: servers}
        end = "\n" if self.text.endswith("\n") else ""
        return json.dumps(document, indent=found[1] if found else 2, ensure_ascii=False) + end


@dataclass(frozen=True, slots=True)
class ConfigEdit:
    """What becomes of a configuration, and a line for each server of it."""

    text: str
    notes: tuple[str, ...]

    def write(self, path: Path) -> None:
        """Write the file whole. Raise Fault if that cannot be done."""
        try:
            write_durably(path, self.text.encode())
        except OSError as error:
            raise Fault(f"{path.as_posix()}: {error.strerror or error}") from None


def read_client_config(path: Path) -> ClientConfig:
    """Return the servers that a client's configuration names. Raise BadInput if the file is not one."""
    try:
        text = path.read_text(encoding="utf-8")
        document: dict[str, Any] = json.loads(text)
    except OSError as error:
        raise BadInput(f"{path.as_posix()}: {error.strerror or error}", "name a file such as .mcp.json") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.as_posix()}: not JSON: {error}", "comments are not allowed in it") from None
    keys = [key for key in _KEYS if isinstance(document, dict) and isinstance(document.get(key), dict)]  # pyright: ignore[reportUnnecessaryIsInstance]
    if not keys:
        raise BadInput(f"{path.as_posix()}: it has no `mcpServers`", "name a file such as .mcp.json")
    return ClientConfig(text, document, keys[0])


def install_taps(config: ClientConfig, python: str, log: Path) -> ConfigEdit:
    """Return the configuration with a tap around every server that is started as a process."""
    servers, notes = dict(config.servers), list[str]()
    for name, entry in config.servers.items():
        if _find_tapped_command(entry):
            notes.append(f"{name}: has a tap already")
        elif isinstance(entry, dict) and isinstance(cast(dict[str, Any], entry).get("command"), str):
            servers[name] = wrap_server(cast(dict[str, Any], entry), name, python, log)
            notes.append(f"{name}: tapped, log in {log.as_posix()}")
        else:
            notes.append(f"{name}: left as it is: only servers with a `command` can be tapped here")
    return ConfigEdit(config.with_servers(servers), tuple(notes))


def remove_taps(config: ClientConfig) -> ConfigEdit:
    """Return the configuration without taps: what each server was before."""
    servers, notes = dict(config.servers), list[str]()
    for name, entry in config.servers.items():
        command = _find_tapped_command(entry)
        if command:
            servers[name] = _set_command(cast(dict[str, Any], entry), command[0], command[1:])
            notes.append(f"{name}: tap removed")
    return ConfigEdit(config.with_servers(servers), tuple(notes) or ("no server has a tap",))


def wrap_server(entry: Mapping[str, Any], name: str, python: str, log: Path) -> dict[str, Any]:
    """Return a server's entry with its command behind a tap; the variables it is given keep out of the log."""
    env = entry.get("env")
    variables = sorted(cast(dict[str, Any], env)) if isinstance(env, dict) else []
    command = [entry["command"], *entry.get("args", ())]
    return _set_command(entry, python, make_tap_arguments(name, log, command, variables))


def make_tap_arguments(name: str, log: Path, command: Sequence[str], secrets: Sequence[str] = ()) -> list[str]:
    """Return what stands behind the Python interpreter to start a server behind a tap."""
    hidden = [f"--secret={variable}" for variable in secrets]
    return ["-m", "toolgrade", "tap", f"--log={log}", *hidden, "--", name, *command]


def _set_command(entry: Mapping[str, Any], command: str, args: Sequence[str]) -> dict[str, Any]:
    """Return an entry with another command, and without `args` if there are none."""
    changed = {**entry, "command": command, "args": list(args)}
    return changed if args else {key: value for key, value in changed.items() if key != "args"}


def _find_tapped_command(entry: Any) -> list[str]:
    """Return the command behind the tap of an entry; an empty list if it has none."""
    found = cast(dict[str, Any], entry).get("args") if isinstance(entry, dict) else None
    args = cast(list[str], found) if isinstance(found, list) else []
    is_tapped = args[:3] == ["-m", "toolgrade", "tap"] and "--" in args
    # Behind the two dashes stand the tap's name and then the command.
    return args[args.index("--") + 2 :] if is_tapped else []
