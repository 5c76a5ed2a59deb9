"""What several commands have in common: the suites they take, and what happens when those do not compile."""

from typing import TYPE_CHECKING

import click

from .completion_candidates import complete_suites

if TYPE_CHECKING:
    from ..compiler.compilation import Compilation
    from ..compiler.plan import Plan

suites_argument = click.argument("suites", metavar="[SUITE]...", nargs=-1, shell_complete=complete_suites)


def require_plan(compilation: "Compilation", is_quiet: bool = False) -> "Plan":
    """The plan; a suite that does not compile ends the command, its errors on stderr."""
    import sys

    from ..compiler.diagnostic_output import render_full
    from ..console import choose_paint

    if compilation.plan is None:
        click.echo(render_full(compilation.errors, compilation.texts, choose_paint(sys.stderr)), err=True)
        click.echo(format_problem_counts(compilation), err=True)
        raise click.exceptions.Exit(2)
    if compilation.diagnostics and not is_quiet:
        click.echo(f"{format_problem_counts(compilation)}: `toolgrade check` shows them", err=True)
    return compilation.plan


def format_problem_counts(compilation: "Compilation") -> str:
    """How many errors and warnings there are, in how many suites."""
    from ..console import format_counted_noun

    errors = len(compilation.errors)
    warnings = len(compilation.diagnostics) - errors
    counts = [
        format_counted_noun(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number
    ]
    return f"{' and '.join(counts) or 'no errors'} in {format_counted_noun(len(compilation.texts), 'suite')}"
