"""The argument for suites that several commands take, and the plan of those suites."""

from typing import TYPE_CHECKING

import click

from .completion_candidates import complete_suites

if TYPE_CHECKING:
    from ..compiler.compilation import Compilation
    from ..compiler.plan import Plan

suites_argument = click.argument("suites", metavar="[SUITE]...", nargs=-1, shell_complete=complete_suites)


def require_plan(compilation: "Compilation", is_quiet: bool = False) -> "Plan":
    """Return the plan. If a suite does not compile, print its errors and exit with 2."""
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
    """Return the numbers of errors, warnings and suites as text."""
    from ..console import format_counted_noun

    errors = len(compilation.errors)
    warnings = len(compilation.diagnostics) - errors
    counts = [
        format_counted_noun(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number
    ]
    return f"{' and '.join(counts) or 'no errors'} in {format_counted_noun(len(compilation.texts), 'suite')}"
