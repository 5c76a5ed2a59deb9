"""What tests of every home share: golden files, the real command, and what is skipped where."""

import difflib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import settings

from playground.servers import read_table

settings.register_profile("dev", deadline=None, derandomize=False)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))

# A shell starts background jobs with Ctrl-C ignored, and what they start inherits that: tests that interrupt need it.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(autouse=True)
def _as_on_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """Commands find the same environment here and in CI, where a live run has to be told whether it records."""
    monkeypatch.delenv("CI", raising=False)


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that ran to its end."""

    code: int
    stdout: str
    stderr: str


class Golden(Protocol):
    def __call__(self, text: str, file: Path) -> None: ...


class ThirdParty(Protocol):
    def __call__(self, name: str) -> str: ...


class RunToolgrade(Protocol):
    def __call__(
        self,
        *args: str | Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> Finished: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files instead of comparing")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = {marker: reason for marker, (is_there, reason) in NEEDS.items() if not is_there()}
    for item in items:
        for marker, reason in missing.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


def has_node() -> bool:
    return shutil.which("node") is not None and shutil.which("npm") is not None


def has_browser() -> bool:
    return any(shutil.which(name) for name in BROWSERS) and shutil.which("chromedriver") is not None


def has_rivals() -> bool:
    # The distribution eval-ai-library installs the module eval_lib.
    return all(importlib.util.find_spec(name) for name in ("eval_lib", "pydantic_evals"))


NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "node": (has_node, "node and npm are not on PATH"),
    "browser": (has_browser, f"none of {', '.join(BROWSERS)} is on PATH, or chromedriver is not"),
    "rivals": (has_rivals, "the rival libraries are not installed: make bench-rivals"),
}


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with a file, byte for byte; with --update-golden, write the file instead."""
    is_updating = bool(request.config.getoption("--update-golden"))

    def compare(text: str, file: Path) -> None:
        if is_updating:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
            return
        if not file.exists():
            pytest.fail(f"no golden file {file}: make golden writes it", pytrace=False)
        expected = file.read_bytes().decode()
        if text != expected:
            pytest.fail(describe_difference(expected, text, file), pytrace=False)

    return compare


def describe_difference(expected: str, actual: str, file: Path) -> str:
    old, new = (text.replace("\r", "\\r").split("\n") for text in (expected, actual))
    lines = difflib.unified_diff(old, new, str(file), "actual", lineterm="")
    return "\n".join(["differs from the golden file (make golden rewrites it):", *lines])


@pytest.fixture
def run_toolgrade(tmp_path: Path) -> RunToolgrade:
    """Run the real command in a process of its own, in `tmp_path` unless told otherwise."""

    def run(
        *args: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> Finished:
        done = subprocess.run(
            [sys.executable, "-m", "toolgrade", *map(str, args)],
            cwd=cwd or tmp_path,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONUTF8": "1", **(env or {})},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def third_party() -> ThirdParty:
    """The program of a server in playground/servers.toml, by name; a test of what is not installed is skipped."""

    def find(name: str) -> str:
        server = next(server for server in read_table() if server.name == name)
        if not (ROOT / server.launcher).exists():
            pytest.skip(f"{name} is not installed: make servers")
        return str(ROOT / server.launcher)

    return find
