"""Transports to the servers of a plan: the command to start, or the address to reach."""

import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from ...compiler.plan import AnyServer, CatalogServer, HttpServer, StdioServer
from .environment import expand_variables, make_server_environment
from .http import make_http_client
from .limits import ServerLimits
from .stdio import StdioState, open_stdio_transport
from .wire_capture import Streams


@dataclass(frozen=True, slots=True)
class LaunchContext:
    """Where servers are started from: `environment` holds the variables, `folder` is the suite's."""

    environment: Mapping[str, str]
    folder: Path


def build_server_argv(server: StdioServer | CatalogServer, place: LaunchContext) -> tuple[str, ...]:
    """Return the whole command line of a server: exactly this is started."""
    if isinstance(server, CatalogServer):
        return (
            sys.executable,
            "-P",
            "-m",
            "toolgrade.runners.servers.catalog_server",
            str(place.folder / server.catalog),
        )
    program, *args = (expand_variables(part, server, place.environment) for part in server.command)
    # From another folder a relative program would be another program, or none.
    return (str(Path(program).absolute()) if server.cwd and "/" in program else program, *args)


def make_transport(
    server: AnyServer, place: LaunchContext, limits: ServerLimits, wire: StdioState
) -> AbstractAsyncContextManager[Streams]:
    """Return the streams to a server, not yet opened."""
    if isinstance(server, HttpServer):
        return _open_http_transport(server, place, limits)
    env = make_server_environment(server, place.environment)
    cwd = Path(server.cwd) if isinstance(server, StdioServer) and server.cwd else None
    return open_stdio_transport(build_server_argv(server, place), env, cwd, limits, wire)


@asynccontextmanager
async def _open_http_transport(
    server: HttpServer, place: LaunchContext, limits: ServerLimits
) -> AsyncGenerator[Streams]:
    url = expand_variables(server.url, server, place.environment)
    headers = {name: expand_variables(text, server, place.environment) for name, text in server.headers.items()}
    if server.sse:
        async with sse_client(url, headers, httpx_client_factory=_make_client_factory(limits)) as streams:
            yield streams
        return
    async with (
        make_http_client(headers, limits) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=limits.message_bytes) as streams,
    ):
        yield streams


def _make_client_factory(limits: ServerLimits) -> Any:
    """Return a factory of clients for the older SSE transport, which brings time limits of its own."""

    def make_client(headers: dict[str, str] | None = None, **_theirs: Any) -> httpx2.AsyncClient:
        return make_http_client(headers or {}, limits)

    return make_client
