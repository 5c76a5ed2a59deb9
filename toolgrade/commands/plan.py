"""`toolgrade plan`: print what suites compile to."""

import click

from .options import compiled, suites_argument


@click.command()
@suites_argument
def plan(suites: tuple[str, ...]) -> None:
    """Print the plan of suites as canonical JSON.

    Every reference is resolved and every default filled in. The digest moves only when the meaning of a suite does.

    \b
    toolgrade plan suites/research.yml
    """
    from ..foundations.canonical_json import to_json
    from ..runners.suite_files import compile_suites

    document = compiled(compile_suites(suites)).document()
    click.echo(to_json(document), nl=False)
