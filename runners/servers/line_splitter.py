"""Splitting a stream of chunks into lines, in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

# As much of each end as is searched for the id of a message.
_END = 4096


class UnterminatedLine(Exception):
    """A line that does not end."""


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line too long to keep: its ends, its length and its hash."""

    start: bytes
    end: bytes
    length: int
    sha256: str


class LineBuffer:
    """Turns chunks into whole lines. A line above `most_bytes` becomes a `LongLine`."""

    def __init__(self, most_bytes: int, flood_bytes: int) -> None:
        self._most, self._flood = most_bytes, flood_bytes
        self._reset_line()

    def feed(self, chunk: bytes) -> Iterator[bytes | LongLine]:
        """Yield the lines that a chunk completes. Raise `UnterminatedLine` if one is above `flood_bytes`."""
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            self._extend_line(part)
            yield self._finish_line()
            self._reset_line()
        self._extend_line(rest)

    def finish(self) -> Iterator[bytes | LongLine]:
        """Yield the last line if the stream ended before it did."""
        if self._length:
            yield self._finish_line()
            self._reset_line()

    def _reset_line(self) -> None:
        self._kept = bytearray()
        self._length = 0
        self._hash = None
        self._start = b""

    def _extend_line(self, part: bytes) -> None:
        self._length += len(part)
        self._kept += part
        if self._hash is not None:
            self._hash.update(part)
            self._kept = self._kept[-_END:]
        elif self._length > self._most:
            # From here on the line is only hashed; its two ends are kept to find its id in.
            self._hash = sha256(self._kept)
            self._start = bytes(self._kept[: min(_END, self._most)])
            self._kept = self._kept[-_END:]
        if self._length > self._flood:
            raise UnterminatedLine(f"{self._length:,} bytes without an end of line")

    def _finish_line(self) -> bytes | LongLine:
        if self._hash is None:
            return bytes(self._kept)
        return LongLine(self._start, bytes(self._kept), self._length, self._hash.hexdigest())
