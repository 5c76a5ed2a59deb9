"""The stdio transport: a server's process as the pair of streams that the protocol's SDK talks through.

The SDK's own transport reads lines of any length and ends only the process group, so this one stands in for it.
"""

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from .limits import ServerLimits
from .line_splitter import LongLine, UnterminatedLine
from .process import ServerProcess
from .wire_capture import Streams

# An answer of 100 MB is not parsed: its id is found at its start or its end, where servers write it.
_ID_FIRST = re.compile(rb'^\s*\{[^{]*?"id"\s*:\s*(\d+)')
_ID_LAST = re.compile(rb'"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')
_LOOKED_AT = 4096
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


class StdioState:
    """The process of a stdio connection, and what went wrong with it."""

    def __init__(self) -> None:
        self.process: ServerProcess | None = None
        self.skipped_lines = 0
        self.first_skipped = ""
        self.failure: str | None = None

    def skip_line(self, line: bytes) -> None:
        """Count a line that is not a message, and keep the start of the first."""
        self.skipped_lines += 1
        self.first_skipped = self.first_skipped or line[:_LOOKED_AT].decode("utf-8", "replace")


@asynccontextmanager
async def open_stdio_transport(
    argv: Sequence[str], env: Mapping[str, str], cwd: Path | None, limits: ServerLimits, wire: StdioState
) -> AsyncGenerator[Streams]:
    """Start a server and talk to it; on the way out nothing of it is left, also when that way is a cancellation."""
    process = await ServerProcess.start(argv, env, cwd, limits)
    wire.process = process
    from_server, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, to_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive_messages() -> None:
        async with from_server:
            try:
                async for line in process.read_lines():
                    message = _parse_message(line, wire)
                    if message is not None:
                        await from_server.send(SessionMessage(message))
            except UnterminatedLine as flood:
                wire.failure = f"sent {flood}"
                process.kill()
            except _GONE:
                pass

    async def send_messages() -> None:
        async with to_server:
            try:
                async for item in to_server:
                    text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.write(text.encode() + b"\n")
            except _GONE:
                # Closed from here, so that a request under way ends instead of waiting for an answer.
                await from_server.aclose()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive_messages)
        tasks.start_soon(send_messages)
        try:
            yield read, write
        finally:
            # Shielded: also a cancelled run waits until the process has ended.
            with anyio.CancelScope(shield=True):
                read.close()  # else a message that nobody receives would block the end
                await process.stop()
                for stream in (read, write, from_server, to_server):
                    await stream.aclose()
            tasks.cancel_scope.cancel()


def _parse_message(line: bytes | LongLine, wire: StdioState) -> JSONRPCMessage | None:
    """Return the message in a line, or None; a line without one is counted unless it is blank."""
    if isinstance(line, LongLine):
        return _make_replacement_answer(line, wire)
    with suppress(ValueError, RecursionError):
        return jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False)
    if answered := _find_answered_id(line, line):
        return _make_unreadable_answer(answered)
    if line.strip():
        wire.skip_line(line)
    return None


def _find_answered_id(start: bytes, end: bytes) -> int | None:
    """Return the id of a line that looks like an answer and cannot be read as one."""
    if not start.lstrip().startswith(b"{") or b'"method"' in start[:200]:
        return None
    found = _ID_FIRST.search(start[:_LOOKED_AT]) or _ID_LAST.search(end[-_LOOKED_AT:])
    return int(found[1]) if found else None


def _make_unreadable_answer(number: int) -> JSONRPCMessage:
    """Return an error for whoever waits: without it an answer that is no JSON would be a time-out."""
    error = ErrorData(code=PARSE_ERROR, message="the server sent an answer that cannot be read as JSON-RPC")
    return JSONRPCError(jsonrpc="2.0", id=number, error=error)


def _make_replacement_answer(line: LongLine, wire: StdioState) -> JSONRPCMessage | None:
    """Return an answer that gives the length and hash of one that is too long to keep."""
    found = _ID_FIRST.search(line.start) or _ID_LAST.search(line.end)
    if found is None:
        wire.skip_line(line.start)
        return None
    text = f"[not kept: a message of {line.length} bytes, sha256:{line.sha256}]"
    return JSONRPCResponse(jsonrpc="2.0", id=int(found[1]), result={"content": [{"type": "text", "text": text}]})
