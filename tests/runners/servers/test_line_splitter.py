"""Lines out of chunks: the same however the chunks fall, and never more memory than a bound."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.runners.servers.line_splitter import LineBuffer, LongLine, UnterminatedLine


def fed(buffer: LineBuffer, *chunks: bytes) -> list[bytes | LongLine]:
    return [line for chunk in chunks for line in buffer.feed(chunk)]


@given(st.lists(st.binary(max_size=40), max_size=12))
def test_lines_do_not_depend_on_how_chunks_fall(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)
    assert fed(LineBuffer(10, 1000), *chunks) == fed(LineBuffer(10, 1000), whole)
    assert fed(LineBuffer(1000, 2000), *chunks) == whole.split(b"\n")[:-1]


def test_a_long_line_is_known_by_its_ends_length_and_hash() -> None:
    text = b"a" * 6000 + b"b" * 6000
    (line,) = fed(LineBuffer(5000, 100_000), text[:3000], text[3000:9000], text[9000:] + b"\n")
    assert line == LongLine(b"a" * 4096, b"b" * 4096, 12_000, sha256(text).hexdigest())


def test_a_line_after_a_long_one_is_whole() -> None:
    assert fed(LineBuffer(5, 100), b"longer than five\nok\n")[1] == b"ok"


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(UnterminatedLine, match="101 bytes"):
        fed(LineBuffer(5, 100), b"x" * 100, b"x")
