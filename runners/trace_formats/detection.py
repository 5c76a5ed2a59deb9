"""Which format a file has, told by the shape of its first records and never by its name."""

from collections.abc import Sequence

from ...foundations.fault import BadInput
from . import registry
from .registry import AUTO, find_formats
from .shape import Shape
from .trace_format import TraceFormat

SAMPLE_SIZE = 60
_NEAR = 2
"""So many keys in common make a format near."""


class UnknownFormat(BadInput):
    """No format claims the file."""


def detect_format(file: str, sample: Sequence[Shape], name: str = AUTO) -> TraceFormat:
    """Return the one format that claims these first records.

    Raise `UnknownFormat` if none does, and `BadInput` that names them if there are several.
    """
    rows = find_formats(name)
    claiming = [row for row in rows if row.claims(sample)]
    if len(claiming) == 1:
        return claiming[0]
    if name != AUTO and not claiming:
        return _take_at_word(file, sample, rows, name)
    if not claiming:
        raise UnknownFormat(f"{file}: this is no trace that is known", _describe_nearest(sample))
    names = [row.name for row in claiming]
    # Two rows of one name are a program's stream and its session file, and no reader takes both.
    if len(set(names)) < len(names):
        raise BadInput(f"{file}: it fits two shapes of {names[0]}", "put the traces into files of their own")
    raise BadInput(
        f"{file}: it fits several formats: {', '.join(names)}", f"say which: --from {' or --from '.join(names)}"
    )


def _take_at_word(file: str, sample: Sequence[Shape], rows: Sequence[TraceFormat], name: str) -> TraceFormat:
    """Return the format that was named, unless the file is plainly of another one."""
    others = [row for row in registry.FORMATS if row not in rows and row.claims(sample)]
    if others:
        raise BadInput(
            f"{file}: this is no trace of {name}, it looks like {others[0].name}", f"--from {others[0].name}"
        )
    # Of a newer version every record may be strange: one key in common is enough if the user says so.
    near = max(rows, key=lambda row: _count_common(row, sample))
    if not _count_common(near, sample):
        raise BadInput(f"{file}: this is no trace of {name}", _describe_nearest(sample))
    return near


def _count_common(row: TraceFormat, sample: Sequence[Shape]) -> int:
    return max((len(row.keys & shape.keys) for shape in sample), default=0)


def _describe_nearest(sample: Sequence[Shape]) -> str:
    """Return help that names the nearest format, if one is near."""
    if not sample:
        return "the file is empty"
    near = max(registry.FORMATS, key=lambda row: _count_common(row, sample))
    if _count_common(near, sample) < _NEAR:
        return "docs/traces.md lists the formats that are read"
    return f"the nearest format is {near.name}: --from {near.name} reads it as that"
