"""What `doctor` found, as text."""

from collections.abc import Iterator

from .compiler.render import Paint
from .console import counted
from .foundations.outside_text import make_visible
from .runners.catalogs.checkup import Checkup
from .runners.catalogs.lint import Finding, Kind

SHOWN_TOOLS = 15
_SHOWN_IDS = 4
_BAD: frozenset[Kind] = frozenset(("orders", "hidden", "lookalike"))


def checkup_text(checkup: Checkup, paint: Paint, show_all: bool) -> str:
    """Servers and tools largest first, then what was found."""
    return (
        "\n".join([*_head(checkup), *_servers(checkup), *_tools(checkup, show_all), *_findings(checkup, paint)]) + "\n"
    )


def _head(checkup: Checkup) -> Iterator[str]:
    size = f"{counted(len(checkup.servers), 'server')}, {counted(len(checkup.tools), 'tool')}"
    yield f"{make_visible(checkup.name)}: {size}, {counted(checkup.tokens, 'token')} (cl100k_base)"
    yield checkup.fingerprint


def _servers(checkup: Checkup) -> Iterator[str]:
    versions = {server.name: server.version for server in checkup.versions}
    yield ""
    yield f"{'tokens':>8}  {'tools':>5}  server"
    for server in checkup.servers:
        version = versions.get(server.name)
        label = make_visible(f"{server.name} {version}" if version else server.name)
        yield f"{server.tokens:>8,}  {server.tools:>5,}  {label}"


def _tools(checkup: Checkup, show_all: bool) -> Iterator[str]:
    shown = checkup.tools if show_all else checkup.tools[:SHOWN_TOOLS]
    if shown:
        yield ""
        yield f"{'tokens':>8}  {'text':>5}  {'schema':>6}  tool"
    for tool in shown:
        schema, name = tool.fields["inputSchema"], make_visible(f"{tool.server}.{tool.name}")
        yield f"{tool.tokens:>8,}  {tool.tokens - schema:>5,}  {schema:>6,}  {name}"
    if len(shown) < len(checkup.tools):
        yield f"{'':>8}  … and {counted(len(checkup.tools) - len(shown), 'tool')} more: --all shows every one"


def _findings(checkup: Checkup, paint: Paint) -> Iterator[str]:
    yield ""
    if not checkup.findings:
        yield paint("nothing found", "good")
    for finding in checkup.findings:
        kind = paint(finding.kind, "error" if finding.kind in _BAD else "warning")
        yield f"{kind}: {make_visible(_ids(finding))}: {make_visible(finding.message)}"


def _ids(finding: Finding) -> str:
    more = len(finding.tools) - _SHOWN_IDS
    ids = ", ".join(finding.tools[:_SHOWN_IDS])
    return f"{ids} and {more} more" if more > 0 else ids
