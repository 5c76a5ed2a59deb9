"""Listing the tools of several servers at once. No model is asked and no tool is called."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...compiler.plan import AnyServer
from ...foundations.fault import Fault, ServerFault
from ...foundations.redaction import Redactor
from ..catalogs.fingerprint import ServerListing
from .environment import list_run_secrets

if TYPE_CHECKING:
    from .transports import LaunchContext

Announce = Callable[[AnyServer], None]


def collect_server_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> dict[str, ServerListing | ServerFault]:
    """Return the listing of each server by name, or its fault; each server is announced before it is started."""
    return asyncio.run(_collect_listings(servers, place, announce))


def collect_redacted_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> tuple[dict[str, ServerListing], tuple[ServerFault, ...]]:
    """Return what servers list, without secrets, for people and files; and why some could not be listed."""
    redactor = Redactor(list_run_secrets(servers, place.environment))
    found = collect_server_listings(servers, place, announce)
    listings = {
        name: _redact_listing(listing, redactor)
        for name, listing in found.items()
        if not isinstance(listing, ServerFault)
    }
    return listings, tuple(fault for fault in found.values() if isinstance(fault, ServerFault))


def require_server_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> dict[str, ServerListing]:
    """Return what servers list, without secrets; raise the first `ServerFault` if one could not be listed."""
    listings, faults = collect_redacted_listings(servers, place, announce)
    for fault in faults:
        raise fault
    return listings


def _redact_listing(listing: ServerListing, redactor: Redactor) -> ServerListing:
    version = None if listing.version is None else redactor.redact_text(listing.version)
    return ServerListing(version, tuple(redactor.redact_value(tool) for tool in listing.tools))


async def _collect_listings(
    servers: Sequence[AnyServer], place: "LaunchContext", announce: Announce
) -> dict[str, ServerListing | ServerFault]:
    listings = await asyncio.gather(*(_collect_listing(server, place, announce) for server in servers))
    return {server.name: listing for server, listing in zip(servers, listings, strict=True)}


async def _collect_listing(
    server: AnyServer, place: "LaunchContext", announce: Announce
) -> ServerListing | ServerFault:
    from ..unexpected_error import make_unexpected_error

    # The SDK takes almost a second to import: only once a server is connected to.
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
        fault = make_unexpected_error(error, Redactor(list_run_secrets([server], place.environment)), Path.cwd())
        return ServerFault(server.name, f"could not be listed: {fault}", help=fault.help)
