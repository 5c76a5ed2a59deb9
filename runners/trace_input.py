"""The files that traces are in: single ones, folders of them, and stdin."""

import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..foundations.fault import BadInput
from .trace_file import STDIN
from .trace_formats.imported_run import ImportedRun
from .trace_formats.reading import read_all
from .trace_formats.registry import AUTO

# stdin cannot be read twice: up to this it is kept in memory, and beyond in a temporary file.
_SPOOLED_BYTES = 8 * 1024 * 1024
_BUFFER_BYTES = 256 * 1024
_SUFFIXES = (".json", ".jsonl", ".ndjson", ".eval")


def expand_folders(files: Sequence[str]) -> Iterator[str]:
    """Yield files, and for a folder the traces in it, sorted; raise `BadInput` if it has none."""
    for file in files:
        if file == STDIN or not Path(file).is_dir():
            yield file
            continue
        found = sorted(path for path in Path(file).rglob("*") if path.suffix in _SUFFIXES and path.is_file())
        if not found:
            raise BadInput(f"{file}: there is no trace in this folder", f"traces end in {', '.join(_SUFFIXES)}")
        yield from (str(path) for path in found)


@contextmanager
def open_file(file: str) -> Generator[tuple[str, IO[bytes]]]:
    """Open a file, or what comes on stdin, so that it can be looked at twice."""
    if file == STDIN:
        with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as spooled:
            shutil.copyfileobj(sys.stdin.buffer, spooled)
            spooled.seek(0)
            yield "<stdin>", spooled
        return
    try:
        with Path(file).open("rb", buffering=_BUFFER_BYTES) as stream:
            yield file, stream
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from None


def read_trace_file(file: str, name: str = AUTO) -> list[ImportedRun]:
    """Return all runs of a file; raise `BadInput` if there is none."""
    with open_file(file) as (shown, stream):
        return read_all(shown, stream, name)[1]
