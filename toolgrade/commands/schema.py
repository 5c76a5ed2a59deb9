"""`toolgrade schema`: print the JSON Schema of the suite language."""

import click


@click.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of suites, for editors.

    \b
    toolgrade schema > suite.schema.json
    and in a suite's first line:
    # yaml-language-server: $schema=suite.schema.json
    """
    from ..compiler.schema import build_json_schema
    from ..foundations.canonical_json import to_json

    click.echo(to_json(build_json_schema()), nl=False)
