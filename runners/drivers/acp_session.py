"""One conversation over the Agent Client Protocol: toolgrade is the client, the program's standard streams the wire.

Both directions are kept as lines `{"from": "client" or "agent", "message": …}`, which is the trace of the run.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import acp
import anyio
from acp.connection import Connection, StreamDirection, StreamEvent

from ...compiler.driver_plan import Permissions
from ..servers.line_splitter import LineBuffer, LongLine, UnterminatedLine
from ..servers.process import ServerProcess
from ..taps.tap_record import TapLogReader
from .preset import DriverTask
from .program import MAX_OUTPUT_BYTES, DriverFault, ProgramCommand, ProgramOutput, get_last_lines, start_program

_NO_FILES = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
_OWN_KINDS = frozenset(("delete", "edit", "execute", "move"))
"""Kinds of tools that are the program's own; MCP tools are of the kind `other` or of none."""
# The protocol's code for a session that needs a login first.
_AUTH_REQUIRED = -32000
_POLL_S = 0.05
_CANCEL_S = 2.0


@dataclass(frozen=True, slots=True)
class AcpOutput:
    """What a conversation left: its messages, and what the program says of itself."""

    printed: ProgramOutput
    program: Mapping[str, Any]


async def run_acp_agent(
    command: ProgramCommand, task: DriverTask, taps: TapLogReader, servers: frozenset[str]
) -> AcpOutput:
    """Have an agent answer one prompt. Raise `DriverFault` if it fails, or takes too long."""
    process = await start_program(command)
    conversation = _Conversation(command, task, process, taps, servers)
    try:
        async with asyncio.timeout(command.timeout_s):
            return await conversation.run()
    except TimeoutError:
        await conversation.cancel()
        help_ = "raise `timeout_s` in the driver"
        message = f"did not finish within {command.timeout_s:g} s"
        raise DriverFault(command.label, message, get_last_lines(process), help_) from None
    finally:
        with anyio.CancelScope(shield=True):
            await conversation.close()
            await process.stop()


class _ProcessTransport:
    """The messages of a program that speaks over its standard streams; a line that holds none is skipped."""

    def __init__(self, process: ServerProcess) -> None:
        self._process = process
        self._lines = self._read_lines()

    async def send(self, message: dict[str, Any]) -> None:
        await self._process.write(json.dumps(message).encode() + b"\n")

    async def receive(self) -> dict[str, Any] | None:
        with suppress(UnterminatedLine, OSError):
            async for line in self._lines:
                message = None
                with suppress(ValueError, RecursionError):
                    message = json.loads(line)
                if isinstance(message, dict):
                    return cast(dict[str, Any], message)
        return None

    async def close(self) -> None:
        self._process.close_stdin()

    async def _read_lines(self) -> AsyncIterator[bytes]:
        buffer = LineBuffer(MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES)
        async for chunk in self._process.read_chunks():
            for line in buffer.feed(chunk):
                if not isinstance(line, LongLine):
                    yield line


class _Conversation:
    def __init__(
        self,
        command: ProgramCommand,
        task: DriverTask,
        process: ServerProcess,
        taps: TapLogReader,
        servers: frozenset[str],
    ) -> None:
        self._command, self._task, self._process = command, task, process
        self._taps, self._servers = taps, servers
        self._trace = bytearray()
        self._session: str | None = None
        self._connection = Connection(self._answer, _ProcessTransport(process), observers=[self._note])

    async def run(self) -> AcpOutput:
        """Begin a session with the servers of the test, wait until all have listed, and send the prompt."""
        client = {"name": "toolgrade", "version": "1"}
        hello = await self._ask(
            "initialize", protocolVersion=acp.PROTOCOL_VERSION, clientCapabilities=_NO_FILES, clientInfo=client
        )
        session = await self._begin_session(hello)
        self._session = str(session.get("sessionId"))
        # Some agents answer `session/new` before their servers are ready: prompted then, the model would see no tool.
        await self._wait_for_listings()
        prompt = [{"type": "text", "text": self._task.prompt}]
        await self._ask("session/prompt", sessionId=self._session, prompt=prompt)
        return AcpOutput(ProgramOutput(bytes(self._trace), b""), _as_dict(hello.get("agentInfo")))

    async def cancel(self) -> None:
        """Ask the agent to stop, and give it a moment to end what it began."""
        if self._session is not None:
            with suppress(Exception):
                # Out of time already: a connection that is broken, too, must not replace that fault.
                await self._connection.send_notification("session/cancel", {"sessionId": self._session})
                await asyncio.sleep(_CANCEL_S / 4)

    async def close(self) -> None:
        """End the connection."""
        with suppress(Exception):
            await self._connection.close()

    async def _begin_session(self, hello: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a session. An agent that wants a login is told to use the key that it was given, if it takes one."""
        entries = [
            {"name": server.name, "command": server.command, "args": list(server.args), "env": list[Any]()}
            for server in self._task.servers
        ]
        begin = {"cwd": str(self._task.workdir), "mcpServers": entries}
        try:
            return _as_dict(await self._connection.send_request("session/new", begin))
        except acp.RequestError as error:
            methods = [str(_as_dict(method).get("id")) for method in _as_list(hello.get("authMethods"))]
            # Gemini, for one, begins no session before it is told to use the key in its environment.
            by_key = next((method for method in methods if "api-key" in method or "apikey" in method), None)
            if error.code != _AUTH_REQUIRED or by_key is None:
                raise self._make_fault(f"began no session: {error}") from None
            await self._ask("authenticate", methodId=by_key)
            return await self._ask("session/new", **begin)
        except (ConnectionError, OSError):
            raise self._make_end_fault() from None

    async def _wait_for_listings(self) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._task.start_s
        while missing := self._servers - self._taps.read_on().listings.keys():
            if clock() >= deadline:
                named = ", ".join(f"`{name}`" for name in sorted(missing))
                raise self._make_fault(f"had not listed the tools of server {named} within {self._task.start_s:g} s")
            if self._process.exit_code is not None:
                raise self._make_end_fault()
            await asyncio.sleep(_POLL_S)

    async def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        try:
            return _as_dict(await self._connection.send_request(method, params))
        except acp.RequestError as error:
            raise self._make_fault(f"refused {method}: {error}") from None
        except (ConnectionError, OSError):
            raise self._make_end_fault() from None

    async def _answer(self, method: str, params: Any, is_notification: bool) -> Any:
        """Answer a request of the agent. It has no files and no terminal of ours, and nobody to ask."""
        if method == "session/request_permission":
            return {"outcome": choose_permission(_as_dict(params), self._task.permissions)}
        if not is_notification:
            raise acp.RequestError.method_not_found(method)
        return None

    def _note(self, event: StreamEvent) -> None:
        if len(self._trace) <= MAX_OUTPUT_BYTES:
            sender = "client" if event.direction is StreamDirection.OUTGOING else "agent"
            self._trace += json.dumps({"from": sender, "message": event.message}).encode() + b"\n"
        if len(self._trace) > MAX_OUTPUT_BYTES:
            # An observer cannot fail the conversation: the end of the program does, and the fault says why.
            self._process.kill()

    def _make_end_fault(self) -> DriverFault:
        if len(self._trace) > MAX_OUTPUT_BYTES:
            return self._make_fault(f"printed more than {MAX_OUTPUT_BYTES:,} bytes")
        code = self._process.exit_code
        return self._make_fault("closed the connection" if code is None else f"ended with code {code}")

    def _make_fault(self, what: str) -> DriverFault:
        return DriverFault(self._command.label, what, get_last_lines(self._process))


def choose_permission(request: Mapping[str, Any], permissions: Permissions) -> dict[str, Any]:
    """Return the answer to a request for permission: by the kind of the options, never by their order or text."""
    is_own = _as_dict(request.get("toolCall")).get("kind") in _OWN_KINDS
    wanted = ("reject_once", "reject_always") if is_own or permissions == "deny" else ("allow_once", "allow_always")
    options = [_as_dict(option) for option in _as_list(request.get("options"))]
    for kind in wanted:
        for option in options:
            if option.get("kind") == kind:
                return {"outcome": "selected", "optionId": option.get("optionId")}
    return {"outcome": "cancelled"}


def _as_dict(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _as_list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []
