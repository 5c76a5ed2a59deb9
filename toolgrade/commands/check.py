"""`toolgrade check`: compile suites and show what is wrong with them."""

from typing import TYPE_CHECKING

import click

from .options import suites_argument, tally

if TYPE_CHECKING:
    from ..compiler.compile import Compilation


@click.command()
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
def check(suites: tuple[str, ...], style: str, quiet: bool) -> None:
    """Compile suites and show every error at its line.

    A SUITE is a file or a folder; without one, suites/. Nothing is started and nothing is fetched.

    \b
    toolgrade check
    toolgrade check suites/research.yml --format concise
    """
    from ..compiler import render
    from ..console import painter
    from ..runners.suite_files import compile_suites

    compilation = compile_suites(suites)
    found = compilation.diagnostics
    if style == "full":
        click.echo(render.render_full(found, compilation.texts, painter()), nl=bool(found))
    else:
        renderers = {
            "concise": render.render_concise,
            "json": render.render_json,
            "github": render.render_github,
        }
        click.echo(renderers[style](found), nl=False)
    if not quiet:
        _describe(compilation)
    if compilation.plan is None:
        raise click.exceptions.Exit(2)


def _describe(compilation: "Compilation") -> None:
    from ..console import counted

    for suite in compilation.plan.suites if compilation.plan else ():
        models = f", {counted(len(suite.models), 'model')}" if suite.models else ""
        calls = f"; live, at most {counted(suite.call_bound, 'model call')}" if suite.call_bound else "; scored only"
        runs = counted(suite.run_count, "run")
        click.echo(f"{suite.file}: {counted(len(suite.tests), 'test')}{models}, {runs}{calls}", err=True)
    click.echo(tally(compilation), err=True)
