"""What several commands have in common: the suites they take, and what happens when those do not compile."""

from typing import TYPE_CHECKING

import click

from .completion_candidates import complete_suites

if TYPE_CHECKING:
    from ..compiler.compile import Compilation
    from ..compiler.plan import Plan

suites_argument = click.argument("suites", metavar="[SUITE]...", nargs=-1, shell_complete=complete_suites)


def compiled(compilation: "Compilation", is_quiet: bool = False) -> "Plan":
    """The plan; a suite that does not compile ends the command, its errors on stderr."""
    import sys

    from ..compiler.render import render_full
    from ..console import painter

    if compilation.plan is None:
        click.echo(render_full(compilation.errors, compilation.texts, painter(sys.stderr)), err=True)
        click.echo(tally(compilation), err=True)
        raise click.exceptions.Exit(2)
    if compilation.diagnostics and not is_quiet:
        click.echo(f"{tally(compilation)}: `toolgrade check` shows them", err=True)
    return compilation.plan


def tally(compilation: "Compilation") -> str:
    """How many errors and warnings there are, in how many suites."""
    from ..console import counted

    errors = len(compilation.errors)
    warnings = len(compilation.diagnostics) - errors
    counts = [counted(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number]
    return f"{' and '.join(counts) or 'no errors'} in {counted(len(compilation.texts), 'suite')}"
