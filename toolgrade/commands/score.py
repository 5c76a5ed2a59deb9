"""`toolgrade score`: grade traces that were recorded anywhere."""

import click

from .completion_candidates import complete_suites, complete_tests


@click.command("score")
@click.argument("suite", shell_complete=complete_suites)
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("--test", metavar="NAME", shell_complete=complete_tests, help="The test that the traces belong to.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="A table, or the report as JSON.",
)  # fmt: skip
@click.option("--with-traces", is_flag=True, help="Put every call and what became of it into the report.")
@click.option("--all-runs", is_flag=True, help="Refuse to score a test with fewer traces than its `runs`.")
def score_command(
    suite: str, traces: tuple[str, ...], test: str | None, style: str, with_traces: bool, all_runs: bool
) -> None:
    """Score recorded traces against a suite.

    A TRACE is a JSON file (one run) or a JSONL file (a run a line); - reads stdin. A run is
    {"tool_calls": [{"name": …, "server": …}]}, with "test" where the suite has several tests,
    and "model" where a test has several models.

    \b
    toolgrade score suites/research.yml run.json
    toolgrade score suites/ runs.jsonl --format json > report.json
    my-agent --trace | toolgrade score suite.yml - --test "picks search"
    """
    from ..foundations.canonical_json import to_json
    from ..runners.scoring import score_traces
    from ..runners.suite_files import compile_suites
    from ..runners.trace_file import read_runs
    from ..site.report.report_model import make_report
    from .options import require_plan

    plan = require_plan(compile_suites([suite]))
    results = score_traces(plan, read_runs(traces), test, with_traces, all_runs)
    report = make_report(plan, results, "score")
    if style == "json":
        click.echo(to_json(report), nl=False)
    else:
        from ..console import choose_paint
        from ..scorecard import format_scorecard

        click.echo(format_scorecard(report, choose_paint()), nl=False)
    if report.summary.has_failed:
        raise click.exceptions.Exit(1)
