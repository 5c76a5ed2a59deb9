"""Bytes as text: UTF-8 alone, and what is wrong with anything else."""

import pytest

from toolgrade.compiler.encoding import EncodingError, decode_suite_text


@pytest.mark.parametrize("text", ["", "a: 1\n", "検索 🔍\r\n\t\x85\u2028", "\u00a0\ud7ff\ue000\ufffd\U0010ffff"])
def test_text_is_read_as_it_stands_with_or_without_a_mark(text: str) -> None:
    assert decode_suite_text(text.encode()) == decode_suite_text(b"\xef\xbb\xbf" + text.encode()) == text


@pytest.mark.parametrize(
    ("data", "offset", "word"),
    [
        ("a: 1".encode("utf-16"), 0, "UTF-16"),
        ("a: 1".encode("utf-32"), 0, "UTF-16"),
        (b"\xfe\xff\x00a", 0, "UTF-16"),
        (b"\x00\x00\xfe\xff", 0, "UTF-32"),
        ("a: é".encode("latin-1"), 3, "byte 3"),
        (b"a: \xc3", 3, "byte 3"),
        (b"a: \xed\xa0\x80", 3, "byte 3"),
        (b"a: \x00", 3, "NUL"),
        ("é: \x07".encode(), 4, "U+0007"),
        (b"\xef\xbb\xbfa: \x1b", 6, "U+001B"),
        ("a\uffff".encode(), 1, "U+FFFF"),
    ],
)
def test_anything_else_is_refused_with_the_offset_of_the_byte(data: bytes, offset: int, word: str) -> None:
    with pytest.raises(EncodingError, match=word.replace("+", r"\+")) as caught:
        decode_suite_text(data)
    assert caught.value.offset == offset
    assert f"byte {offset}" in str(caught.value)
    assert caught.value.help
