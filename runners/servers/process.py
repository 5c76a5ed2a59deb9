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

_CHUNK = 256 * 1024
_POLL_S = 0.01


class ServerProcess:
    """A running server; what it writes to stderr is read to the end and its last part kept."""

    def __init__(self, process: Process, mark: str, limits: ServerLimits) -> None:
        self._process, self._mark, self._limits = process, mark, limits
        self._tail = bytearray()
        self._draining = asyncio.create_task(self._read_stderr())

    @classmethod
    async def start(
        cls, argv: Sequence[str], env: Mapping[str, str], cwd: Path | None, limits: ServerLimits
    ) -> "ServerProcess":
        """Start a program in a session of its own; an OSError where that cannot be done."""
        mark = secrets.token_hex(8)
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, env={**env, MARK: mark}, cwd=cwd, start_new_session=True
        )
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
        """Yield the lines that the server writes to stdout. Raise `Flood` if one does not end within bounds."""
        assert self._process.stdout is not None
        buffer = LineBuffer(self._limits.message_bytes, self._limits.flood_bytes)
        while chunk := await self._process.stdout.read(_CHUNK):
            for line in buffer.feed(chunk):
                yield line

    async def write(self, data: bytes) -> None:
        """Send bytes to the server's stdin; an OSError where it has gone."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        await self._process.stdin.drain()

    def kill(self) -> None:
        """End the server now, with all it started; `stop` is still due."""
        kill_process_tree(self.pid, self._mark)

    async def stop(self) -> None:
        """Close stdin, wait, ask, then kill: when this returns nothing of the server is left."""
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
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        if await self.wait_for_exit(self._limits.stop_s):
            return
        send_sigterm(self.pid)
        await self.wait_for_exit(self._limits.stop_s / 2)

    async def wait_for_exit(self, seconds: float) -> bool:
        """Whether the process ended; Process.wait would wait for its pipes too, which a grandchild may hold."""
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
            del self._tail[: -self._limits.stderr_bytes]
