"""What `doctor` finds: a catalog's fingerprint, what it costs, and what is wrong with it."""

from collections.abc import Mapping

import msgspec

from .fingerprint import ServerListing, ServerVersion, fingerprint
from .lint import CatalogFinding, lint_catalog
from .token_surface import ServerTokens, ToolTokens, count_surface

SCHEMA = "toolgrade.doctor/1"


class CatalogCheckup(msgspec.Struct, frozen=True, kw_only=True):
    """One merged catalog; servers and tools stand largest first, the gravest finding first."""

    name: str
    fingerprint: str
    tokens: int
    versions: tuple[ServerVersion, ...]
    servers: tuple[ServerTokens, ...]
    tools: tuple[ToolTokens, ...]
    findings: tuple[CatalogFinding, ...]


def check_catalog(name: str, listings: Mapping[str, ServerListing]) -> CatalogCheckup:
    """Look at what servers list."""
    surface = count_surface(listings)
    toolset = fingerprint(listings)
    return CatalogCheckup(
        name=name,
        fingerprint=toolset.fingerprint,
        tokens=surface.tokens,
        versions=toolset.servers,
        servers=surface.servers,
        tools=surface.tools,
        findings=lint_catalog(listings, surface),
    )
