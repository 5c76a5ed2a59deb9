"""Codex and Gemini CLI against a scripted model on loopback: run live, recorded, and replayed without them."""

import json
import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Finished, RunToolgrade
from tests.rogues import started_by_us
from tests.scripted_model import Script, serve

pytestmark = pytest.mark.node

DESK = ROOT / "tests" / "servers" / "desk.py"
PROGRAMS = ROOT / ".agents" / "node_modules" / ".bin"
DRIVERS = ("codex", "gemini", "gemini-acp")
MIXED = Script(
    [
        [("docs", "search", {"query": "mail"}), ("mail_box", "search", {"query": "mail"})],
        [("docs", "no_such_tool", {"a": 1})],
        [("docs", "read_page", {"page": "p9"})],
        [("mail_box", "send_message", {"to": "dana", "text": "é 90 days"})],
    ],
    final="Sent.",
)
EXPECTED = [
    ("docs", "search", {"query": "mail"}, "ok", 1),
    ("mail_box", "search", {"query": "mail"}, "ok", 1),
    ("docs", "no_such_tool", {"a": 1}, "unknown_tool", 2),
    ("docs", "read_page", {"page": "p9"}, "error", 3),
    ("mail_box", "send_message", {"to": "dana", "text": "é 90 days"}, "ok", 4),
]


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    name = request.param.partition("-")[0]
    if not (PROGRAMS / name).exists():
        pytest.skip(f"{name} is not installed: make agents")
    return request.param


@contextmanager
def suite_of(folder: Path, driver: str, script: Script, delay_s: float = 0) -> Generator[dict[str, str]]:
    """A suite in a folder, for a program that asks a scripted model; yields the environment to run it in."""
    name, _, kind = driver.partition("-")
    ours = f'ROGUE_OF: "{os.getpid()}"'
    with serve(script) as url:
        block = f"preset: {name}, env: {{{ours}}}"
        more = f"model: scripted\n    base_url: {url}{'/v1' if name == 'codex' else ''}"
        if kind == "acp":
            settings = folder / "project" / ".gemini" / "settings.json"
            settings.parent.mkdir(parents=True)
            settings.write_text('{"privacy": {"usageStatisticsEnabled": false}}')
            keys = f"GEMINI_API_KEY: none, GOOGLE_GEMINI_BASE_URL: '{url}', GEMINI_CLI_TRUST_WORKSPACE: 'true'"
            block = f"acp: [gemini, --acp, -m, scripted], workdir: project, env: {{{ours}, {keys}}}"
        (folder / "suite.yml").write_text(f"""\
suite: desk
servers:
  docs: {{command: [{sys.executable}, {DESK}, docs], env: {{{ours}}}}}
  mail_box: {{command: [{sys.executable}, {DESK}, mail_box], env: {{{ours}, DESK_DELAY_S: "{delay_s}"}}}}
tests:
  - name: tells Dana
    driver: {{{block}, timeout_s: 90}}
    {"" if kind else more}
    servers: [docs, mail_box]
    prompt: Tell Dana how long mail is kept.
    equal_function_sets:
      classes: [{{name: look, members: [docs.search]}}, {{name: tell, members: [mail_box.send_message]}}]
    expect:
      - final_response: {{contains: Sent}}
""")
        yield {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"}


def read_cassette(folder: Path) -> dict[str, Any]:
    [file] = [path for path in folder.glob("cassettes/*/*/*.json") if not path.name.endswith(".meta.json")]
    return json.loads(file.read_text())


def briefly(cassette: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (call.get("server"), call["name"], call.get("args"), call["status"], call["turn"])
        for call in cassette["tool_calls"]
    ]


def read_verdicts(folder: Path, mode: str) -> Any:
    report = json.loads((folder / "reports" / mode / "report.json").read_text())
    return [test["gates"] for suite in report["suites"] for test in suite["tests"]]


def record_and_replay(
    run_toolgrade: RunToolgrade, folder: Path, env: dict[str, str]
) -> tuple[Finished, dict[str, Any], Finished]:
    """A live run, its cassette, and a replay on a machine that does not have the program."""
    live = run_toolgrade("run", "suite.yml", "--mode", "live", "--record", cwd=folder, env=env)
    assert started_by_us() == []
    bare = folder / "bin"
    bare.mkdir()
    for tool in ("git", "sh"):
        (bare / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    return live, read_cassette(folder), run_toolgrade("run", "suite.yml", cwd=folder, env={"PATH": str(bare)})


def test_a_conversation_is_recorded_as_it_was_and_replays_without_the_program(
    driver: str, run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    with suite_of(tmp_path, driver, MIXED, delay_s=1) as env:
        live, cassette, replayed = record_and_replay(run_toolgrade, tmp_path, env)
    assert f"{driver.partition('-')[0]}: starting {driver.partition('-')[0]} " in live.stderr.replace("acp:", "")
    if driver.endswith("-acp"):  # ACP tells neither turns nor, from this program, calls of tools that do not exist
        known = [call[:4] for call in EXPECTED if call[3] != "unknown_tool"]
        assert [call[:4] for call in briefly(cassette)] == known
    else:
        assert briefly(cassette) == EXPECTED
    assert cassette["final_response"] == "Sent."
    assert cassette.get("warnings", []) == []
    if not driver.endswith("-acp"):
        assert (cassette["turns"], cassette["usage"]) == (5, {"input_tokens": 500, "output_tokens": 50})
    assert (live.code, replayed.code) == (0, 0)
    assert live.stdout.splitlines()[:4] == replayed.stdout.splitlines()[:4]
    assert read_verdicts(tmp_path, "live") == read_verdicts(tmp_path, "replay")


def test_a_run_without_a_call_is_a_verdict_and_not_an_error(
    driver: str, run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    with suite_of(tmp_path, driver, Script([], final="Sent nothing."), delay_s=1) as env:
        live, cassette, replayed = record_and_replay(run_toolgrade, tmp_path, env)
    assert (cassette["tool_calls"], cassette["final_response"]) == ([], "Sent nothing.")
    assert (live.code, replayed.code) == (1, 1)


def test_a_program_that_is_not_installed_is_said(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    with suite_of(tmp_path, "codex", MIXED) as env:
        (tmp_path / "bin").mkdir()
        done = run_toolgrade("run", "suite.yml", "--mode", "live", "--record", cwd=tmp_path, env={**env, "PATH": "bin"})
    assert done.code == 3
    assert "`codex` could not be started: codex: No such file or directory" in done.stdout + done.stderr
    assert not list(tmp_path.glob("cassettes/*/*/*.json"))
