"""What servers list right now: connected to all at once, listed, and left again. No model and no call."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...compiler.plan import AnyServer
from ...foundations.fault import ServerFault
from ..catalogs.fingerprint import ServerListing

if TYPE_CHECKING:
    from .transports import LaunchContext

Announce = Callable[[AnyServer], None]


def collect_server_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> dict[str, ServerListing | ServerFault]:
    """Return the listing of each server by name, or its fault; each server is announced before it is started."""
    return asyncio.run(_collect_listings(servers, place, announce))


def require_server_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> dict[str, ServerListing]:
    """Return the listing of each server by name. Raise the first `ServerFault` if a server cannot be listed."""
    found: dict[str, ServerListing] = {}
    for name, listing in collect_server_listings(servers, place, announce).items():
        if isinstance(listing, ServerFault):
            raise listing
        found[name] = listing
    return found


async def _collect_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> dict[str, ServerListing | ServerFault]:
    listings = await asyncio.gather(*(_collect_listing(server, place, announce) for server in servers))
    return {server.name: listing for server, listing in zip(servers, listings, strict=True)}


async def _collect_listing(
    server: AnyServer, place: "LaunchContext", announce: Announce
) -> ServerListing | ServerFault:
    from .session import connect_server

    announce(server)
    try:
        async with connect_server(server, place) as session:
            return session.listing
    except ServerFault as fault:
        return fault
