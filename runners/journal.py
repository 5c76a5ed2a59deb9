"""The journal of a live run: it keeps every finished cell, so that an interrupted run can be resumed."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ..compiler.plan import SuitePlan
from ..foundations.canonical_json import digest_short
from ..foundations.fault import Fault
from .atomic_file import write_durably
from .cassettes.cassette import Cassette, make_run_shape
from .cell_result import CatalogSurface
from .cell_selection import PlannedCell

FOLDER = ".toolgrade"
_IGNORED = b"*\n"
_WRITABLE = "the working folder must be writable"


class JournalEntry(msgspec.Struct, frozen=True):
    """A finished cell: its runs, and what only a live run can measure. Its gates are scored again on resumption."""

    suite: str
    cell: str
    digest: str
    cassettes: tuple[Cassette, ...]
    warnings: tuple[str, ...] = ()
    surface: CatalogSurface | None = None
    retries: int | None = None


class Journal:
    """A JSONL file with a line for each finished cell, synced to disk line by line."""

    def __init__(self, folder: Path, suites: Iterable[SuitePlan]) -> None:
        self.folder = folder
        # Named after the suites: two runs of different suites in one folder do not share a journal.
        names = "\0".join(sorted(suite.id for suite in suites))
        self.path = folder / FOLDER / f"live-{digest_short(names.encode())}.jsonl"
        self._entries: dict[tuple[str, str, str], JournalEntry] = {}

    def begin(self, resume: bool) -> None:
        """Open the journal, with its entries if `resume` is set. Raise `Fault` if the file cannot be written."""
        try:
            data = self.path.read_bytes() if resume else b""
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise Fault(f"{self.path.as_posix()}: {error.strerror or error}", _WRITABLE) from None
        self._entries = {_get_entry_key(entry): entry for entry in _decode_entries(data)}
        write_durably(self.path.with_name(".gitignore"), _IGNORED)
        # Written again, not appended to: a line that was cut off by a kill would spoil the next one. And replaced, not
        # overwritten: a disk that fails now must not cost the cells that are finished.
        write_durably(self.path, b"".join(_encode_entry(entry) for entry in self._entries.values()))

    def find(self, planned: PlannedCell) -> JournalEntry | None:
        """Return the entry of a cell, or None if it did not finish or the suite has changed what shapes its runs."""
        entry = self._entries.get((planned.suite.id, planned.cell.id, make_run_shape(planned).digest))
        # The number of runs is not in the digest: with `runs: 5` instead of 3 an entry of three runs does not fit.
        return entry if entry is not None and len(entry.cassettes) == planned.test.runs else None

    def add(self, entry: JournalEntry) -> None:
        """Append a finished cell. Raise `Fault` if the file cannot be written."""
        try:
            with self.path.open("ab") as file:
                file.write(_encode_entry(entry))
                # On disk before the next cell is paid for: the entry survives a crash of the machine, too.
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise Fault(f"{self.path.as_posix()}: {error.strerror or error}", _WRITABLE) from None

    def discard(self) -> None:
        """Delete the journal, at the end of a complete run."""
        self.path.unlink(missing_ok=True)


def _get_entry_key(entry: JournalEntry) -> tuple[str, str, str]:
    return entry.suite, entry.cell, entry.digest


def _encode_entry(entry: JournalEntry) -> bytes:
    return msgspec.json.encode(entry) + b"\n"


def _decode_entries(data: bytes) -> Iterator[JournalEntry]:
    """Yield the entries of a journal; skip a line that was cut off when the run was killed."""
    for line in data.splitlines():
        try:
            yield msgspec.json.decode(line, type=JournalEntry)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
