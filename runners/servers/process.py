"""A server's process: started without a shell, drained, and ended with everything that it started."""

import asyncio
import secrets
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from .limits import ServerLimits
from .line_splitter import LineBuffer, LongLine
from .process_tree import MARK, end_process_tree, kill_process_tree, send_sigterm
from .watchdog import watch_process

_CHUNK = 256 * 1024
_POLL_S = 0.01
_LONGEST_SECRET = 8 * 1024


class ServerProcess:
    """A running server; what it writes to stderr is read to the end and its last part kept."""

    def __init__(self, process: Process, mark: str, limits: ServerLimits) -> None:
        self._process, self._mark, self._limits = process, mark, limits
        self._tail = bytearray()
        self._draining = asyncio.create_task(self._read_stderr())

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: Path | None,
        limits: ServerLimits,
        mark: str | None = None,
    ) -> "ServerProcess":
        """Start a program in a session of its own. Raise OSError if that cannot be done."""
        mark = mark or secrets.token_hex(8)
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, env={**env, MARK: mark}, cwd=cwd, start_new_session=True
        )
        watch_process(process.pid, mark)
        return cls(process, mark, limits)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    @property
    def stderr(self) -> str:
        """The last part of what the server wrote to stderr."""
        return self._tail.decode("utf-8", "replace")

    async def read_lines(self) -> AsyncIterator[bytes | LongLine]:
        """Yield the lines of the server's stdout. Raise `UnterminatedLine` if one does not end within bounds."""
        buffer = LineBuffer(self._limits.message_bytes, self._limits.flood_bytes)
        async for chunk in self.read_chunks():
            for line in buffer.feed(chunk):
                yield line

    async def read_chunks(self) -> AsyncIterator[bytes]:
        """Yield what the server writes to stdout, as it arrives."""
        assert self._process.stdout is not None
        while chunk := await self._process.stdout.read(_CHUNK):
            yield chunk

    async def write(self, data: bytes) -> None:
        """Send bytes to the server's stdin. Raise OSError if the server is gone."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        await self._process.stdin.drain()

    def close_stdin(self) -> None:
        """Tell the process that no input will come."""
        assert self._process.stdin is not None
        # The end of stdin is how the protocol asks a stdio server to exit.
        with suppress(OSError):
            self._process.stdin.close()

    def kill(self) -> None:
        """End the server now, with all it started; `stop` is still due."""
        kill_process_tree(self.pid, self._mark)

    async def stop(self) -> None:
        """End the server: close stdin, wait, send SIGTERM, then SIGKILL to all it started. Nothing is left."""
        try:
            await self._close_stdin_and_wait()
        finally:
            await end_process_tree(self.pid, self._mark)
            await self.wait_for_exit(self._limits.stop_s)
            self._draining.cancel()
            # A pipe that a killed descendant held is closed by the transport alone, and nothing public reaches it.
            transport = getattr(self._process, "_transport", None)
            if transport is not None:
                transport.close()

    async def _close_stdin_and_wait(self) -> None:
        self.close_stdin()
        if await self.wait_for_exit(self._limits.stop_s):
            return
        send_sigterm(self.pid)
        await self.wait_for_exit(self._limits.stop_s / 2)

    async def wait_for_exit(self, seconds: float) -> bool:
        """Return whether the process ended in time."""
        # Polled: Process.wait also waits for the pipes, which a grandchild may hold open for ever.
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while self._process.returncode is None:
            if clock() >= deadline:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(_CHUNK):
            self._tail += chunk
            if len(self._tail) > self._limits.stderr_bytes:
                # Read on to the end although only the tail is kept: a full pipe would block the server.
                del self._tail[: -self._limits.stderr_bytes]
                # The first line may have lost its beginning, and half a secret is not found any more.
                del self._tail[: self._tail.find(b"\n") + 1 or min(len(self._tail), _LONGEST_SECRET)]
