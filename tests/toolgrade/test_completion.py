"""Completion in real shells: bash, zsh and fish offer commands, suites, tests, tags and models."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import RunToolgrade
from tests.recordings import SHOP, write_suite

NAMED = SHOP.replace("answers in words", "picks 'a', then * $HOME")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_suite(tmp_path, NAMED)
    (tmp_path / "suites/web").mkdir()
    (tmp_path / "suites/web/far.yaml").write_text(SHOP.replace("[smoke]", "[far]"), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    return tmp_path


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONUTF8": "1"}


def in_bash(folder: Path, *words: str) -> list[str]:
    """What the function that bash calls leaves in COMPREPLY, for these words as typed."""
    script = """
        eval "$(toolgrade completion bash)"
        complete -p toolgrade >/dev/null || exit 9
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _toolgrade_completion toolgrade
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    command = ["bash", "--norc", "-c", script, "bash", "toolgrade", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


def test_bash_completes_commands_and_options(folder: Path) -> None:
    assert in_bash(folder, "che") == ["check"]
    assert in_bash(folder, "run", "--jun") == ["--junit"]
    assert in_bash(folder, "run", "--format", "") == ["text", "json", "github", "agent"]


def test_bash_completes_suites(folder: Path) -> None:
    assert in_bash(folder, "check", "") == ["suites/shop.yml", "suites/web", "suites/web/far.yaml"]
    assert in_bash(folder, "check", "su") == ["suites", "suites/shop.yml", "suites/web", "suites/web/far.yaml"]
    assert in_bash(folder, "run", "suites/w") == ["suites/web", "suites/web/far.yaml"]
    assert in_bash(folder, "plan", "no") == []


def test_bash_completes_tests_tags_and_models_of_the_suites_named(folder: Path) -> None:
    assert in_bash(folder, "run", "suites/shop.yml", "-k", "re") == ["reads\\ the\\ revenue\\ back"]
    assert in_bash(folder, "run", "suites/shop.yml", "--test", "'re") == ["reads the revenue back"]
    assert in_bash(folder, "run", "suites/web", "--tag", "") == ["far", "slow"]
    assert in_bash(folder, "run", "suites/web", "--models", "m") == ["m1", "m2"]
    assert in_bash(folder, "score", "suites/web/far.yaml", "--test", "ans") == ["answers\\ in\\ words"]


def test_bash_quotes_what_it_offers(folder: Path) -> None:
    (offered,) = in_bash(folder, "run", "suites/shop.yml", "--test", "pic")
    echoed = subprocess.run(["bash", "-c", f"printf %s {offered}"], capture_output=True, text=True, check=True)
    assert echoed.stdout == "picks 'a', then * $HOME"


def test_nothing_is_offered_where_nothing_compiles(folder: Path) -> None:
    (folder / "suites/shop.yml").write_text("tests: [{nam: x}]", encoding="utf-8")
    assert in_bash(folder, "run", "suites/shop.yml", "-k", "") == []
    assert in_bash(folder, "run", "nowhere.yml", "-k", "") == []


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not on PATH")
def test_fish_completes(folder: Path) -> None:
    def complete(line: str) -> list[str]:
        script = f"toolgrade completion fish | source; complete -C {line!r}"
        command = ["fish", "--no-config", "-c", script]
        done = subprocess.run(
            command, cwd=folder, env=environment(), capture_output=True, text=True, check=True, timeout=120
        )
        return done.stdout.splitlines()

    (check,) = complete("toolgrade che")
    assert check.startswith("check\tCompile suites")
    assert complete("toolgrade run suites/w") == ["suites/web", "suites/web/far.yaml"]
    assert "picks 'a', then * $HOME" in complete("toolgrade run suites/shop.yml -k ")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not on PATH")
def test_zsh_completes(folder: Path) -> None:
    script = """
        autoload -Uz compinit && compinit -D -u
        eval "$(toolgrade completion zsh)"
        [[ ${_comps[toolgrade]} == _toolgrade_completion ]] || exit 9
        compadd() { print -rl -- "${(@P)@[-1]}" }
        words=(toolgrade run suites/shop.yml -k "") CURRENT=5
        _toolgrade_completion
    """
    command = ["zsh", "-f", "-c", script]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.splitlines() == ["reads the revenue back", "picks 'a', then * $HOME"]


def test_another_shell_is_bad_usage(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("completion", "tcsh")
    assert (done.code, done.stdout) == (2, "")
