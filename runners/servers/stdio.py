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
from mcp_types import JSONRPCMessage, JSONRPCResponse, jsonrpc_message_adapter

from .limits import ServerLimits
from .line_splitter import LongLine, UnterminatedLine
from .process import ServerProcess
from .wire_capture import Streams

_ID_FIRST = re.compile(rb'^\s*\{[^{]*?"id"\s*:\s*(\d+)')
_ID_LAST = re.compile(rb'"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


class StdioState:
    """What is known of a stdio connection besides its messages."""

    def __init__(self) -> None:
        self.process: ServerProcess | None = None
        self.skipped_lines = 0
        self.first_skipped = ""
        self.failure: str | None = None

    def skip_line(self, line: bytes) -> None:
        self.skipped_lines += 1
        self.first_skipped = self.first_skipped or line[:200].decode("utf-8", "replace")


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
                await from_server.aclose()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive_messages)
        tasks.start_soon(send_messages)
        try:
            yield read, write
        finally:
            with anyio.CancelScope(shield=True):
                read.close()  # or a message that nobody takes would hold up the end
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
    if line.strip():
        wire.skip_line(line)
    return None


def _make_replacement_answer(line: LongLine, wire: StdioState) -> JSONRPCMessage | None:
    """Return an answer that gives the length and hash of one that is too long to keep."""
    found = _ID_FIRST.search(line.start) or _ID_LAST.search(line.end)
    if found is None:
        wire.skip_line(line.start)
        return None
    text = f"[not kept: a message of {line.length} bytes, sha256:{line.sha256}]"
    return JSONRPCResponse(jsonrpc="2.0", id=int(found[1]), result={"content": [{"type": "text", "text": text}]})
