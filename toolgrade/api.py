"""The Python calls that stand for whole commands: suites in, a plan out; cassettes or runs in, a report out."""

from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from pathlib import Path

import msgspec

from .compiler.compilation import Compilation
from .compiler.diagnostic_output import render_concise
from .compiler.plan import Plan
from .foundations.fault import BadInput
from .gates.trace import Trace
from .runners.cell_selection import Selection
from .runners.engine import run_cells
from .runners.events import Listener, discard_event
from .runners.replay import Replay
from .runners.scoring import Run, score_traces
from .runners.suite_files import compile_suites
from .runners.trace_file import RecordedRun, TraceFileEntry
from .site.report.report_model import Report, make_report

StrPath = str | PathLike[str]


class NotCompiled(BadInput):
    """Suites that do not compile; `compilation` has what is wrong with them."""

    def __init__(self, compilation: Compilation) -> None:
        super().__init__(render_concise(compilation.errors).rstrip("\n"))
        self.compilation = compilation


def load_plan(*suites: StrPath) -> Plan:
    """The plan of suite files and folders, `suites/` where none is named; `NotCompiled` where they have errors."""
    compilation = compile_suites([fspath(suite) for suite in suites])
    if compilation.plan is None:
        raise NotCompiled(compilation)
    return compilation.plan


def replay(
    plan: Plan,
    cassettes: StrPath = "cassettes",
    selection: Selection | None = None,
    *,
    workers: int = 1,
    listener: Listener = discard_event,
) -> Report:
    """Replay recorded runs: offline, nothing is started. A cassette that cannot stand for a run is a test's `error`."""
    chosen = (selection or Selection()).select_cells(plan)
    return make_report(plan, run_cells(chosen, Replay(Path(cassettes)), workers, listener), "replay")


def score_runs(plan: Plan, runs: Iterable[Run], test: str | None = None, model: str | None = None) -> Report:
    """Score runs made anywhere; a run that names no `test` or `model` of its own is of those given here."""
    return make_report(plan, score_traces(plan, _convert_runs(runs, model), test, keep_traces=True), "score")


def _convert_runs(runs: Iterable[Run], model: str | None) -> Iterator[TraceFileEntry]:
    for number, run in enumerate(runs, 1):
        try:
            yield TraceFileEntry("run", number, _to_recorded_run(run, model), None)
        except (msgspec.DecodeError, ValueError, TypeError) as error:
            yield TraceFileEntry("run", number, None, str(error))


def _to_recorded_run(run: Run, model: str | None) -> RecordedRun:
    if isinstance(run, RecordedRun):
        return run
    if isinstance(run, Trace):
        fields = {name: getattr(run, name) for name in Trace.__struct_fields__}
        return RecordedRun(**fields, model=model)
    return msgspec.json.decode(msgspec.json.encode({"model": model, **run}), type=RecordedRun)
