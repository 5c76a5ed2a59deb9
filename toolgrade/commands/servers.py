"""What commands that talk to servers have in common: the servers they are given, and how these are announced."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..compiler.plan import AnyServer
    from ..runners.servers.transports import Place

_OPTIONS = (
    click.option("--command", metavar="TEXT", help="Start this server: a command line, split as a shell would."),
    click.option("--url", metavar="URL", help="Reach the server at this http:// or https:// address."),
    click.option(
        "--header", "headers", metavar="NAME: VALUE", multiple=True,
        help="A header for --url, such as 'Authorization: Bearer ${env:TOKEN}'. May be repeated.",
    ),
    click.option("--name", metavar="NAME", default="server", show_default=True, help="What to call that server."),
)  # fmt: skip


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--command`, `--url`, `--header` and `--name` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def named_server(command: str | None, url: str | None, headers: tuple[str, ...], name: str) -> "AnyServer | None":
    """The server that the options name; None where they name none."""
    from ..compiler.plan import HttpServer, StdioServer

    if command is not None and url is not None:
        raise click.UsageError("give --command or --url, not both")
    if headers and url is None:
        raise click.UsageError("--header goes with --url")
    if command is not None:
        return StdioServer(name, _argv(command))
    if url is None:
        return None
    if not url.startswith(("http://", "https://")):
        raise click.BadParameter(f"`{url}` is not an http:// or https:// address", param_hint="--url")
    return HttpServer(name, url, dict(map(_header, headers)))


def here(folder: Path | None = None) -> "Place":
    """Where servers are started from."""
    from ..runners.servers.transports import Place

    return Place(os.environ, folder or Path.cwd())


def announce(server: "AnyServer") -> None:
    """Say what is about to be started or reached."""
    from ..console import starting

    click.echo(starting(server), err=True)


def _argv(command: str) -> tuple[str, ...]:
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--command") from None
    if not argv:
        raise click.BadParameter("it is empty", param_hint="--command")
    return argv


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise click.BadParameter(f"`{text}` is not NAME: VALUE", param_hint="--header")
    return name.strip(), value.strip()
