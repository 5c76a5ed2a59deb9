"""Kills a recorder before and after every step that touches the disk, and says what each kill left behind.

Run as a program: it forks a child for every step, so that importing toolgrade is paid for once.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.recordings import SHOP, TOOLS, compiled, make_shop
from toolgrade.cassette import Recorder
from toolgrade.runners.cell_selection import iterate_cells
from toolgrade.runners.engine import run_cells
from toolgrade.runners.replay import Replay

STEPS = ("open", "write", "fsync", "replace", "ftruncate", "pwrite", "unlink")
TEST = "answers in words"


def record_another(folder: Path) -> None:
    """A new run, with other tools, over the one that is there."""
    with Recorder(compiled(folder), folder / "cassettes") as recorder:
        run: dict[str, Any] = {"tool_calls": [{"name": "search"}], "final_response": "Ada!", "meta": {"seconds": 1}}
        recorder.record(TEST, tools={"docs": TOOLS[:1]}, **run)


def kill_at(step: int, is_after: bool) -> list[int]:
    """From now on the process kills itself at this step; the list counts the steps."""
    seen = [0]

    def hooked(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            seen[0] += 1
            is_now = seen[0] == step
            if is_now and not is_after:
                os.kill(os.getpid(), signal.SIGKILL)
            done = real(*args, **kwargs)
            if is_now:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return call

    for name in STEPS:
        setattr(os, name, hooked(getattr(os, name)))
    return seen


def fork(work: Callable[[], int]) -> int:
    """The exit code of a child that does this, or minus the signal that ended it."""
    child = os.fork()
    if not child:
        os._exit(work())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def state(folder: Path) -> dict[str, Any]:
    """What is on disk, and what a replay makes of it."""
    file = next(folder.glob("cassettes/shop/answers*/m1*.run1.json"))
    results = run_cells(list(iterate_cells(compiled(folder))), Replay(folder / "cassettes"))
    return {"cassette": file.read_text(), "statuses": [result.status for result in results]}


def main(root: Path) -> None:
    old, new = root / "old", root / "new"
    make_shop(old, SHOP)
    shutil.copytree(old, new)

    def count() -> int:
        seen = kill_at(0, False)
        record_another(new)
        return seen[0]

    total = fork(count)
    ends: list[dict[str, Any]] = []
    for step in range(1, total + 1):
        for is_after in (False, True):
            folder = root / f"{step}-{is_after}"
            shutil.copytree(old, folder)

            def die(folder: Path = folder, step: int = step, is_after: bool = is_after) -> int:
                kill_at(step, is_after)
                record_another(folder)
                return 0

            code = fork(die)
            left = state(folder)
            record_another(folder)
            leftovers = [path.name for path in folder.rglob("*.tmp")]
            ends.append({"code": code, "left": left, "again": state(folder), "leftovers": leftovers})
    json.dump({"old": state(old), "new": state(new), "steps": total, "ends": ends}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
