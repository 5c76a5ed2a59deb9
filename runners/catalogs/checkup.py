"""The result of `toolgrade doctor`: a catalog's fingerprint, its tokens, and the findings about it."""

from collections.abc import Mapping

import msgspec

from .fingerprint import ServerListing, ServerVersion, fingerprint
from .lint import CatalogFinding, lint_catalog
from .token_surface import ServerTokens, ToolTokens, count_surface

SCHEMA = "toolgrade.doctor/1"


class CatalogCheckup(msgspec.Struct, frozen=True, kw_only=True):
    """One merged catalog. Servers and tools are sorted by size, findings by severity."""

    name: str
    fingerprint: str
    tokens: int
    versions: tuple[ServerVersion, ...]
    servers: tuple[ServerTokens, ...]
    tools: tuple[ToolTokens, ...]
    findings: tuple[CatalogFinding, ...]


def check_catalog(name: str, listings: Mapping[str, ServerListing]) -> CatalogCheckup:
    """Return the checkup of what servers list. Raise `Fault` if tokens cannot be counted."""
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
