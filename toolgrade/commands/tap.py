"""`toolgrade tap`: a proxy around an MCP server that notes what is asked and answered."""

from pathlib import Path

import click

_FILE = click.Path(path_type=Path)


@click.command("tap")
@click.argument("name", required=False)
@click.argument("command", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--log",
    "log_file",
    metavar="FILE",
    type=_FILE,
    default=Path("tap.jsonl"),
    show_default=True,
    help="Append to this log; several taps may share one.",
)
@click.option(
    "--secret",
    "secrets",
    metavar="VARIABLE",
    multiple=True,
    help="Keep the value of this environment variable out of the log. May be repeated.",
)
@click.option("--install", metavar="FILE", type=_FILE, help="Put a tap around every server of a .mcp.json.")
@click.option("--remove", metavar="FILE", type=_FILE, help="Take the taps out of a .mcp.json again.")
@click.option("--dry-run", is_flag=True, help="With --install or --remove: print the file, do not write it.")
def tap_command(
    name: str | None,
    command: tuple[str, ...],
    log_file: Path,
    secrets: tuple[str, ...],
    install: Path | None,
    remove: Path | None,
    dry_run: bool,
) -> None:
    """Stand between an MCP client and a server, and note every message in a log.

    COMMAND is started and everything is passed on as it is, in both directions. NAME is what the server is called in
    the log. Values of variables whose names end in KEY, TOKEN, SECRET or PASSWORD are kept out of the log.

    \b
    toolgrade tap docs -- npx -y @modelcontextprotocol/server-filesystem .
    toolgrade tap --install .mcp.json
    toolgrade tap --remove .mcp.json
    """
    if install is not None or remove is not None:
        if name is not None or (install is not None and remove is not None):
            raise click.UsageError("give one of NAME, --install and --remove")
        _edit_config(install, remove, log_file, dry_run)
        return
    if name is None or not command:
        raise click.UsageError("give a name and, after --, the command of the server")
    raise click.exceptions.Exit(_run_tap(name, command, log_file, secrets))


def _run_tap(name: str, command: tuple[str, ...], log_file: Path, secrets: tuple[str, ...]) -> int:
    import os

    from ..foundations.fault import BadInput
    from ..runners.taps.message_log import MessageLog, find_secret_values
    from ..runners.taps.stdio_tap import run_stdio_tap

    log = MessageLog(log_file, name, find_secret_values(os.environ, secrets))
    try:
        return run_stdio_tap(log, command, os.environ)
    except OSError as error:
        message = f"server `{name}` could not be started: {error.strerror or error}"
        raise BadInput(message, "check the command: it is started without a shell") from None


def _edit_config(install: Path | None, remove: Path | None, log_file: Path, dry_run: bool) -> None:
    import sys

    from ..runners.taps.client_config import install_taps, read_client_config, remove_taps

    path = install or remove
    assert path is not None
    config = read_client_config(path)
    # Absolute paths: the client starts the tap in a folder and with a PATH of its own.
    edit = remove_taps(config) if install is None else install_taps(config, sys.executable, log_file.absolute())
    for line in edit.notes:
        click.echo(line, err=True)
    if dry_run:
        click.echo(edit.text, nl=False)
    else:
        edit.write(path)
