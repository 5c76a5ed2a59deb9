"""The records of a file: one a line, or the parts of a JSON list, or the whole document; read as a stream."""

import io
from collections.abc import Iterator
from typing import IO, NamedTuple

import msgspec

from ...foundations.fault import BadInput
from .raw_json import first_bytes

MAX_LINE_BYTES = 64 * 1024 * 1024
MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")

_RAW = msgspec.json.Decoder(msgspec.Raw)
_RAW_LIST = msgspec.json.Decoder(list[msgspec.Raw])


class Record(NamedTuple):
    """One JSON value that is not a list. Parts of one JSON list have the same `group`."""

    file: str
    line: int
    group: int
    data: msgspec.Raw

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def read_records(file: str, stream: IO[bytes]) -> Iterator[Record]:
    """Yield the records of a stream; raise `BadInput` with file and line if one is no JSON."""
    # One byte more than is allowed: so a line at the bound passes, and a longer one is seen without reading it all.
    first = stream.readline(MAX_LINE_BYTES + 1).removeprefix(_BOM)
    while first and first.isspace():
        first = stream.readline(MAX_LINE_BYTES + 1)
    _check_text(file, 1, first)
    if _is_whole(first):
        yield from _read_lines(file, first, stream)
    else:
        yield from _read_document(file, first, stream)


def _is_whole(line: bytes) -> bool:
    """Return whether a first line is JSON by itself, so that more may follow line by line."""
    try:
        _RAW.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return not line
    return True


def _read_lines(file: str, line: bytes, stream: IO[bytes]) -> Iterator[Record]:
    number = group = 1
    while line:
        if len(line) > MAX_LINE_BYTES:
            raise BadInput(f"{file}:{number}: a line has at most {MAX_LINE_BYTES:,} bytes")
        if not line.isspace():
            _check_text(file, number, line)
            is_list = line.lstrip()[:1] == b"["
            group += is_list
            yield from _split(file, number, group, line)
        line = stream.readline(MAX_LINE_BYTES + 1)
        number += 1


def _read_document(file: str, first: bytes, stream: IO[bytes]) -> Iterator[Record]:
    """Yield the one document that goes over many lines; what follows a line that was cut is an error of its line."""
    data = first + stream.read(MAX_DOCUMENT_BYTES + 1 - len(first))
    if len(data) > MAX_DOCUMENT_BYTES:
        raise BadInput(f"{file}: a JSON document has at most {MAX_DOCUMENT_BYTES:,} bytes")
    _check_text(file, 1, data)
    yield from _split(file, 1, 1, data)


def _split(file: str, line: int, group: int, data: bytes) -> Iterator[Record]:
    try:
        if data.lstrip()[:1] == b"[":
            for part in _RAW_LIST.decode(data):
                if first_bytes(part) == b"[":
                    raise BadInput(f"{file}:{line}: a list in a list is no trace")
                yield Record(file, line, group, part)
        else:
            yield Record(file, line, group, _RAW.decode(data))
    except msgspec.DecodeError as error:
        raise BadInput(_explain(file, line, data, str(error))) from None
    except RecursionError:
        raise BadInput(f"{file}:{line}: nested too deeply") from None


def _explain(file: str, line: int, data: bytes, problem: str) -> str:
    """Return what is wrong with JSON, at the line where it goes wrong."""
    if "truncated" in problem:
        return f"{file}:{line + data.rstrip().count(10)}: the JSON is cut off here"
    # msgspec says the byte; a user looks for the line.
    at = problem.rpartition("(byte ")[2].rstrip(")")
    number = line + data[: int(at)].count(10) if at.isdigit() else line
    return f"{file}:{number}: not JSON: {problem.removeprefix('JSON is malformed: ')}"


def _check_text(file: str, line: int, data: bytes) -> None:
    if data.startswith(_WIDE_BOMS):
        raise BadInput(f"{file}:{line}: not UTF-8 text, but UTF-16")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        # Half a letter at the very end is a file that was cut, not one in another encoding.
        if error.reason == "unexpected end of data":
            raise BadInput(f"{file}:{line + data.count(10)}: the JSON is cut off here") from None
        raise BadInput(f"{file}:{line + data[: error.start].count(10)}: not UTF-8 text") from None


def open_bytes(data: bytes) -> IO[bytes]:
    """Return bytes in memory as a stream."""
    return io.BytesIO(data)
