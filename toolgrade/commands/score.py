"""`toolgrade score`: grade traces that were recorded anywhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .completion_candidates import complete_suites
from .import_options import add_import_options, collect_reproduce_options, describe_import, describe_offers
from .outputs import OutputOptions, ReportContext, add_output_options, compare_with_base
from .remarks import show_remarks

if TYPE_CHECKING:
    from ..compiler.plan import Plan
    from ..runners.cell_result import CellResult
    from ..runners.trace_file import RecordedRun, TraceFileEntry
    from ..runners.trace_import import ImportOptions, TraceImporter
    from ..site.report.report_model import Report


@click.command("score")
@click.argument("suite", shell_complete=complete_suites)
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@add_import_options
@click.option("--record", is_flag=True, help="Keep the traces as cassettes, for `toolgrade run` to replay.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for report.json.")
@click.option("--with-traces", is_flag=True, help="Put every call and what became of it into the report.")
@click.option("--all-runs", is_flag=True, help="Refuse to score a test with fewer traces than its `runs`.")
@add_output_options
def score_command(
    suite: str,
    traces: tuple[str, ...],
    imports: "ImportOptions",
    record: bool,
    out: Path | None,
    with_traces: bool,
    all_runs: bool,
    outputs: OutputOptions,
) -> None:
    """Score traces of any agent against a suite.

    A TRACE is a file that an agent program or a library wrote, or a folder of such files; - reads stdin. The format is
    told by its shape: Claude Code, Codex, Gemini CLI, Qwen Code, OpenCode, ACP, OpenAI, Anthropic, LangChain,
    pydantic-ai, OpenTelemetry and others (docs/traces.md). In toolgrade's own, a run is
    {"tool_calls": [{"name": …, "server": …}]}, with "test" if the suite has several tests,
    and "model" if a test has several models.

    \b
    toolgrade score suites/research.yml session.jsonl
    toolgrade score suites/research.yml runs/ --from codex --test "picks search"
    toolgrade score suites/ runs.jsonl --format json > report.json
    my-agent --trace | toolgrade score suite.yml - --test "picks search"
    """
    from ..compiler.suite_locations import SuiteLocations
    from ..runners.suite_files import compile_suites
    from ..runners.trace_import import TraceImporter
    from .options import require_plan

    compilation = compile_suites([suite])
    plan = require_plan(compilation, outputs.is_quiet)
    base = outputs.read_base("score")
    importer = TraceImporter(plan, imports)
    results, report = _score(plan, importer, imports, traces, record, _TraceChoice(with_traces, all_runs))
    if out is not None:
        _write_report(out, report)
    compared = compare_with_base(base, report, [suite], imports.test is None)
    options = collect_reproduce_options(imports)
    words = _list_words(imports, traces)
    outputs.write_all(ReportContext(report, compared, SuiteLocations(compilation), options, outputs.base or "", words))
    for line in (*describe_import(importer.summary), *describe_offers(results)):
        outputs.print_note(line)
    show_remarks(results, "score", outputs.print_note)
    if report.summary.has_failed:
        raise click.exceptions.Exit(1)


@dataclass(frozen=True, slots=True)
class _TraceChoice:
    """Which traces have to be there, and whether the report holds them."""

    are_kept: bool
    must_be_all: bool


def _score(
    plan: "Plan",
    importer: "TraceImporter",
    imports: "ImportOptions",
    traces: tuple[str, ...],
    record: bool,
    choice: _TraceChoice,
) -> "tuple[tuple[CellResult, ...], Report]":
    from ..runners.scoring import score_traces
    from ..runners.trace_recording import describe_recording, record_runs
    from ..runners.trace_results import add_trace_facts
    from ..site.report.report_model import make_report

    kept: list[RecordedRun] = []
    entries = importer.read_files(traces)
    scored = score_traces(
        plan, _keep_runs(entries, kept) if record else entries, imports.test, choice.are_kept, choice.must_be_all
    )
    results = add_trace_facts(scored, importer)
    if record:
        written = record_runs(plan, kept, importer, imports)
        click.echo(describe_recording(written, imports.cassettes), err=True)
    return results, make_report(plan, results, "score")


def _keep_runs(entries: "Iterator[TraceFileEntry]", kept: "list[RecordedRun]") -> "Iterator[TraceFileEntry]":
    for entry in entries:
        if entry.run is not None:
            # Kept as it passes: stdin cannot be read again for the recording.
            kept.append(entry.run)
        yield entry


def _write_report(out: Path, report: "Report") -> None:
    from datetime import UTC, datetime

    from ..runners.provenance import collect_provenance
    from .report_files import write_report

    now = datetime.now(UTC)
    write_report(out, report, collect_provenance(Path.cwd(), now, now, 0.0, None))


def _list_words(imports: "ImportOptions", traces: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words at the end of a command that scores these traces again."""
    chosen = [word for name, server in imports.server_of.items() for word in ("--server-of", f"{name}={server}")]
    return (*traces, *chosen, *(["--resolve-names"] if imports.resolve_names else []))
