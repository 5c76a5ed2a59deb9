"""The Python calls that stand for whole commands: suites in, a plan out; cassettes or runs in, a report out."""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import cast

import msgspec

from .compiler.compilation import Compilation
from .compiler.plan import Plan
from .foundations.fault import BadInput
from .foundations.paths import Paths, StrPath
from .gate_scoring import Runs, iterate_runs
from .gates.trace import Trace
from .runners.cell_selection import Selection
from .runners.engine import run_cells
from .runners.events import Listener, discard_event
from .runners.replay import Replay
from .runners.scoring import Run, score_traces
from .runners.suite_files import load_plan
from .runners.trace_file import RecordedRun, TraceFileEntry, explain_decode_error
from .runners.trace_formats.imported_run import ImportedRun
from .runners.trace_import import ImportOptions, TraceImporter
from .runners.trace_input import expand_folders, read_trace_file
from .runners.trace_results import add_trace_facts
from .site.report.report_model import Report, make_report

TraceSource = Runs | ImportedRun | Iterable[ImportedRun] | StrPath
"""A run, several, what `read_traces` gives, or a trace file or folder in any format."""


def replay(
    suites: Paths | Plan | Compilation,
    cassettes: StrPath = "cassettes",
    selection: Selection | None = None,
    *,
    workers: int = 1,
    listener: Listener = discard_event,
) -> Report:
    """Replay recorded runs and return the report: offline, nothing is started.

    A cassette that cannot stand for a run is a test's `error`. Raise a `Fault` if the suites do not compile.
    """
    check_count("workers", workers)
    plan = load_plan(suites)
    chosen = (selection or Selection()).select_cells(plan)
    return make_report(plan, run_cells(chosen, Replay(Path(cassettes)), workers, listener), "replay")


def read_traces(path: StrPath, format: str = "auto") -> list[ImportedRun]:  # noqa: A002 - as `--from` calls it
    """Return the runs of a trace file, or of all in a folder, in any format that `toolgrade score` reads.

    Raise `BadInput` if a file is of no format that is known, of another one than `format`, or damaged.
    """
    return [run for file in expand_folders([fspath(path)]) for run in read_trace_file(file, format)]


def score_runs(
    suites: Paths | Plan | Compilation,
    runs: TraceSource,
    test: str | None = None,
    model: str | None = None,
    *,
    server_of: Mapping[str, str] | None = None,
    cassettes: StrPath = "cassettes",
) -> Report:
    """Score runs made anywhere and return the report; a run that names no `test` or `model` is of those given here.

    `runs` may also be a trace file or a folder in any format, or what `read_traces` gives; names are then resolved
    against the servers of the test, and `server_of` says whose a name is that several may have. Raise a `Fault` if the
    suites do not compile, a run cannot be read, or it belongs to no test.
    """
    plan = load_plan(suites)
    options = ImportOptions(test=test, model=model, server_of=server_of or {}, cassettes=Path(cassettes))
    importer = TraceImporter(plan, options)
    is_path = isinstance(runs, str | PathLike)
    entries = importer.read_files([fspath(runs)]) if is_path else _convert_runs(runs, model, importer)
    results = score_traces(plan, entries, test, keep_traces=True)
    return make_report(plan, add_trace_facts(results, importer), "score")


def check_count(name: str, value: int) -> None:
    """Raise `BadInput` if a number of things to do at once is not a whole number from 1 up."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"`{name}` must be a whole number from 1 up, not {value!r}", "leave it out for one at a time")


def _convert_runs(
    runs: Runs | ImportedRun | Iterable[ImportedRun], model: str | None, importer: TraceImporter
) -> Iterator[TraceFileEntry]:
    several = [runs] if isinstance(runs, ImportedRun) else runs
    for number, run in enumerate(iterate_runs(cast(Runs, several)), 1):
        if isinstance(run, ImportedRun):
            yield importer.import_run(run, number)
            continue
        try:
            yield TraceFileEntry("run", number, _to_recorded_run(run, model), None)
        except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
            yield TraceFileEntry("run", number, None, explain_decode_error(error))


def _to_recorded_run(run: Run, model: str | None) -> RecordedRun:
    if isinstance(run, RecordedRun):
        return run
    if isinstance(run, Trace):
        # The fields of Trace alone: one that was derived from it may have more than a recorded run takes.
        fields = {name: getattr(run, name) for name in Trace.__struct_fields__}
        return RecordedRun(**fields, model=model)
    # The run's own `model` comes second, and wins.
    return msgspec.json.decode(msgspec.json.encode({"model": model, **run}), type=RecordedRun)
