"""Traces kept as cassettes, so that `toolgrade run` replays them."""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UnsetType

from ..compiler.plan import Plan
from ..foundations.fault import BadInput
from .cassettes.cassette import locate_cassette
from .cassettes.recorder import Recorder
from .cassettes.recording import FinishedRun
from .catalogs.fingerprint import ServerListing
from .cell_selection import PlannedCell, iterate_cells
from .trace_file import RecordedRun
from .trace_import import ImportOptions, TraceImporter


def record_runs(plan: Plan, runs: Sequence[RecordedRun], importer: TraceImporter, options: ImportOptions) -> list[Path]:
    """Write runs as cassettes, each with the next free number; raise `BadInput` first if one has no place."""
    # All places are found before the first cassette is written: a refusal leaves none behind.
    placed: dict[Path, tuple[PlannedCell, int, RecordedRun]] = {}
    for run in runs:
        planned = _find_cell(plan, run, options)
        number = _find_free_number(planned, options.cassettes, placed)
        placed[locate_cassette(options.cassettes, planned, number)] = (planned, number, run)
    with Recorder(plan, options.cassettes) as recorder:
        for planned, number, run in placed.values():
            listings = importer.get_listings(planned.suite, planned.test) or {}
            recorder.record_run(planned, number, _make_finished_run(run, listings))
    return list(placed)


def _find_free_number(planned: PlannedCell, root: Path, taken: Container[Path]) -> int:
    """Return the number of the first run of a cell that has no cassette; raise `BadInput` if all have one."""
    test = planned.test
    for number in range(1, test.runs + 1):
        path = locate_cassette(root, planned, number)
        if path not in taken and not path.exists():
            return number
    folder = locate_cassette(root, planned, 1).parent.as_posix()
    raise BadInput(f"`{test.name}` has {test.runs} of {test.runs} runs recorded", f"raise `runs:`, or clear {folder}")


def _make_finished_run(run: RecordedRun, listings: Mapping[str, ServerListing]) -> FinishedRun:
    return FinishedRun(
        tool_calls=[_to_mapping(call) for call in run.tool_calls],
        tools=listings,
        final_response=run.final_response,
        turns=run.turns,
        usage=run.usage,
        cost=run.cost,
    )


def _find_cell(plan: Plan, run: RecordedRun, options: ImportOptions) -> PlannedCell:
    """Return the cell of a run that was scored, so that there is exactly one."""
    name = run.test or options.test
    cells = [planned for planned in iterate_cells(plan) if name is None or planned.test.name == name]
    chosen = [planned for planned in cells if len(cells) == 1 or planned.cell.model == run.model]
    if not chosen or chosen[0].cell.model is None:
        where = f"`{name}`" if name else "the test"
        raise BadInput(f"{where} has no model, so a cassette of it has no place", "set `model:` in the suite")
    return chosen[0]


def _to_mapping(call: Any) -> dict[str, Any]:
    fields = {key: value for key, value in msgspec.structs.asdict(call).items() if value is not None}
    args = fields.pop("args")
    return fields if isinstance(args, UnsetType) else {**fields, "args": msgspec.json.decode(args)}


def describe_recording(written: Sequence[Path], folder: Path) -> str:
    """Return the line that says what was written."""
    count = "one cassette" if len(written) == 1 else f"{len(written):,} cassettes"
    return f"recorded: {count} in {folder.as_posix()}"
