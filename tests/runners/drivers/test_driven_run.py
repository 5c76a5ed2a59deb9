"""A program as the driver of a test: what is counted, and what a program that misbehaves comes to."""

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.rogues import ROGUE, started_by_us
from toolgrade.compiler.compilation import compile_text
from toolgrade.foundations.fault import Fault
from toolgrade.runners.cell_selection import iterate_cells
from toolgrade.runners.drivers.driven_run import DrivenRun, DriverSetup, check_driver, run_driver
from toolgrade.runners.live_cell import list_test_servers
from toolgrade.runners.servers.transports import LaunchContext

AGENT = Path(__file__).parents[2] / "programs" / "agent.py"


def make_setup(folder: Path, behaviours: str, prompt: str, more: str = "", trace: str = "toolgrade") -> DriverSetup:
    """A test with two servers and the agent as its driver."""
    arguments = "".join(f"{word}, " for word in behaviours.split())
    text = f"""
suite: s
servers:
  docs: {{command: [{sys.executable}, {ROGUE}, pages], env: {{ROGUE_OF: "{os.getpid()}", TOKEN: "${{env:CANARY}}"}}}}
  mail_box: {{command: [{sys.executable}, {ROGUE}], env: {{ROGUE_OF: "{os.getpid()}"}}}}
tests:
  - name: one
    driver:
      command: [{sys.executable}, {AGENT}, "{{mcp_config}}", {arguments}"--", "{{prompt}}"]
      trace: {trace}
      env: {{ROGUE_OF: "{os.getpid()}", MINE: "${{env:CANARY}} {{model}}"}}
      {more}
    servers: [docs, mail_box]
    prompt: {prompt}
    expect: [{{final_response: {{contains: Done}}}}]
"""
    compilation = compile_text(text)
    assert compilation.plan is not None, compilation.errors
    planned = next(iterate_cells(compilation.plan))
    assert planned.test.driver is not None
    place = LaunchContext({**os.environ, "CANARY": "canary-one", "PERSONAL": "not for programs"}, folder)
    return DriverSetup(planned, planned.test.driver, list_test_servers(planned), place)


def run(
    folder: Path, behaviours: str = "", prompt: str = "docs.echo", more: str = "", trace: str = "toolgrade"
) -> DrivenRun:
    try:
        return asyncio.run(run_driver(make_setup(folder, behaviours, prompt, more, trace), lambda argv: None))
    finally:
        assert started_by_us() == []


def briefly(done: DrivenRun) -> list[tuple[Any, ...]]:
    return [(call.get("server"), call["name"], call["status"], call["turn"]) for call in done.finished.tool_calls]


def test_the_taps_tell_what_ran_and_the_trace_tells_the_answer(tmp_path: Path) -> None:
    done = run(tmp_path, prompt="docs.echo mail_box.echo docs.echo")
    assert briefly(done) == [("docs", "echo", "ok", 1), ("mail_box", "echo", "ok", 2), ("docs", "echo", "ok", 3)]
    assert done.finished.tool_calls[0]["result"] == {"content": [{"type": "text", "text": '{"tool": "echo"}'}]}
    assert done.finished.final_response == "Done."
    assert [tool["name"] for tool in done.listings["docs"].tools] == ["first", "echo"]
    assert done.listings["docs"].version == "1.0"
    assert list(done.finished.warnings) == []


def test_with_trace_tap_the_taps_are_the_only_trace(tmp_path: Path) -> None:
    done = run(tmp_path, "silent", "docs.echo docs.made_up", trace="tap")
    assert briefly(done) == [("docs", "echo", "ok", 1), ("docs", "made_up", "unknown_tool", 2)]
    assert (done.finished.final_response, done.finished.turns) == (None, None)


def test_a_run_without_a_call_is_a_run(tmp_path: Path) -> None:
    done = run(tmp_path, prompt="nothing")
    assert done.finished.tool_calls == []


def test_calls_that_only_one_side_has_are_said(tmp_path: Path) -> None:
    done = run(tmp_path, "invents")
    assert briefly(done) == [
        ("docs", "echo", "ok", 1),
        ("docs", "made_up", "unknown_tool", 1),
        ("docs", "echo", "refused", 1),
    ]
    assert list(done.finished.warnings) == [
        "the program's trace has calls that no server got, counted as refused: docs.echo"
    ]
    done = run(tmp_path, "forgets", "docs.echo mail_box.echo")
    assert briefly(done) == [("docs", "echo", "ok", 1), ("mail_box", "echo", "ok", 1)]
    assert list(done.finished.warnings) == [
        "calls reached a server that the program's trace does not have: mail_box.echo"
    ]


@pytest.mark.parametrize(
    ("behaviours", "prompt", "trace", "message"),
    [
        ("fails", "docs.echo", "toolgrade", "ended with code 1"),
        ("floods", "docs.echo", "toolgrade", "printed more than 67,108,864 bytes"),
        ("hangs", "docs.echo", "toolgrade", "did not finish within 3 s"),
        ("hangs ignores-sigterm forks", "docs.echo", "toolgrade", "did not finish within 3 s"),
        ("forks fails", "docs.echo", "toolgrade", "ended with code 1"),
        ("never-lists", "docs.echo", "toolgrade", "never listed the tools of server `mail_box`"),
        ("lists-late", "docs.echo", "toolgrade", "called a tool before server `mail_box` had listed its tools"),
        ("lists-late answers-early", "nothing", "toolgrade", "answered before every server had listed its tools"),
        ("silent", "docs.echo", "toolgrade", "left no trace that can be read"),
        ("", "docs.echo", "codex", "left no trace that can be read"),
    ],
)
def test_what_cannot_be_counted_is_an_error_and_nothing_is_left(
    behaviours: str, prompt: str, trace: str, message: str, tmp_path: Path
) -> None:
    began = time.monotonic()
    with pytest.raises(Fault) as found:
        run(tmp_path, behaviours, prompt, "timeout_s: 3", trace)
    assert f"`command:{Path(sys.executable).name}` {message}" in str(found.value)
    assert time.monotonic() - began < 20
    if "fails" in behaviours:
        assert found.value.details == ("no licence found",)


def test_a_program_gets_a_home_of_its_own_and_no_variable_unasked(tmp_path: Path) -> None:
    import json

    done = run(tmp_path, "environment")
    variables: Mapping[str, str] = json.loads(done.finished.final_response or "")
    assert variables["MINE"] == "canary-one "
    assert variables["HOME"] != os.environ["HOME"]
    assert "PERSONAL" not in variables
    assert not Path(variables["HOME"]).exists()
    assert {name for name in variables if name in os.environ} <= {
        *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "NO_COLOR", "PATH", "ROGUE_OF", "SHELL", "TERM", "TMPDIR"),
        *("TZ", "USER"),
    }


def test_the_working_folder_is_a_copy_and_what_is_left_in_it_is_removed(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "file").write_text("kept")
    done = run(tmp_path, "tells-folder", more="workdir: project")
    folder = Path(done.finished.tool_calls[0]["args"]["from"])
    assert folder.name == "work"
    assert not folder.exists()
    assert [path.name for path in (tmp_path / "project").iterdir()] == ["file"]


def test_a_working_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="is not a folder below the suite's"):
        run(tmp_path, more="workdir: nowhere")
    (tmp_path / "out").symlink_to("/usr")
    with pytest.raises(Fault, match="is not a folder below the suite's"):
        run(tmp_path, more="workdir: out")


def test_what_a_driver_lacks_is_found_before_anything_starts(tmp_path: Path) -> None:
    setup = make_setup(tmp_path, "", "x", trace="tpa")
    with pytest.raises(Fault, match="no trace format is named `tpa`"):
        check_driver(setup.planned, setup.driver, {"CANARY": "x"})
    setup = make_setup(tmp_path, "", "x")
    with pytest.raises(Fault, match="the environment variable CANARY is not set"):
        check_driver(setup.planned, setup.driver, {})


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("victim", ["self", "tap"])
def test_a_kill_at_any_message_is_a_clear_error_and_leaves_nothing(victim: str, number: int, tmp_path: Path) -> None:
    # initialize and list of both servers, one of them on two pages, and three calls: eight messages
    with pytest.raises(Fault) as found:
        run(tmp_path, f"kills-{victim}-{number}", "docs.echo mail_box.echo docs.echo")
    assert ("was ended by signal 9" if victim == "self" else "ended with code 1") in str(found.value)
    assert found.value.details == (() if victim == "self" else ("the server is gone",))
