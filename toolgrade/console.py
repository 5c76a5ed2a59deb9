"""Messages on a terminal: their form and their colours."""

import os
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

import click

from .compiler.diagnostic_output import Paint, apply_no_style
from .foundations.untrusted_text import make_visible

if TYPE_CHECKING:
    from .compiler.plan import AnyServer

_STYLES: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "help": {"fg": "cyan"},
    "good": {"fg": "green"},
}


def has_colour(stream: IO[str]) -> bool:
    """Return whether a stream is a terminal whose user wants colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def choose_paint(stream: IO[str] | None = None) -> Paint:
    """Return the paint for a stream: styles on a terminal, none elsewhere."""
    return _apply_style if has_colour(stream or sys.stdout) else apply_no_style


def format_fault_message(text: str, help: str | None = None) -> str:  # noqa: A002 - as in a diagnostic
    """Return the message of a fault: what happened, and the next step."""
    first, *rest = text.split("\n")
    lines = [f"toolgrade: {make_visible(first)}", *(f"  {make_visible(line)}" for line in rest)]
    if help:
        lines.append(f"  {make_visible(help)}")
    return "\n".join(lines)


def format_counted_noun(number: int, noun: str) -> str:
    """Return a number with its noun: `1 test`, `2 tests`, `1,200 classes`."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def describe_server_start(server: "AnyServer") -> str:
    """Return the line that announces a server, as the suite has it: variables stay references."""
    import shlex

    from .compiler.plan import HttpServer, StdioServer
    from .foundations.redaction import Redactor

    match server:
        case StdioServer():
            what = f"starting {shlex.join(server.command)}"
        case HttpServer():
            what = f"connecting to {server.url}"
        case _:
            what = f"serving {server.catalog}"
    return make_visible(Redactor().redact_text(f"{server.name}: {what}"))


def describe_driver_start(label: str, argv: Sequence[str]) -> str:
    """Describe a program about to be started, as it was written: placeholders and variables stay as they are."""
    import shlex

    return make_visible(f"{label}: starting {shlex.join(argv)}")


def _apply_style(text: str, style: str) -> str:
    return click.style(text, **_STYLES.get(style, {}))
