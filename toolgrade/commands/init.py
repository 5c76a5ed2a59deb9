"""`toolgrade init`: a first suite from what servers list."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .servers import make_launch_context, make_server_from_options, print_server_start

if TYPE_CHECKING:
    from ..compiler.plan import AnyServer

# Words that start a server or stand in every server's name: none tells one from another.
_RUNNERS = ("python", "python3", "uv", "uvx", "npx", "node", "deno", "bunx", "pipx", "run", "env")
_NOISE = ("mcp", "server", "servers", "js", "py", "mjs", "ts", "www", "api", "com", "org", "io", "localhost")


@click.command("init")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--command", "commands", metavar="TEXT", multiple=True, help="Start this server. May be repeated.")
@click.option("--url", "urls", metavar="URL", multiple=True, help="Reach the server at this address. May be repeated.")
@click.option(
    "--header", "headers", metavar="NAME: VALUE", multiple=True,
    help="A header for --url, such as 'Authorization: Bearer ${env:TOKEN}'. May be repeated.",
)  # fmt: skip
@click.option("--tests", type=click.IntRange(1, 200), default=8, show_default=True, help="The most tests to draft.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def init_command(
    file: Path | None,
    commands: tuple[str, ...],
    urls: tuple[str, ...],
    headers: tuple[str, ...],
    tests: int,
    force: bool,
) -> None:
    """Draft a first suite from what servers list.

    Lists the tools and writes a suite to FILE (by default suites/NAME.yml, after the first server): classes of tools
    that seem interchangeable, within a server and between servers, and a prompt for each from its description. It is
    a guess with comments for the person who corrects it. No tool is called; those that seem to change something get
    no prompt. The suite runs with `lexical`, which needs no key.

    \b
    toolgrade init --command "uvx mcp-server-git"
    toolgrade init suites/fetch.yml --command "uvx mcp-server-fetch" \\
        --command "npx -y fetch-mcp"
    toolgrade init --url https://example.org/mcp \\
        --header 'Authorization: Bearer ${env:TOKEN}'
    """
    from ..foundations.extras import require_extra

    require_extra("live", "`toolgrade init`")
    servers = _make_servers(commands, urls, headers)
    target = file or Path("suites") / f"{servers[0].name}.yml"
    # Before a server is started: a refusal costs nothing.
    _refuse_to_replace(target, force)
    from ..foundations.shell_words import quote_word
    from ..runners.atomic_file import write_durably
    from ..runners.catalogs.suite_draft import draft_classes, list_left_out_tools
    from ..runners.catalogs.suite_draft_yaml import render_suite_draft
    from ..runners.servers.listings import require_server_listings

    listings = require_server_listings(servers, make_launch_context(), print_server_start)
    drafts = draft_classes(listings, tests)
    write_durably(target, render_suite_draft(servers, drafts, list_left_out_tools(listings)).encode())
    found = sum(draft.is_found for draft in drafts)
    click.echo(f"wrote {target.as_posix()}: {len(drafts)} classes, {found} of them found by a text search", err=True)
    click.echo(f"next: read it, correct it, then toolgrade run {quote_word(target.as_posix())} --mode live", err=True)


def _make_servers(commands: tuple[str, ...], urls: tuple[str, ...], headers: tuple[str, ...]) -> "list[AnyServer]":
    if not commands and not urls:
        raise click.UsageError("give --command or --url")
    if headers and not urls:
        raise click.UsageError("--header goes with --url")
    import msgspec

    servers: list[AnyServer] = []
    for command, url in [*((command, None) for command in commands), *((None, url) for url in urls)]:
        server = make_server_from_options(command, url, headers if url else (), "server")
        assert server is not None, "this is a bug in toolgrade: neither a command nor an address"
        name = _guess_server_name(server)
        taken = sum(other.name.rstrip("0123456789") == name for other in servers)
        servers.append(msgspec.structs.replace(server, name=f"{name}{taken + 1}" if taken else name))
    return servers


def _guess_server_name(server: "AnyServer") -> str:
    """Return a name for a server, from the distinctive words of its package, program or host."""
    from ..compiler.plan import HttpServer, StdioServer

    parts = server.command if isinstance(server, StdioServer) else ()
    if isinstance(server, HttpServer):
        parts = (re.sub(r"^https?://|[:/?].*$", "", server.url),)
    for part in parts:
        stem = part.rstrip("/").rpartition("/")[2].split("@")[0]
        if part.startswith("-") or stem in _RUNNERS:
            continue
        words = [word for word in re.split(r"[^a-z0-9]+", stem.lower()) if word and word not in _NOISE]
        if words and not words[0].isdigit():
            return "-".join(words)
    return "server"


def _refuse_to_replace(target: Path, force: bool) -> None:
    from ..foundations.fault import BadInput

    if target.exists() and not force:
        raise BadInput(f"{target} is there already; nothing was written", "name another file, or add --force")
    if target.suffix not in (".yml", ".yaml"):
        raise BadInput(f"{target}: a suite ends in .yml or .yaml")
