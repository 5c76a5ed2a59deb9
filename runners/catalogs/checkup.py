"""What `doctor` finds: a catalog's fingerprint, what it costs, and what is wrong with it."""

from collections.abc import Mapping

import msgspec

from .fingerprint import ServerListing, ServerVersion, fingerprint
from .lint import Finding, lint
from .token_surface import ServerTokens, ToolTokens, count_surface

SCHEMA = "toolgrade.doctor/1"


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """One merged catalog; servers and tools stand largest first, the gravest finding first."""

    name: str
    fingerprint: str
    tokens: int
    versions: tuple[ServerVersion, ...]
    servers: tuple[ServerTokens, ...]
    tools: tuple[ToolTokens, ...]
    findings: tuple[Finding, ...]


def check_up(name: str, listings: Mapping[str, ServerListing]) -> Checkup:
    """Look at what servers list."""
    surface = count_surface(listings)
    toolset = fingerprint(listings)
    return Checkup(
        name=name,
        fingerprint=toolset.fingerprint,
        tokens=surface.tokens,
        versions=toolset.servers,
        servers=surface.servers,
        tools=surface.tools,
        findings=lint(listings, surface),
    )
