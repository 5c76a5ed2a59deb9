"""A second process that outlives a tap which is killed, and then ends the server that the tap had started.

A server that reads its stdin ends by itself when the tap is gone. One that does not would stay for ever.
"""

import os
import signal
import time
from contextlib import suppress

from ..servers.process_tree import find_live_processes, kill_process_tree, send_sigterm

TAP_MARK = "TOOLGRADE_TAP"
_RELEASED = b"done\n"
_ROUNDS = 50
_PAUSE_S = 0.05


class Guard:
    """The tap's side of the pipe to its guard: when it closes without a word, the tap was killed."""

    def __init__(self, pipe: int | None, pid: int | None) -> None:
        self._pipe, self._pid = pipe, pid

    def watch(self, server: int) -> None:
        """Name the process that has to end with the tap."""
        self._tell(b"%d\n" % server)

    def release(self) -> None:
        """Let the guard go: the server has ended."""
        self._tell(_RELEASED)
        if self._pipe is not None:
            os.close(self._pipe)
        if self._pid is not None:
            with suppress(ChildProcessError):
                os.waitpid(self._pid, 0)

    def _tell(self, word: bytes) -> None:
        if self._pipe is not None:
            with suppress(OSError):
                os.write(self._pipe, word)


def start_guard(mark: str, grace_s: float) -> Guard:
    """Start the guard of a tap; one without a process on a system that cannot fork."""
    if not hasattr(os, "fork"):
        return Guard(None, None)
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(read)
        return Guard(write, pid)
    os.close(write)
    try:
        _guard(read, mark, grace_s)
    finally:
        # This is a copy of the tap: its buffers and exit handlers must not run twice.
        os._exit(0)


def _guard(pipe: int, mark: str, grace_s: float) -> None:
    """Wait for the end of the tap; what stands in the pipe then says whether something is left to do."""
    # Out of reach of what ends the tap: a signal to its group would end its guard, too.
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)  # or the client would wait for pipes that this process holds open
    words = b""
    while part := os.read(pipe, 4096):
        words += part
    server = words.partition(b"\n")[0]
    # No number: the tap was killed before it had started a server.
    if server.isdigit() and not words.endswith(_RELEASED):
        _end_server(int(server), mark, grace_s)


def _end_server(server: int, mark: str, grace_s: float) -> None:
    if _waits_in_vain(server, mark, grace_s):
        send_sigterm(server)
        _waits_in_vain(server, mark, grace_s)
    for _ in range(_ROUNDS):
        if not kill_process_tree(server, mark, TAP_MARK):
            return
        time.sleep(_PAUSE_S)


def _waits_in_vain(server: int, mark: str, seconds: float) -> bool:
    """Return whether something of the server is alive after this time."""
    deadline = time.monotonic() + seconds
    while any(find_live_processes(server, mark, TAP_MARK)):
        if time.monotonic() >= deadline:
            return True
        time.sleep(_PAUSE_S)
    return False
