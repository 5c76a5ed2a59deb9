"""opencode: `opencode run`, with a configuration file that the environment names."""

from typing import Any

from ..preset import DriverTask, Launch, Preset, link_login, write_config

_OWN_TOOLS = ("bash", "edit", "webfetch", "websearch")
_PROVIDER = "test"


def _prepare(task: DriverTask) -> Launch:
    config = write_config(task.home / "opencode.json", _make_config(task))
    link_login(task, ".local/share/opencode/auth.json")
    env = {"OPENCODE_CONFIG": str(config), "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}
    if task.base_url is not None:
        env["OPENCODE_DISABLE_MODELS_FETCH"] = "1"
    return Launch(("opencode", "run", "--format", "json", task.prompt), env)


def _make_config(task: DriverTask) -> dict[str, Any]:
    allowed = "allow" if task.permissions == "allow_tools" else "deny"
    config: dict[str, Any] = {
        "autoupdate": False,
        "share": "disabled",
        "permission": {"*": allowed, **dict.fromkeys(_OWN_TOOLS, "deny")},
        "mcp": {
            server.name: {
                "type": "local",
                "command": [server.command, *server.args],
                "enabled": True,
                "timeout": int(task.start_s * 1000),
            }
            for server in task.servers
        },
    }
    if task.system_prompt is not None:
        config["instructions"] = [str(write_config(task.home / "instructions.md", task.system_prompt))]
    if task.base_url is not None:
        return {**config, **_make_provider(task, task.base_url)}
    return config if task.model is None else {**config, "model": task.model}


def _make_provider(task: DriverTask, base_url: str) -> dict[str, Any]:
    """Return what makes a model at an address that speaks the OpenAI protocol the only one."""
    model = task.model or "default"
    options = {"baseURL": base_url, "apiKey": task.api_key or "none"}
    models = {model: {"name": model, "tool_call": True}}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": _PROVIDER, "options": options, "models": models}
    name = f"{_PROVIDER}/{model}"
    return {"model": name, "small_model": name, "provider": {_PROVIDER: provider}}


PRESET = Preset("opencode", "opencode", ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), _prepare)
