"""Every command without the optional part it needs: one line that says what to install, and nothing done."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from toolgrade.foundations import extras

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "install.md"
SUITE = """
servers: {web: {catalog: tools.json}}
tests:
  - {name: fetches, model: MODEL, servers: [web], prompt: Fetch the page,
     equal_function_sets: {classes: [{name: fetch, members: [web.fetch_page]}]}}
"""
TOOLS = {"tools": [{"name": "fetch_page", "description": "Fetch a page", "inputSchema": {"type": "object"}}]}

COMMANDS: dict[str, list[str]] = {
    "toolgrade check": ["check", "suite.yml"],
    "toolgrade plan": ["plan", "suite.yml"],
    "toolgrade schema": ["schema"],
    "toolgrade score": ["score", "suite.yml", "run.json"],
    "toolgrade import": ["import", "run.json"],
    "toolgrade run": ["run", "suite.yml"],
    "toolgrade run --mode live": ["run", "suite.yml", "--mode", "live", "--record"],
    "toolgrade diff": ["diff", "report.json", "report.json"],
    "toolgrade doctor": ["doctor", "suite.yml"],
    "toolgrade drift": ["drift", "suite.yml"],
    "toolgrade init": ["init", "new.yml", "--command", "no-such-server"],
    "toolgrade site build": ["site", "build", "--reports", "reports"],
}
BLOCKED = """
import json, sys
for module in json.loads(sys.argv[1]):
    sys.modules[module] = None  # importing it fails, and `find_spec` does not find it
from toolgrade.cli import run_command_line
code = run_command_line(json.loads(sys.argv[2]))
print("loaded:", *sorted(set(json.loads(sys.argv[1])) & {name for name, value in sys.modules.items() if value}))
sys.exit(code)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "suite.yml").write_text(SUITE.replace("MODEL", "lexical"))
    (tmp_path / "model.yml").write_text(SUITE.replace("MODEL", "openai:gpt-5"))
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    (tmp_path / "run.json").write_text(json.dumps({"tool_calls": [{"server": "web", "name": "fetch_page"}]}))
    return tmp_path


def run_without(modules: list[str], arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "CI": "", "OPENAI_API_KEY": ""}
    argv = [sys.executable, "-c", BLOCKED, json.dumps(modules), json.dumps(arguments)]
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_the_page_says_what_every_command_needs(project: Path) -> None:
    """The table of docs/install.md is what the commands say if nothing but the core is installed."""
    everything = sorted({module for modules in extras.EXTRA_MODULES.values() for module in modules})
    rows: list[str] = []
    for label, arguments in COMMANDS.items():
        before = sorted(path.name for path in project.iterdir())
        done = run_without(everything, arguments, project)
        needed = re.search(r"needs the extra `(\w+)`: pip install 'toolgrade\[\1\]'$", done.stderr, re.MULTILINE)
        if needed:
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "loaded:\n", 1), done.stderr
            assert sorted(path.name for path in project.iterdir()) == before, f"{label} wrote something"
        assert not re.search("Traceback|bug in toolgrade", done.stderr), done.stderr
        rows.append(f"| `{label}` | {f'`{needed[1]}`' if needed else 'the core'} |")
    assert "\n".join(rows) in PAGE.read_text(encoding="utf-8"), "docs/install.md should hold:\n" + "\n".join(rows)


def test_a_model_needs_more_than_a_live_run(project: Path) -> None:
    modules = list(extras.EXTRA_MODULES["models"])
    live = COMMANDS["toolgrade run --mode live"]
    assert run_without(modules, live, project).returncode == 0
    refused = run_without(modules, ["run", "model.yml", *live[2:]], project)
    said = "toolgrade: the model `openai:gpt-5` needs the extra `models`: pip install 'toolgrade[models]'\n"
    assert (refused.returncode, refused.stderr) == (2, said)


def test_every_extra_that_is_checked_is_declared_and_all_holds_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["optional-dependencies"]
    assert set(extras.EXTRA_MODULES) <= set(declared)
    (everything,) = map(Requirement, declared["all"])
    assert everything.extras == set(declared) - {"all", "dev"}


def test_the_core_depends_on_nothing_that_an_extra_brings() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = {Requirement(text).name.lower() for text in project["dependencies"]}
    assert core == {"click", "jsonschema-rs", "msgspec", "pydantic", "pyyaml", "rfc8785"}
