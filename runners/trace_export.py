"""Runs as lines of our own format, and imports that have no suite to read names against."""

from collections.abc import Iterator, Sequence

import msgspec

from ..foundations.fault import BadInput
from .trace_file import RecordedRun, TraceFileEntry
from .trace_formats.reading import open_trace
from .trace_formats.resolved_run import NameResolver, infer_servers
from .trace_formats.tool_names import KnownServers
from .trace_import import ImportOptions, ImportSummary
from .trace_input import expand_folders, open_file

# Without this a Decimal is written as text, and `cost` of our own format is a number.
_ENCODER = msgspec.json.Encoder(decimal_format="number")


class ImportProblem(BadInput):
    """A run that cannot be imported."""

    def __init__(self, entry: TraceFileEntry) -> None:
        super().__init__(f"{entry.place}: {entry.problem}")


def encode_run(run: RecordedRun) -> bytes:
    """Return a run as a line of our own format."""
    return _ENCODER.encode(run) + b"\n"


def import_without_suite(
    files: Sequence[str], options: ImportOptions
) -> tuple[ImportSummary, Iterator[TraceFileEntry]]:
    """Return the runs of files with the servers that their names say themselves, and what is to be said of them."""
    summary = ImportSummary()
    return summary, _import_files(files, options, summary)


def _import_files(files: Sequence[str], options: ImportOptions, summary: ImportSummary) -> Iterator[TraceFileEntry]:
    for file in expand_folders(files):
        with open_file(file) as (shown, stream):
            opened = open_trace(shown, stream, options.format)
            count = summary.find_format(opened.format.label)
            count.files += 1
            for run in opened.runs:
                servers = KnownServers(infer_servers(run), options.server_of)
                resolver = NameResolver(servers, resolve_written=options.resolve_names)
                resolved = resolver.resolve(run)
                count.runs += 1
                count.calls += len(resolved.trace.tool_calls)
                count.left_out.update(resolved.left_out)
                count.sub_agent_calls += run.sub_agent_calls
                summary.renamed.update(resolved.renamed)
                fields = msgspec.structs.asdict(resolved.trace)
                made = RecordedRun(**fields, test=options.test or run.test, model=options.model or run.model)
                yield TraceFileEntry(shown, run.line, made, None)
            count.skipped.update(opened.skipped)
