"""A tap that a driver's program starts: `python -m toolgrade.runners.taps.launched_tap FILE`.

The file says which server to start. So neither the server's command nor its variables stand in the program's own
configuration, where each program expands and filters them in its own way.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .message_log import MessageLog
from .stdio_tap import run_stdio_tap


def write_launch_file(
    path: Path, tap: str, log: Path, argv: Sequence[str], env: Mapping[str, str], cwd: Path, secrets: Sequence[str]
) -> None:
    """Write what a tap has to know; only its owner can read the file, which may hold secrets."""
    launch = {"tap": tap, "log": str(log), "argv": argv, "env": dict(env), "cwd": str(cwd), "secrets": secrets}
    path.touch(mode=0o600)
    path.write_text(json.dumps(launch), encoding="utf-8")


def run_launched_tap(file: str) -> int:
    """Run the tap that a file describes and return the exit code of its server."""
    launch: dict[str, Any] = json.loads(Path(file).read_text(encoding="utf-8"))
    log = MessageLog(Path(launch["log"]), launch["tap"], launch["secrets"])
    os.chdir(launch["cwd"])
    try:
        return run_stdio_tap(log, launch["argv"], launch["env"])
    except OSError as error:
        print(f"server `{launch['tap']}` could not be started: {error.strerror or error}", file=sys.stderr)  # noqa: T201
        # As a shell says that there is no such command.
        return 127


if __name__ == "__main__":
    sys.exit(run_launched_tap(sys.argv[1]))
