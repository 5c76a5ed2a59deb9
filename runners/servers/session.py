"""A connection to one MCP server: what it lists, as it sent it, and calls to its tools.

The SDK's client lives in a task of its own, so that what fails in a caller's task never passes through the SDK's task
groups, and connections may be closed in any order and from anywhere.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, cast

from mcp import Client, MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, PaginatedRequestParams

from ...compiler.plan import AnyServer, CatalogServer, StdioServer
from ...foundations.fault import Fault, ServerFault, ServerGone
from ...foundations.redaction import Redactor
from ..catalogs.fingerprint import ServerListing
from .bounded_result import cut_result, cut_result_text
from .content import filter_result_fields, format_result_text
from .environment import list_run_secrets
from .limits import ServerLimits
from .stdio import StdioState
from .transports import LaunchContext, make_transport
from .wire_capture import MessageTap, capture_exchange

CallStatus = Literal["ok", "empty", "error", "protocol_error", "timeout"]

_SHOWN_LINES = 20
_LAST_WORDS_S = 0.5
_LONGEST_MESSAGE = 500
_LONGEST_CURSOR = 64 * 1024

# Without a handler Python prints their warnings to stderr, in the middle of our own output.
for _name in ("mcp", "httpx2"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class ServerCallResult:
    """The answer to a call: `result` for the record, `text` for the agent."""

    status: CallStatus
    result: Any
    text: str


@asynccontextmanager
async def connect_server(
    server: AnyServer, place: LaunchContext, limits: ServerLimits | None = None
) -> AsyncGenerator["Session"]:
    """Start or reach a server and list its tools. Raise `ServerFault` if that cannot be done.

    On the way out the connection is closed, and nothing of a server that was started is left.
    """
    session = Session(server, place, (limits or ServerLimits()).update_timeouts(server))
    owner = asyncio.create_task(session.hold_client())
    try:
        await session.wait_until_ready()
        yield session
    finally:
        session.request_end()
        if not session.is_ready:
            # Not yet connected, it waits inside the SDK and not for `_stop`.
            owner.cancel()
        await asyncio.wait({owner})


class Session:
    """An open connection. Calls may be made at once, from any task."""

    def __init__(self, server: AnyServer, place: LaunchContext, limits: ServerLimits) -> None:
        self.server = server
        self.listing = ServerListing(None, ())
        self.is_gone = False
        self._place, self._limits = place, limits
        self._wire, self._tap = StdioState(), MessageTap()
        self._redactor = Redactor(list_run_secrets([server], place.environment))
        self._client: Client | None = None
        self._settled, self._stop = asyncio.Event(), asyncio.Event()
        self._failure: BaseException | None = None

    @property
    def is_ready(self) -> bool:
        return self._client is not None

    @property
    def pid(self) -> int | None:
        """The id of the server's process, or None if none was started."""
        return None if self._wire.process is None else self._wire.process.pid

    @property
    def client(self) -> Client:
        assert self._client is not None, "this is a bug in toolgrade: the session has not begun"
        return self._client

    @property
    def list_changes(self) -> int:
        """How often the server has said that its tools changed."""
        return self._tap.list_changes

    def list_warnings(self) -> tuple[str, ...]:
        """Return what the server did that it should not have, without what varies between equal runs."""
        found: list[str] = []
        if self._wire.skipped_lines:
            found.append("writes lines to stdout that are not messages: skipped")
        if self._tap.stray_answers:
            found.append("sends answers that nobody asked for: ignored")
        found += [f"asked for {method}: denied" for method in sorted(self._tap.denied)]
        return tuple(f"server `{self.server.name}` {what}" for what in found)

    def list_notes(self) -> tuple[str, ...]:
        """Return the same in numbers, with an example."""
        counts = [
            (
                self._wire.skipped_lines,
                f"lines on stdout skipped; the first: {self._redactor.redact_text(self._wire.first_skipped)[:200]}",
            ),
            (self._tap.stray_answers, "answers to nothing ignored"),
            *((count, f"times {method} denied") for method, count in sorted(self._tap.denied.items())),
        ]
        return tuple(f"server `{self.server.name}`: {count} {what}" for count, what in counts if count)

    async def hold_client(self) -> None:
        """Hold the SDK's client open until `request_end`; an error in it is kept for the task that waits."""
        # `auto` sends `server/discover` first; `legacy` in a suite begins with `initialize`.
        mode = "auto" if isinstance(self.server, CatalogServer) else self.server.protocol or "auto"
        try:
            transport = self._tap.wrap_transport(make_transport(self.server, self._place, self._limits, self._wire))
            async with Client(transport, mode=mode, read_timeout_seconds=self._limits.call_s, cache=None) as client:
                self._client = client
                self._settled.set()
                await self._stop.wait()
        except BaseException as error:  # noqa: BLE001 - it is raised again in the task that waits for it
            self._failure = error
        finally:
            self.is_gone = True
            self._settled.set()

    def request_end(self) -> None:
        """Ask the task that holds the client to close it."""
        self._stop.set()

    async def wait_until_ready(self) -> None:
        """Wait until the server has introduced itself and listed its tools."""
        try:
            async with asyncio.timeout(self._limits.start_s):
                await self._settled.wait()
        except TimeoutError:
            raise self._make_fault(f"did not start within {self._limits.start_s:g} s") from None
        if self._client is None:
            raise self._make_start_fault(_find_innermost_error(self._failure))
        await self.list_tools()

    async def list_tools(self) -> ServerListing:
        """Return the tools, listed anew page by page; the same object as before if nothing changed."""
        try:
            async with asyncio.timeout(self._limits.list_s):
                tools = await self._fetch_all_tools()
        except TimeoutError:
            raise self._make_fault(f"did not list its tools within {self._limits.list_s:g} s") from None
        info = self.client.server_info
        listing = ServerListing(None if info is None else info.version, tools)
        # The same object lets callers reuse the fingerprint and token counts that they made of it.
        self.listing = self.listing if listing == self.listing else listing
        return self.listing

    async def call_tool(self, name: str, args: Mapping[str, Any]) -> ServerCallResult:
        """Call a tool and return the result; a failing tool is a status. Raise `ServerGone` if the server ended."""
        # The answer is taken from below the SDK, whose models drop fields and refuse what breaks an output schema.
        with capture_exchange("tools/call") as answer:
            try:
                await self.client.session.call_tool(name, dict(args), read_timeout_seconds=self._limits.call_s)
            except MCPError as error:
                return await self._handle_protocol_error(error)
            except Exception as error:  # noqa: BLE001 - the SDK fails in many ways on an answer that did come: it is kept
                if answer.result is None:
                    text = cut_result_text(_describe_error(error), self._limits.result_bytes)
                    return ServerCallResult("protocol_error", {"message": text}, text)
        assert answer.result is not None, "this is a bug in toolgrade: an answer passed by the tap"
        return self._make_call_result(answer.result)

    def _make_call_result(self, raw: dict[str, Any]) -> ServerCallResult:
        result = filter_result_fields(raw)
        kept = cut_result(result, self._limits.result_bytes)
        if kept is not result:  # half a secret is not found any more
            kept = cut_result(self._redactor.redact_value(result), self._limits.result_bytes)
        text = cut_result_text(format_result_text(result), self._limits.result_bytes)
        if raw.get("resultType") == "input_required":
            return ServerCallResult("error", kept, "the tool asked for input: denied")
        status = "error" if raw.get("isError") is True else "ok" if result else "empty"
        return ServerCallResult(status, kept, text)

    async def _handle_protocol_error(self, error: MCPError) -> ServerCallResult:
        if error.code == CONNECTION_CLOSED:
            raise await self._make_gone_fault()
        if error.code == REQUEST_TIMEOUT:
            text = f"no answer within {self._limits.call_s:g} s"
            return ServerCallResult("timeout", {"message": text}, text)
        text = cut_result_text(error.message, self._limits.result_bytes)
        return ServerCallResult("protocol_error", {"code": error.code, "message": text}, text)

    async def _fetch_all_tools(self) -> tuple[Mapping[str, Any], ...]:
        tools: list[Mapping[str, Any]] = []
        cursor: Any = None
        seen: set[str] = set()  # a server that repeats a cursor would be asked for ever
        for _ in range(self._limits.pages):
            page = await self._fetch_page(cursor)
            tools += _extract_tools(page, self._make_fault)
            cursor = page.get("nextCursor")
            if cursor is None:
                return tuple(tools)
            if not isinstance(cursor, str) or len(cursor) > _LONGEST_CURSOR:
                raise self._make_fault("lists its tools with a cursor that is no text, or too long")
            if cursor in seen:
                raise self._make_fault("lists its tools in a circle: it gave the same cursor twice")
            seen.add(cursor)
        raise self._make_fault(f"lists its tools on more than {self._limits.pages:,} pages")

    async def _fetch_page(self, cursor: str | None) -> dict[str, Any]:
        with capture_exchange("tools/list") as answer:
            try:
                params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
                await self.client.session.list_tools(params=params)
            except MCPError as error:
                if error.code == CONNECTION_CLOSED:
                    raise await self._make_gone_fault() from None
                raise self._make_fault(f"did not list its tools: {error.message}") from None
            except Exception as error:  # noqa: BLE001 - as above
                if answer.result is None:
                    raise self._make_fault(f"did not list its tools: {_describe_error(error)}") from None
        assert answer.result is not None, "this is a bug in toolgrade: an answer passed by the tap"
        return answer.result

    def _make_start_fault(self, error: BaseException | None) -> Exception:
        if isinstance(error, Fault):
            return error
        if isinstance(error, OSError) and self._wire.process is None and error.strerror:
            help_ = "check the command: it is started without a shell" if isinstance(self.server, StdioServer) else None
            return self._make_fault(f"could not be started: {error.strerror}", help_)
        if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
            return self._make_fault(f"{self._describe_end()} before it was ready")
        return self._make_fault(f"could not be reached: {_describe_error(error)}")

    async def _make_gone_fault(self) -> ServerGone:
        self.is_gone = True
        if self._wire.process is not None:
            # The pipe may close before the process ends, and its exit code belongs into the message.
            await self._wire.process.wait_for_exit(_LAST_WORDS_S)
        return ServerGone(self.server.name, self._describe_end(), self._get_stderr_tail())

    def _describe_end(self) -> str:
        """Return how a connection ended, in the words that follow the server's name."""
        if self._wire.failure:
            return self._wire.failure
        process = self._wire.process
        if process is None:
            return "closed the connection"
        code = process.exit_code
        if code is None:
            return "closed its stdout"
        return f"ended with code {code}" if code >= 0 else f"was ended by signal {-code}"

    def _make_fault(self, what: str, help_: str | None = None) -> ServerFault:
        return ServerFault(self.server.name, self._redactor.redact_text(what), self._get_stderr_tail(), help_)

    def _get_stderr_tail(self) -> tuple[str, ...]:
        stderr = "" if self._wire.process is None else self._wire.process.stderr
        return tuple(self._redactor.redact_text(stderr.rstrip()).splitlines()[-_SHOWN_LINES:])


def _extract_tools(page: dict[str, Any], fault: Any) -> list[Mapping[str, Any]]:
    tools = page.get("tools")
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in cast(list[Any], tools)):
        raise fault("answered tools/list with something that is not a list of tools")
    return cast(list[Mapping[str, Any]], tools)


def _describe_error(error: BaseException | None) -> str:
    """Return what an exception says, on one line and no longer than is read."""
    text = " ".join(str(error or "").split())
    return f"{text[:_LONGEST_MESSAGE]}…" if len(text) > _LONGEST_MESSAGE else text or type(error).__name__


def _find_innermost_error(error: BaseException | None) -> BaseException | None:
    """Return the first exception that is not a group of others."""
    while isinstance(error, BaseExceptionGroup):
        error = cast(BaseExceptionGroup[BaseException], error).exceptions[0]
    return error
