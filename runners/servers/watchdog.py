"""A process that ends servers when toolgrade no longer can: killed by SIGKILL, it cannot clean up after itself.

It reads a line, `PID MARK`, for each process that was started. The pipe ends when toolgrade does, however that happens;
then what is still alive of them is killed. It runs as a script, apart from the package, so that it starts at once.
"""

import atexit
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import IO, Any

_ROUNDS = 100
_PAUSE_S = 0.02


class _Watchdog:
    """The one watchdog of this process, started when the first server is."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def watch(self, pid: int, mark: str) -> None:
        if self._process is None or self._process.poll() is not None:
            # In a session of its own: Ctrl-C, or a signal to our process group, does not reach it.
            command = [sys.executable, "-I", "-S", __file__]
            # Without our streams: whoever reads them to the end would wait for it.
            null = subprocess.DEVNULL
            self._process = subprocess.Popen(  # noqa: S603 - argv, no shell
                command, env={}, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True
            )
            atexit.register(self._close, self._process)
        assert self._process.stdin is not None
        self._process.stdin.write(f"{pid} {mark}\n".encode())
        self._process.stdin.flush()

    def _close(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(OSError):
            process.communicate()


_WATCHDOG = _Watchdog()


def watch_process(pid: int, mark: str) -> None:
    """Have a process and what it starts ended if this process ends without doing so."""
    with suppress(OSError):  # it is a second line of defence: without it a server is ended all the same
        _WATCHDOG.watch(pid, mark)


def end_survivors(requests: IO[bytes], kill: Any) -> None:
    """Wait for the end of the pipe, then kill every process that was named and is alive."""
    watched = [line.split() for line in requests]
    for _ in range(_ROUNDS):
        if not sum(kill(int(pid), mark.decode()) for pid, mark in watched):
            return
        time.sleep(_PAUSE_S)


def _load_kill() -> Any:
    spec = spec_from_file_location("process_tree", Path(__file__).with_name("process_tree.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kill_process_tree


if __name__ == "__main__":
    end_survivors(sys.stdin.buffer, _load_kill())
