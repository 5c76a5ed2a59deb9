"""From a file to its runs: records, the format they have, and the reader of that format."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import IO

from ...foundations.fault import BadInput
from . import inspect_log, own_format, registry
from .detection import SAMPLE_SIZE, detect_format
from .eval_archive import is_archive, read_archive
from .event_stream import EventStream
from .imported_run import ImportedRun
from .records import Record, read_records
from .registry import AUTO
from .shape import Shape
from .trace_format import TraceFormat

# A record may be a whole session: to tell a format, no more than this and one record is held in memory.
_SAMPLE_BYTES = 8 * 1024 * 1024


@dataclass(slots=True)
class TraceFile:
    """One file that is being read: its format is known at once, its runs come as they are asked for."""

    file: str
    format: TraceFormat
    runs: Iterator[ImportedRun]
    skipped: Counter[str] = field(default_factory=Counter[str])
    """How many events of each kind were not known; complete when all runs were read."""


def open_trace(file: str, stream: IO[bytes], name: str = AUTO) -> TraceFile:
    """Return a file as its runs; raise `BadInput` if its format cannot be told or is not the one that is named."""
    head, records = _split_sample(_read(file, stream))
    row = detect_format(file, [Shape(record.data) for record in head], name)
    events = EventStream(chain(head, records), lambda shape: _find_foreign(row, shape))
    return TraceFile(file, row, row.read(events), events.skipped)


def sniff_format(file: str, stream: IO[bytes], name: str = AUTO) -> str:
    """Return the name of the format of a stream, which stays where it was.

    A file that fits no format is our own if it has a key of it, or if it is no JSON or empty: the reader of our own
    format says what is wrong with it.
    """
    if is_archive(stream):
        return inspect_log.INSPECT_LOG.name
    shapes: list[Shape] = []
    try:
        for record in islice(_read(file, stream), SAMPLE_SIZE):
            shapes.append(Shape(record.data))  # noqa: PERF401 - what was read before an error is kept
    except BadInput:
        pass  # the reader of the format that is chosen comes to the same place, and says what is wrong there
    stream.seek(0)
    claims_own = name == AUTO and not any(row.claims(shapes) for row in registry.FORMATS)
    if claims_own and (
        not any(shape.keys for shape in shapes) or any(s.keys & own_format.OWN_FORMAT.keys for s in shapes)
    ):
        return own_format.OWN_FORMAT.name
    return detect_format(file, shapes, name).name


def _read(file: str, stream: IO[bytes]) -> Iterator[Record]:
    return read_archive(file, stream) if is_archive(stream) else read_records(file, stream)


def _split_sample(records: Iterator[Record]) -> tuple[list[Record], Iterator[Record]]:
    """Return the first records, and all the others."""
    head: list[Record] = []
    size = 0
    for record in islice(records, SAMPLE_SIZE):
        head.append(record)
        # The first one is in memory whatever it weighs.
        size += len(bytes(record.data)) if len(head) > 1 else 0
        if size > _SAMPLE_BYTES:
            break
    return head, records


def _find_foreign(own: TraceFormat, shape: Shape) -> str | None:
    """Return the name of the one other format that an unknown record belongs to, if it does."""
    if own.claims([shape]):
        return None
    others = {row.name for row in registry.FORMATS if row.claims([shape])}
    # If several would take it, the record proves nothing and is counted as unknown.
    return others.pop() if len(others) == 1 else None


def read_all(file: str, stream: IO[bytes], name: str = AUTO) -> tuple[TraceFile, list[ImportedRun]]:
    """Return a file and all its runs; raise `BadInput` if there is none."""
    opened = open_trace(file, stream, name)
    runs = list(opened.runs)
    if not runs:
        raise BadInput(f"{file}: there is no run in it")
    return opened, runs
