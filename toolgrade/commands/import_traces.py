"""`toolgrade import`: traces of other programs as lines of toolgrade's own format."""

from typing import TYPE_CHECKING

import click

from .completion_candidates import complete_suites
from .import_options import add_import_options, describe_import

if TYPE_CHECKING:
    from ..runners.trace_import import ImportOptions


@click.command("import")
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--suite", metavar="SUITE", shell_complete=complete_suites,
    help="The suite whose servers names are read against; the runs name its tests.",
)  # fmt: skip
@add_import_options
def import_command(traces: tuple[str, ...], suite: str | None, imports: "ImportOptions") -> None:
    """Print traces of other programs in toolgrade's own format, a run a line.

    Without --suite, names are taken as they are, but for `mcp__SERVER__TOOL`, which says its server itself.

    \b
    toolgrade import session.jsonl > runs.jsonl
    toolgrade import runs/ --suite suites/research.yml --server-of search=docs
    """
    from ..runners.trace_export import ImportProblem, encode_run, import_without_suite
    from ..runners.trace_import import TraceImporter

    if suite is None:
        summary, runs = import_without_suite(traces, imports)
    else:
        from ..runners.suite_files import compile_suites
        from .options import require_plan

        importer = TraceImporter(require_plan(compile_suites([suite])), imports)
        summary, runs = importer.summary, importer.read_files(traces)
    for entry in runs:
        if entry.run is None:
            raise ImportProblem(entry)
        click.echo(encode_run(entry.run), nl=False)
    for line in describe_import(summary):
        click.echo(line, err=True)
