"""Progress: a bar on a terminal, lines elsewhere."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.toolgrade.test_run_live import LIVE, echo_test, server, write_suite


def on_a_terminal(folder: Path, *args: str) -> str:
    """Everything that the command writes to a terminal on stderr."""
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "toolgrade", *args]
    running = subprocess.Popen(
        argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm"}
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        text += chunk
    os.close(ours)
    assert running.wait(60) == 0, text
    return text.decode()


def test_a_terminal_gets_a_bar_and_each_command(tmp_path: Path) -> None:
    write_suite(tmp_path, {"rogue": server()}, [echo_test("a", "rogue"), echo_test("b", "rogue")])
    text = on_a_terminal(tmp_path, *LIVE)
    assert "rogue: starting " in text
    assert "2/2" in text
    assert "calls" in text
    assert "passed: a" not in text
