"""`toolgrade check`: compile suites and show what is wrong with them."""

from typing import TYPE_CHECKING

import click

from .options import format_problem_counts, suites_argument

if TYPE_CHECKING:
    from ..compiler.compilation import Compilation


@click.command("check")
@suites_argument
@click.option(
    "--format",
    "style",
    type=click.Choice(["full", "concise", "json", "github"]),
    default="full",
    show_default=True,
    help="How diagnostics are written to stdout.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print the diagnostics and nothing else.")
def check_command(suites: tuple[str, ...], style: str, quiet: bool) -> None:
    """Compile suites and show every error at its line.

    A SUITE is a file or a folder; without one, suites/. Nothing is started and nothing is fetched.

    \b
    toolgrade check
    toolgrade check suites/research.yml --format concise
    """
    from ..compiler import diagnostic_output
    from ..console import choose_paint
    from ..runners.suite_files import compile_suites

    compilation = compile_suites(suites)
    found = compilation.diagnostics
    if style == "full":
        click.echo(diagnostic_output.render_full(found, compilation.texts, choose_paint()), nl=bool(found))
    else:
        renderers = {
            "concise": diagnostic_output.render_concise,
            "json": diagnostic_output.render_json,
            "github": diagnostic_output.render_github,
        }
        click.echo(renderers[style](found), nl=False)
    if not quiet:
        _print_suite_sizes(compilation)
    if compilation.plan is None:
        raise click.exceptions.Exit(2)


def _print_suite_sizes(compilation: "Compilation") -> None:
    from ..console import format_counted_noun

    for suite in compilation.plan.suites if compilation.plan else ():
        models = f", {format_counted_noun(len(suite.models), 'model')}" if suite.models else ""
        calls = (
            f"; live, at most {format_counted_noun(suite.call_bound, 'model call')}"
            if suite.call_bound
            else "; scored only"
        )
        runs = format_counted_noun(suite.run_count, "run")
        click.echo(f"{suite.file}: {format_counted_noun(len(suite.tests), 'test')}{models}, {runs}{calls}", err=True)
    click.echo(format_problem_counts(compilation), err=True)
