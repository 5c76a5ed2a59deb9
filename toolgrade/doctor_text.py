"""The findings of `doctor` as text."""

from collections.abc import Iterator

from .compiler.diagnostic_output import Paint
from .console import format_counted_noun
from .foundations.untrusted_text import make_visible
from .runners.catalogs.checkup import CatalogCheckup
from .runners.catalogs.lint import CatalogFinding, Kind

SHOWN_TOOLS = 15
_SHOWN_IDS = 4
_BAD: frozenset[Kind] = frozenset(("orders", "hidden", "lookalike"))


def format_checkup(checkup: CatalogCheckup, paint: Paint, show_all: bool) -> str:
    """Return servers and tools, largest first, and then the findings."""
    return (
        "\n".join(
            [
                *_format_head(checkup),
                *_format_servers(checkup),
                *_format_tools(checkup, show_all),
                *_format_findings(checkup, paint),
            ]
        )
        + "\n"
    )


def _format_head(checkup: CatalogCheckup) -> Iterator[str]:
    size = f"{format_counted_noun(len(checkup.servers), 'server')}, {format_counted_noun(len(checkup.tools), 'tool')}"
    yield f"{make_visible(checkup.name)}: {size}, {format_counted_noun(checkup.tokens, 'token')} (cl100k_base)"
    yield checkup.fingerprint


def _format_servers(checkup: CatalogCheckup) -> Iterator[str]:
    versions = {server.name: server.version for server in checkup.versions}
    yield ""
    yield f"{'tokens':>8}  {'tools':>5}  server"
    for server in checkup.servers:
        version = versions.get(server.name)
        label = make_visible(f"{server.name} {version}" if version else server.name)
        yield f"{server.tokens:>8,}  {server.tools:>5,}  {label}"


def _format_tools(checkup: CatalogCheckup, show_all: bool) -> Iterator[str]:
    shown = checkup.tools if show_all else checkup.tools[:SHOWN_TOOLS]
    if shown:
        yield ""
        yield f"{'tokens':>8}  {'text':>5}  {'schema':>6}  tool"
    for tool in shown:
        schema, name = tool.fields["inputSchema"], make_visible(f"{tool.server}.{tool.name}")
        yield f"{tool.tokens:>8,}  {tool.tokens - schema:>5,}  {schema:>6,}  {name}"
    if len(shown) < len(checkup.tools):
        more = format_counted_noun(len(checkup.tools) - len(shown), "tool")
        yield f"{'':>8}  … and {more} more: --all shows every one"


def _format_findings(checkup: CatalogCheckup, paint: Paint) -> Iterator[str]:
    yield ""
    if not checkup.findings:
        yield paint("nothing found", "good")
    for finding in checkup.findings:
        kind = paint(finding.kind, "error" if finding.kind in _BAD else "warning")
        yield f"{kind}: {make_visible(_format_tool_ids(finding))}: {make_visible(finding.message)}"


def _format_tool_ids(finding: CatalogFinding) -> str:
    more = len(finding.tools) - _SHOWN_IDS
    ids = ", ".join(finding.tools[:_SHOWN_IDS])
    return f"{ids} and {more} more" if more > 0 else ids
