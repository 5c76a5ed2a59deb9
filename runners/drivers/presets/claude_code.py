"""Claude Code: `claude -p` with the servers of the test alone."""

from ..preset import DriverTask, Launch, Preset, link_login, write_config

_QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
)


def _prepare(task: DriverTask) -> Launch:
    config = write_config(task.home / "mcp.json", {"mcpServers": task.list_entries()})
    link_login(task, ".claude/.credentials.json")
    env = {"CLAUDE_CONFIG_DIR": str(task.home / ".claude"), **dict.fromkeys(_QUIET, "1")}
    if task.tool_search is not None:
        env["ENABLE_TOOL_SEARCH"] = "false" if task.tool_search == "off" else "true"
    if task.base_url is not None:
        env |= {"ANTHROPIC_BASE_URL": task.base_url, "ANTHROPIC_API_KEY": task.api_key or "none"}
    argv = ["claude", "-p", task.prompt, "--output-format", "stream-json", "--verbose"]
    argv += ["--mcp-config", str(config), "--strict-mcp-config"]
    argv += [] if task.model is None else ["--model", task.model]
    argv += [] if task.system_prompt is None else ["--append-system-prompt", task.system_prompt]
    if task.permissions == "allow_tools" and task.servers:
        argv += ["--allowedTools", *(f"mcp__{server.name}" for server in task.servers)]
    return Launch(tuple(argv), env)


_LOGIN = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
PRESET = Preset("claude-code", "claude-code", _LOGIN, _prepare)
