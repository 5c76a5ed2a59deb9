"""The row of a format: its name, how it is told from others, and how it is read."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .event_stream import EventStream
from .imported_run import ImportedRun
from .shape import Shape


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """One row of the registry."""

    name: str
    """What `--from` takes; a format with two shapes has two rows of the same name."""
    label: str
    claims: Callable[[Sequence[Shape]], bool]
    """Whether these first records of a file are of this format."""
    read: Callable[[EventStream], Iterator[ImportedRun]]
    keys: frozenset[str]
    """What its records typically have, to name the nearest format of a file that fits none."""
    also: tuple[str, ...] = ()
    """Other names that `--from` takes for it."""
