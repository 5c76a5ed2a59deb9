"""Taps in a client's configuration: what they are put around still works, and taking them out gives the file back."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunToolgrade
from tests.rogues import ROGUE

CONFIG: dict[str, Any] = {
    "theme": "dark é",
    "mcpServers": {
        "docs": {"command": "python3", "args": [str(ROGUE), "--", "x"], "env": {"PLAIN": "canary-one"}, "extra": 1},
        "bare": {"command": "bare-server"},
        "web": {"type": "http", "url": "http://127.0.0.1:9/mcp"},
    },
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / ".mcp.json"
    file.write_text(json.dumps(CONFIG, indent=4, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def test_what_is_removed_is_the_file_as_it_was(config: Path, run_toolgrade: RunToolgrade) -> None:
    before = config.read_bytes()
    done = run_toolgrade("tap", "--install", config)
    assert done.code == 0
    assert [line.split(",")[0] for line in done.stderr.splitlines()] == [
        "docs: tapped",
        "bare: tapped",
        "web: left as it is: only servers with a `command` can be tapped here",
    ]
    assert config.read_bytes() != before
    twice = run_toolgrade("tap", "--install", config)
    assert "docs: has a tap already" in twice.stderr
    assert run_toolgrade("tap", "--remove", config).stderr.startswith("docs: tap removed\n")
    assert config.read_bytes() == before


def test_a_tapped_server_answers_and_is_logged(config: Path, run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    run_toolgrade("tap", "--install", config, "--log", "seen.jsonl")
    entry = json.loads(config.read_text())["mcpServers"]["docs"]
    assert entry["extra"] == 1
    request = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"canary-one"}}\n'
    done = subprocess.run(
        [entry["command"], *entry["args"]], input=request, capture_output=True, text=True, check=True,
        env={"PATH": "/usr/bin:/bin", **entry["env"]}, cwd="/",
    )  # fmt: skip
    assert json.loads(done.stdout)["id"] == 1
    log = (tmp_path / "seen.jsonl").read_text()
    assert log.startswith('{"tap": "docs", ')
    assert "canary" not in log


def test_a_dry_run_prints_the_file_and_leaves_it(config: Path, run_toolgrade: RunToolgrade) -> None:
    before = config.read_bytes()
    done = run_toolgrade("tap", "--install", config, "--dry-run")
    assert json.loads(done.stdout)["mcpServers"]["web"] == CONFIG["mcpServers"]["web"]
    assert '"toolgrade"' in done.stdout
    assert config.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// comment\n{}", "not JSON"),
        ("[]", "it has no `mcpServers`"),
        ('{"mcpServers": []}', "it has no `mcpServers`"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_no_configuration_is_left_alone(
    text: str | None, message: str, run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    file = tmp_path / "c.json"
    if text is not None:
        file.write_text(text)
    done = run_toolgrade("tap", "--install", file)
    assert done.code == 2
    assert f"{file.as_posix()}: " in done.stderr
    assert message in done.stderr
    assert not file.exists() or file.read_text() == text


def test_installing_and_running_at_once_is_bad_usage(config: Path, run_toolgrade: RunToolgrade) -> None:
    assert run_toolgrade("tap", "--install", config, "docs", "--", "x").code == 2
    assert run_toolgrade("tap", "--install", config, "--remove", config).code == 2
