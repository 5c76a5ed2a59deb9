"""Gemini CLI: one prompt, events as JSON lines, its settings in a home of its own."""

from typing import Any

from ..preset import DriverTask, Launch, Preset, link_login, write_config


def _prepare(task: DriverTask) -> Launch:
    write_config(task.home / ".gemini" / "settings.json", _make_settings(task))
    if task.system_prompt is not None:
        write_config(task.home / ".gemini" / "GEMINI.md", task.system_prompt)
    link_login(task, ".gemini/oauth_creds.json", ".gemini/google_accounts.json")
    env = {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"}
    if task.base_url is not None:
        env |= {"GOOGLE_GEMINI_BASE_URL": task.base_url, "GEMINI_API_KEY": task.api_key or "none"}
    model = () if task.model is None else ("-m", task.model)
    return Launch(("gemini", "--output-format", "stream-json", *model, "-p", task.prompt), env)


def _make_settings(task: DriverTask) -> dict[str, Any]:
    is_trusted = task.permissions == "allow_tools"
    settings: dict[str, Any] = {
        "mcpServers": {name: {**entry, "trust": is_trusted} for name, entry in task.list_entries().items()},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
    }
    login = _choose_login(task)
    return settings if login is None else {**settings, "security": {"auth": {"selectedType": login}}}


def _choose_login(task: DriverTask) -> str | None:
    if task.base_url is not None:
        return "gemini-api-key"
    return "oauth-personal" if (task.user_home / ".gemini" / "oauth_creds.json").is_file() else None


PRESET = Preset("gemini", "gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), _prepare)
