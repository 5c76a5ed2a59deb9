"""What servers list right now: connected to all at once, listed, and left again. No model and no call."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...compiler.plan import AnyServer
from ...foundations.fault import Fault, ServerFault
from ..catalogs.fingerprint import ServerListing
from .environment import list_secret_values

if TYPE_CHECKING:
    from .transports import LaunchContext

Announce = Callable[[AnyServer], None]


def collect_server_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> dict[str, ServerListing | ServerFault]:
    """The listing of each server by name, or why there is none; each is announced before it is started."""
    return asyncio.run(_collect_listings(servers, place, announce))


def require_server_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> dict[str, ServerListing]:
    """The listings of servers that all have to be there."""
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
    from ...foundations.redaction import Redactor
    from ..unexpected_error import make_unexpected_error
    from .session import connect_server

    announce(server)
    try:
        async with connect_server(server, place) as session:
            return session.listing
    except ServerFault as fault:
        return fault
    except Fault:
        raise
    except Exception as error:  # noqa: BLE001 - one server's failure does not hide what the others list
        fault = make_unexpected_error(error, Redactor(list_secret_values([server], place.environment)), Path.cwd())
        return ServerFault(server.name, f"could not be listed: {fault}", help=fault.help)
