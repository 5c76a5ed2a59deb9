"""Codex: `codex exec`, with its configuration in a folder of its own. Its session file is the trace."""

import json
from pathlib import Path

from ..preset import DriverTask, Launch, Preset, link_login, write_config

_KEY = "TOOLGRADE_MODEL_KEY"


def _prepare(task: DriverTask) -> Launch:
    folder = task.home / ".codex"
    write_config(folder / "config.toml", _make_config(task))
    link_login(task, ".codex/auth.json")
    env = {"CODEX_HOME": str(folder)}
    if task.base_url is not None:
        env[_KEY] = task.api_key or "none"
    argv = ("codex", "exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write", "--", task.prompt)
    return Launch(argv, env)


def _make_config(task: DriverTask) -> str:
    lines = ['approval_policy = "never"', "check_for_update_on_startup = false"]
    if task.model is not None:
        lines.append(f"model = {json.dumps(task.model)}")
    if task.system_prompt is not None:
        lines.append(f"developer_instructions = {json.dumps(task.system_prompt)}")
    if task.base_url is not None:
        lines += [
            'model_provider = "test"',
            "[model_providers.test]",
            'name = "test"',
            f"base_url = {json.dumps(task.base_url)}",
            'wire_api = "responses"',
            f'env_key = "{_KEY}"',
        ]
    return "\n".join([*lines, *_list_server_lines(task), ""])


def _list_server_lines(task: DriverTask) -> list[str]:
    """Return the servers as TOML. Codex answers before they are ready unless it is told that they are required."""
    approval = "approve" if task.permissions == "allow_tools" else "prompt"
    return [
        line
        for server in task.servers
        for line in (
            f"[mcp_servers.{json.dumps(server.name)}]",
            f"command = {json.dumps(server.command)}",
            f"args = {json.dumps(list(server.args))}",
            "required = true",
            f"startup_timeout_sec = {task.start_s:g}",
            f'default_tools_approval_mode = "{approval}"',
        )
    ]


def _find_trace(home: Path) -> Path | None:
    """Return the session file: it has the ids of calls and the calls of tools that do not exist."""
    return next(iter(sorted(home.glob(".codex/sessions/**/rollout-*.jsonl"))), None)


PRESET = Preset("codex", "codex", ("OPENAI_API_KEY", "CODEX_API_KEY"), _prepare, _find_trace)
