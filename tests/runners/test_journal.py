"""The journal on a failing disk: finished cells are kept, whatever step fails."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.runners.test_live import Broke, Runner, suite
from tests.scripted import Script, asking
from toolgrade.foundations.fault import Fault
from toolgrade.runners.agents.agent import Turn


def _finish(folder: Path) -> Runner:
    """A run of three cells that all finished."""
    plan = suite(folder, "m1", "m2", "m3")
    runner = Runner(folder, plan, Script(Turn((asking("echo"),)), Turn(text="done")))
    assert {result.status for result in runner.run()} == {"passed"}
    return runner


def _fail_on(monkeypatch: pytest.MonkeyPatch, name: str, at: int) -> list[int]:
    """Let the `at`-th call of an os function fail as a full disk does; the list counts the calls."""
    real: Callable[..., Any] = getattr(os, name)
    seen = [0]

    def fail(*arguments: Any, **more: Any) -> Any:
        seen[0] += 1
        if seen[0] == at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments, **more)

    monkeypatch.setattr(os, name, fail)
    return seen


@pytest.mark.parametrize("step", ["open", "write", "fsync", "replace"])
def test_a_resume_on_a_failing_disk_keeps_every_finished_cell(tmp_path: Path, step: str) -> None:
    runner = _finish(tmp_path)
    kept = runner.journal.path.read_bytes()
    assert kept.count(b"\n") == 3
    for at in range(1, 5):
        with pytest.MonkeyPatch.context() as patch:
            _fail_on(patch, step, at)
            with suppress(Fault):
                runner.journal.begin(resume=True)
        assert runner.journal.path.read_bytes() == kept
    again = Runner(tmp_path, suite(tmp_path, "m1", "m2", "m3"), Broke())
    assert {result.status for result in again.run(resume=True)} == {"passed"}


def test_a_cell_that_cannot_be_journalled_is_an_error_and_no_further_one_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Runner(tmp_path, suite(tmp_path, "m1", "m2"), Script(Turn((asking("echo"),)), Turn(text="done")))

    def fail(_entry: object) -> None:
        raise Fault("live.jsonl: No space left on device")

    monkeypatch.setattr(runner.journal, "add", fail)
    first, second = runner.run()
    assert first.error == "live.jsonl: No space left on device"
    assert second.error == f"not run: {first.error}"
