"""Text from outside: every character that hides or steers is written out, and nothing else is."""

import sys
import unicodedata
from collections.abc import Callable

import pytest

from toolgrade.foundations.shell_words import quote_word
from toolgrade.foundations.untrusted_text import (
    escape_hidden_characters,
    escape_untrusted_text,
    find_hidden_character,
    format_inline_code,
    make_visible,
)

LAYOUT = "\t\n\r"
SELECTORS = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x180E)}
TAGS = set(range(0xE0000, 0xE0080))
HIDDEN = [
    char
    for number in range(sys.maxunicode + 1)
    if unicodedata.category(char := chr(number)) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp") or number in SELECTORS | TAGS
]
NAMED = "\xad\u061c\u180e\u206a\u202e\u2066\u200b\ufeff\ufe0f\ud800\ue000\x1b\x85\U000e0041\U000e0101"


def test_the_table_has_every_character_that_hides_or_steers() -> None:
    assert set(NAMED) <= set(HIDDEN)
    assert [char for char in HIDDEN if char not in LAYOUT and find_hidden_character(char) != char] == []


@pytest.mark.parametrize("escape", [make_visible, escape_untrusted_text, format_inline_code])
def test_on_one_line_each_is_written_out(escape: Callable[[str], str]) -> None:
    assert [char for char in HIDDEN if not set(escape(f"a{char}b")) <= set(map(chr, range(0x20, 0x7F)))] == []


def test_on_a_page_layout_stays_and_everything_else_is_written_out() -> None:
    assert escape_hidden_characters("a\r\n\tb\rc") == "a\n\tb\\u000dc"
    others = [char for char in HIDDEN if char not in LAYOUT]
    assert [char for char in others if not escape_hidden_characters(f"a{char}b").isprintable()] == []
    assert [char for char in others if char in escape_hidden_characters(char)] == []


def test_in_a_command_each_is_written_as_bytes() -> None:
    assert [char for char in HIDDEN if char in quote_word(f"a{char}b")] == []


def test_what_can_be_seen_stays_as_it_is() -> None:
    text = "".join(
        char
        for number in range(0x20, 0x30000)
        if unicodedata.category(char := chr(number)) in ("Lu", "Ll", "Nd", "Po", "Sm", "Sc", "So", "Pd", "Zs")
    )
    assert make_visible(text) == escape_hidden_characters(text) == text
    assert find_hidden_character(f"{text}\r\n\t") is None


def test_a_character_outside_the_basic_plane_is_written_with_eight_digits() -> None:
    assert make_visible("\U000e0041") == "\\U000e0041"
    assert make_visible("\u061c") == "\\u061c"
