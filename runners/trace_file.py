"""Reading traces from files, as a stream: a JSON file holds one run, a JSONL file one run per line."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from ..foundations.fault import BadInput
from ..foundations.paths import Paths, list_paths
from ..gates.trace import Trace

MAX_RUN_BYTES = 64 * 1024 * 1024
_TOO_LONG = f"a run has at most {MAX_RUN_BYTES:,} bytes"
_BUFFER_BYTES = 256 * 1024
STDIN = "-"
_LINES = (".jsonl", ".ndjson")
_BOM = b"\xef\xbb\xbf"


class RecordedRun(Trace, frozen=True, omit_defaults=True, gc=False):
    """A trace recorded anywhere, which may name the test and the model it belongs to."""

    test: str | None = None
    model: str | None = None


class TraceFileEntry(msgspec.Struct, frozen=True, gc=False):
    """A run, or the reason why it could not be read. `line` is 0 if the file holds one run."""

    file: str
    line: int
    run: RecordedRun | None
    problem: str | None

    @property
    def place(self) -> str:
        """Return the file and the line for a message."""
        return f"{self.file}:{self.line}" if self.line else self.file


_DECODER = msgspec.json.Decoder(RecordedRun)


def read_runs(files: Paths) -> Iterator[TraceFileEntry]:
    """Yield every run of these files, in order, as it is read. Raise `BadInput` if a file cannot be opened."""
    for file in list_paths(files):
        if file == STDIN:
            yield from read_stream("<stdin>", sys.stdin.buffer)
            continue
        try:
            with Path(file).open("rb", buffering=_BUFFER_BYTES) as stream:
                yield from read_stream(file, stream)
        except OSError as error:
            raise BadInput(f"{file}: {error.strerror or error}") from None


def read_stream(file: str, stream: IO[bytes]) -> Iterator[TraceFileEntry]:
    """Yield the runs of a stream, each with why it cannot be read if it cannot."""
    # One line at a time, with a bound: memory does not grow with the file, whatever it holds. On stdin, which has no
    # suffix, a first line that is JSON by itself means JSONL.
    first = stream.readline(MAX_RUN_BYTES + 1).removeprefix(_BOM)
    if not file.endswith(_LINES) and (file.endswith(".json") or not _is_whole_json(first)):
        yield _parse_document(file, first + stream.read(MAX_RUN_BYTES + 1 - len(first)))
        return
    number, line = 1, first
    while line:
        if len(line) > MAX_RUN_BYTES:
            # The rest of this line would be taken for further runs: nothing after it can be trusted.
            yield TraceFileEntry(file, number, None, _TOO_LONG)
            return
        if not line.isspace():
            run, problem = _decode_run(line)
            yield TraceFileEntry(file, number, run, problem)
        line = stream.readline(MAX_RUN_BYTES + 1)
        number += 1


def _is_whole_json(line: bytes) -> bool:
    """Return whether a first line is JSON by itself, so that the other lines are runs too."""
    # Raw checks the syntax without building the value.
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return not line.strip()
    return True


def _parse_document(file: str, data: bytes) -> TraceFileEntry:
    if len(data) > MAX_RUN_BYTES:
        return TraceFileEntry(file, 0, None, f"{_TOO_LONG}; runs by the line go into .jsonl")
    if not data.strip():
        return TraceFileEntry(file, 0, None, "the file is empty")
    run, problem = _decode_run(data)
    if problem and data.lstrip()[:1] == b"[":
        problem = "a JSON file is one run, not a list; put a run a line into a .jsonl file"
    elif problem and "trailing" in problem:
        problem = "the file holds more than one run; name it .jsonl"
    return TraceFileEntry(file, 0, run, problem)


def _decode_run(data: bytes) -> tuple[RecordedRun | None, str | None]:
    """Return the run, or the reason why it cannot be read."""
    try:
        return _DECODER.decode(data), None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return None, explain_decode_error(error)
    except RecursionError:
        return None, "nested too deeply"


def explain_decode_error(error: Exception) -> str:
    """Return what is wrong with a run that could not be decoded, for a user who never heard of msgspec."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    text = str(error)
    if "missing required field `tool_calls`" in text:
        return 'no `tool_calls`; a run without calls has `"tool_calls": []`'
    return text[:1].lower() + text[1:] if text.startswith(("Expected", "Object", "Invalid")) else text
