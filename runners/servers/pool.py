"""The servers of a live run: each is started once and shared, or started for each run if the suite isolates it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from ...compiler.plan import AnyServer, CatalogServer
from ...foundations.fault import ServerFault, ServerGone
from ..agents.agent import OfferedTool
from ..catalogs.fingerprint import ServerListing
from ..events import Listener, ServerStarting
from .limits import ServerLimits
from .session import ServerCallResult, Session, connect_server
from .transports import LaunchContext

Key = tuple[str, AnyServer]


class ServerPool:
    """Connections that several cells share. Whoever closes it leaves no server behind."""

    def __init__(self, limits: ServerLimits, listener: Listener) -> None:
        self._limits, self._listener = limits, listener
        self._shared: dict[str, Session] = {}
        self._failed: dict[str, ServerFault] = {}
        self._starting: dict[str, asyncio.Lock] = {}
        self._open = AsyncExitStack()

    async def __aenter__(self) -> "ServerPool":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._open.aclose()

    @asynccontextmanager
    async def open_sessions(
        self, suite: str, servers: tuple[AnyServer, ...], place: LaunchContext
    ) -> AsyncGenerator["RunSessions"]:
        """Yield the servers of one run, all of them connected."""
        async with AsyncExitStack() as own:
            run = RunSessions(own, lambda server: self._open_session(own, server, place))
            for server in servers:
                run.add(await self._get_session(own, suite, server, place))
            yield run

    async def _get_session(self, own: AsyncExitStack, suite: str, server: AnyServer, place: LaunchContext) -> Session:
        if not isinstance(server, CatalogServer) and server.isolate:
            return await self._open_session(own, server, place)
        # One lock a server: several cells that need it wait for one start, and other servers start meanwhile.
        key = f"{suite}\0{server.name}"
        async with self._starting.setdefault(key, asyncio.Lock()):
            # A start that failed is not tried again: every cell would wait for the same time limit.
            if key in self._failed:
                raise self._failed[key]
            if key not in self._shared or self._shared[key].is_gone:
                try:
                    self._shared[key] = await self._open_session(self._open, server, place)
                except ServerFault as fault:
                    self._failed[key] = fault
                    raise
            return self._shared[key]

    async def _open_session(self, stack: AsyncExitStack, server: AnyServer, place: LaunchContext) -> Session:
        self._listener(ServerStarting(server))
        return await stack.enter_async_context(connect_server(server, place, self._limits))


class RunSessions:
    """The connections of one run. A server that dies is started again once, for this run alone."""

    def __init__(self, own: AsyncExitStack, restart: Callable[[AnyServer], Any]) -> None:
        self._own, self._restart = own, restart
        self._by_name: dict[str, Session] = {}
        self._restarted: set[str] = set()

    def add(self, session: Session) -> None:
        """Add a connection, under the name of its server."""
        self._by_name[session.server.name] = session

    async def list_tools(self) -> dict[str, ServerListing]:
        """Return what every server lists now."""
        return {name: await self._try_with_restart(name, Session.list_tools) for name in self._by_name}

    async def call_tool(self, tool: OfferedTool, args: dict[str, Any]) -> ServerCallResult:
        """Call a tool of one of the servers."""
        return await self._try_with_restart(tool.server, lambda session: session.call_tool(tool.tool, args))

    def count_list_changes(self) -> int:
        """Return how often servers have said that their tools changed."""
        return sum(session.list_changes for session in self._by_name.values())

    def list_warnings(self) -> tuple[str, ...]:
        """Return what the servers did that they should not have."""
        restarted = [f"server `{name}` ended in a run and was started again" for name in sorted(self._restarted)]
        return (*restarted, *(text for session in self._by_name.values() for text in session.list_warnings()))

    def list_notes(self) -> tuple[str, ...]:
        """Return the same in numbers, which vary between equal runs."""
        return tuple(text for session in self._by_name.values() for text in session.list_notes())

    async def _try_with_restart(self, name: str, act: Callable[[Session], Any]) -> Any:
        try:
            return await act(self._by_name[name])
        except ServerGone:
            # A server that dies of this very call would die of it each time.
            if name in self._restarted:
                raise
        self._restarted.add(name)
        self._by_name[name] = await self._restart(self._by_name[name].server)
        return await act(self._by_name[name])
