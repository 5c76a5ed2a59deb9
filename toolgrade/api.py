"""The Python calls that stand for whole commands: suites in, a plan out; cassettes or runs in, a report out."""

from collections.abc import Iterator
from pathlib import Path

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
from .site.report.report_model import Report, make_report


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


def score_runs(
    suites: Paths | Plan | Compilation, runs: Runs, test: str | None = None, model: str | None = None
) -> Report:
    """Score runs made anywhere and return the report; a run that names no `test` or `model` is of those given here.

    Raise a `Fault` if the suites do not compile, a run cannot be read, or it belongs to no test.
    """
    plan = load_plan(suites)
    return make_report(plan, score_traces(plan, _convert_runs(runs, model), test, keep_traces=True), "score")


def check_count(name: str, value: int) -> None:
    """Raise `BadInput` if a number of things to do at once is not a whole number from 1 up."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"`{name}` must be a whole number from 1 up, not {value!r}", "leave it out for one at a time")


def _convert_runs(runs: Runs, model: str | None) -> Iterator[TraceFileEntry]:
    for number, run in enumerate(iterate_runs(runs), 1):
        try:
            yield TraceFileEntry("run", number, _to_recorded_run(run, model), None)
        except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
            yield TraceFileEntry("run", number, None, explain_decode_error(error))


def _to_recorded_run(run: Run, model: str | None) -> RecordedRun:
    if isinstance(run, RecordedRun):
        return run
    if isinstance(run, Trace):
        fields = {name: getattr(run, name) for name in Trace.__struct_fields__}
        return RecordedRun(**fields, model=model)
    return msgspec.json.decode(msgspec.json.encode({"model": model, **run}), type=RecordedRun)
