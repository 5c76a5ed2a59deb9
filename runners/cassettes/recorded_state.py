"""Whether a cell is recorded: what a live run looks at to record only what is needed."""

from pathlib import Path
from typing import Literal

from ..cell_selection import PlannedCell
from ..replay import Replay
from .cassette import locate_cassette

RecordedState = Literal["fitting", "missing", "stale"]


def find_recorded_state(root: Path, planned: PlannedCell) -> RecordedState:
    """`missing` without a cassette for each run, `stale` where a replay would refuse them, else `fitting`."""
    if planned.cell.model is None:
        return "fitting"
    if not all(locate_cassette(root, planned, run).exists() for run in range(1, planned.test.runs + 1)):
        return "missing"
    return "fitting" if Replay(root)(planned).error is None else "stale"
