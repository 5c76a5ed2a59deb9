"""The command line as a whole: help, exit codes, and what becomes of whatever stops a command."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.conftest import RunToolgrade
from toolgrade import cli
from toolgrade.runners import suite_files as suites

HEAVY = ("pydantic", "yaml", "msgspec", "jsonschema_rs", "mcp", "tiktoken", "mkdocs")


@pytest.mark.parametrize("arguments", [["-h"], ["--help"], ["check", "-h"], ["score", "-h"], ["plan", "-h"]])
def test_help_goes_to_stdout(run_toolgrade: RunToolgrade, arguments: list[str]) -> None:
    done = run_toolgrade(*arguments)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: toolgrade")


def every_command(group: click.Group, *above: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*above, name)
        if isinstance(command, click.Group):
            yield from every_command(command, *above, name)


@pytest.mark.parametrize("command", [(), *every_command(cli.toolgrade)], ids=" ".join)
def test_help_teaches_with_examples_in_80_columns(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(cli.toolgrade, [*command, "--help"], prog_name="toolgrade")
    assert done.exit_code == 0
    assert [line for line in done.output.splitlines() if len(line) > 80] == []
    examples = [line for line in done.output.splitlines() if line.startswith("  ") and "toolgrade " in line]
    assert any(" ".join(("toolgrade", *command)) in line for line in examples)


def test_bad_usage_is_exit_code_two(run_toolgrade: RunToolgrade) -> None:
    for arguments in ([], ["chek"], ["check", "--bogus"], ["score"], ["check", "--format", "xml"]):
        done = run_toolgrade(*arguments)
        assert (done.code, done.stdout) == (2, "")
        assert done.stderr.startswith("Usage: toolgrade")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, toolgrade.cli\ntoolgrade.cli.run_command_line(['--help'])\n"
        f"print([m for m in {HEAVY} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_broken_pipe_gives_no_traceback(tmp_path: Path) -> None:
    tests = "".join(f"  - {{name: t{n}, tool_correctness: {{expected_tools: [a]}}}}\n" for n in range(2_000))
    (tmp_path / "s.yml").write_text(f"tests:\n{tests}", encoding="utf-8")
    command = f"'{sys.executable}' -m toolgrade plan s.yml | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "{\n"
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


def raising(error: BaseException) -> object:
    def compile_suites(_: object) -> None:
        raise error

    return compile_suites


def test_a_bug_of_ours_says_that_it_is_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("TOOLGRADE_TRACEBACK", raising=False)
    monkeypatch.setattr(suites, "compile_suites", raising(LookupError("lost")))
    assert cli.run_command_line(["check"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("toolgrade: this is a bug in toolgrade: LookupError: lost\n")


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(suites, "compile_suites", raising(KeyboardInterrupt()))
    assert cli.run_command_line(["check"]) == 130
    out, err = capsys.readouterr()
    assert (out, err.strip()) == ("", "toolgrade: interrupted")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", [("schema",), ("--help",), ("check", "--help")], ids=" ".join)
def test_a_full_standard_output_is_no_bug(command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "toolgrade", *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 3
    assert done.stderr == "toolgrade: could not write to standard output: No space left on device\n"


@pytest.mark.parametrize(
    "command", [("check",), ("run",), ("plan",), ("site", "build"), ("run", "--mode", "live")], ids=" ".join
)
def test_a_working_folder_that_is_gone_is_no_bug(tmp_path: Path, command: tuple[str, ...]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    leave = f"import os, sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})"
    script = f"{leave}; from toolgrade.__main__ import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-P", "-c", script, *command], capture_output=True, text=True, check=False)
    assert done.returncode in (2, 3)
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr


def test_file_names_that_are_not_utf8_are_no_bug(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"suites\xff")
    folder.mkdir()
    (folder / os.fsdecode(b"a\xfe.yml")).write_bytes(b"tests: 5\n")
    for command in (["check"], ["plan"], ["run"], ["check", "--format", "json"]):
        done = subprocess.run(
            [sys.executable, "-m", "toolgrade", *command, folder],
            capture_output=True,
            check=False,
            cwd=tmp_path,
        )
        assert done.returncode == 2, done.stderr
        assert b"bug" not in done.stderr
