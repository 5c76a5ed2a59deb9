"""The options for a server that several commands take, and how a server is announced."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..compiler.plan import AnyServer
    from ..runners.servers.transports import LaunchContext

_OPTIONS = (
    click.option("--command", metavar="TEXT", help="Start this server: a command line, split as a shell would."),
    click.option("--url", metavar="URL", help="Reach the server at this http:// or https:// address."),
    click.option(
        "--header", "headers", metavar="NAME: VALUE", multiple=True,
        help="A header for --url, such as 'Authorization: Bearer ${env:TOKEN}'. May be repeated.",
    ),
    click.option("--name", metavar="NAME", default="server", show_default=True, help="What to call that server."),
)  # fmt: skip


def add_server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--command`, `--url`, `--header` and `--name` to a command."""
    # The decorator applied last comes first in --help.
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def make_server_from_options(
    command: str | None, url: str | None, headers: tuple[str, ...], name: str
) -> "AnyServer | None":
    """Return the server that the options name, or None. Raise a usage error if they contradict each other."""
    from ..compiler.plan import HttpServer, StdioServer

    if command is not None and url is not None:
        raise click.UsageError("give --command or --url, not both")
    if headers and url is None:
        raise click.UsageError("--header goes with --url")
    if command is not None:
        return StdioServer(name, _parse_argv(command))
    if url is None:
        return None
    if not url.startswith(("http://", "https://")):
        raise click.BadParameter(f"`{url}` is not an http:// or https:// address", param_hint="--url")
    return HttpServer(name, url, dict(map(_parse_header, headers)))


def make_launch_context(folder: Path | None = None) -> "LaunchContext":
    """Return the environment and the folder in which servers are started."""
    from ..runners.servers.transports import LaunchContext

    return LaunchContext(os.environ, folder or Path.cwd())


def print_server_start(server: "AnyServer") -> None:
    """Print the command or address of a server that is about to be started or reached."""
    from ..console import describe_server_start

    click.echo(describe_server_start(server), err=True)


def _parse_argv(command: str) -> tuple[str, ...]:
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--command") from None
    if not argv:
        raise click.BadParameter("it is empty", param_hint="--command")
    return argv


def _parse_header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise click.BadParameter(f"`{text}` is not NAME: VALUE", param_hint="--header")
    return name.strip(), value.strip()
