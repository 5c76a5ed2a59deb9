"""The tap around a stdio server: a process between client and server that passes every byte on as it arrives.

A message is noted when its last byte is here and before that byte is passed on, so that no answer is in the log before
its request. Nothing is ever changed, held back or added, also if the log cannot be written.
"""

import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import Any

from ..servers.line_splitter import LineBuffer
from ..servers.process_tree import kill_process_tree, send_sigterm
from .message_log import MAX_MESSAGE_BYTES, Direction, MessageLog
from .tap_guard import TAP_MARK, start_guard

_CHUNK = 256 * 1024
# A tap must not change what a server may send: a line of any length passes.
_NO_LIMIT = 1 << 62
_POLL_S = 0.1
_GRACE_S = 2.0
_DRAIN_S = 1.0
_PASSED_ON = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))


class StdioTap:
    """One server's process with this one in front of it."""

    def __init__(self, log: MessageLog, process: "subprocess.Popen[bytes]", mark: str) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._log, self._process, self._mark = log, process, mark
        self._to_server, self._from_server = process.stdin.fileno(), process.stdout.fileno()
        self._parent = os.getppid()
        self._is_output_closed = Event()

    def run(self) -> int:
        """Pass messages on until the server has ended; return its exit code as a shell would give it."""
        for number in _PASSED_ON:
            # The server is in a session of its own, which the terminal's Ctrl-C does not reach.
            signal.signal(number, self._pass_signal_on)
        Thread(target=self._pump_to_server, daemon=True).start()
        output = Thread(target=self._pump_to_client, daemon=True)
        output.start()
        code = self._process.wait()
        output.join(_DRAIN_S)  # a process that the server left behind may hold its stdout open for ever
        kill_process_tree(self._process.pid, self._mark, TAP_MARK)
        # A shell adds the number of the signal to 128.
        return code if code >= 0 else 128 - code

    def _pass_signal_on(self, number: int, _frame: Any) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _pump_to_server(self) -> None:
        try:
            self._pump("client", 0, self._to_server)
        except BrokenPipeError:
            os.close(0)  # the client learns of it as it would without a tap: by a write that fails
        with suppress(OSError):
            os.close(self._to_server)
        self._end_server_after_client()

    def _pump_to_client(self) -> None:
        try:
            self._pump("server", self._from_server, 1)
        except BrokenPipeError:
            self._is_output_closed.set()
        with suppress(OSError):
            os.close(self._from_server)

    def _pump(self, sender: Direction, source: int, target: int) -> None:
        lines = LineBuffer(MAX_MESSAGE_BYTES, _NO_LIMIT)
        while chunk := _read_chunk(source):
            for line in lines.feed(chunk):
                self._log.note_line(sender, line)
            _write_all(target, chunk)
        for line in lines.finish():
            self._log.note_line(sender, line)

    def _end_server_after_client(self) -> None:
        """End a server that goes on though nobody is there any more to read from it or to end it."""
        while not self._is_client_gone():
            time.sleep(_POLL_S)
        time.sleep(_GRACE_S)
        send_sigterm(self._process.pid)
        time.sleep(_GRACE_S)
        kill_process_tree(self._process.pid, self._mark, TAP_MARK)

    def _is_client_gone(self) -> bool:
        return self._is_output_closed.is_set() or os.getppid() != self._parent or _is_reader_gone(1)


def run_stdio_tap(log: MessageLog, argv: Sequence[str], environment: Mapping[str, str]) -> int:
    """Start a server behind a tap and return its exit code. Raise OSError if it cannot be started."""
    mark = secrets.token_hex(8)
    # Before the server is started: a later fork would hold its pipes open, too.
    guard = start_guard(mark, _GRACE_S)
    process = subprocess.Popen(  # noqa: S603 - starting this command is what a tap is for
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env={**environment, TAP_MARK: mark},
        start_new_session=True,
    )
    guard.watch(process.pid)
    code = StdioTap(log, process, mark).run()
    log.note_end(code)
    _report_losses(log)
    guard.release()
    return code


def _report_losses(log: MessageLog) -> None:
    if log.lost:
        text = f"toolgrade tap: {log.lost} messages were passed on and not logged: {log.failure}\n"
        with suppress(OSError):
            os.write(sys.stderr.fileno(), text.encode())


def _read_chunk(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:
        return b""


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _is_reader_gone(descriptor: int) -> bool:
    """Return whether nobody can read any more what is written to a pipe."""
    poll = select.poll()
    # Asked for nothing, poll still reports errors: so the end of a reader is seen without writing to it.
    poll.register(descriptor, 0)
    return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))
