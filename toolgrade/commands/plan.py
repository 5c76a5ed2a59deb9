"""`toolgrade plan`: print what suites compile to."""

import click

from .options import require_plan, suites_argument


@click.command("plan")
@suites_argument
def plan_command(suites: tuple[str, ...]) -> None:
    """Print the plan of suites as canonical JSON.

    Every reference is resolved and every default filled in. The digest moves only when the meaning of a suite does.

    \b
    toolgrade plan suites/research.yml
    """
    from ..foundations.canonical_json import to_json
    from ..runners.suite_files import compile_suites

    document = require_plan(compile_suites(suites)).to_document()
    click.echo(to_json(document), nl=False)
