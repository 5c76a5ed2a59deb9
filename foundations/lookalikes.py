"""Finds ids that differ for a computer and look alike to a person."""

import unicodedata
from collections.abc import Iterable, Iterator

from .untrusted_text import find_hidden_character

# Cyrillic and Greek letters that fonts draw like Latin ones; NFKC leaves them as they are.
_LETTERS = str.maketrans("аеорсухіјѕһԁɡαορνι", "aeopcyxijshdgaopvi")  # noqa: RUF001 - that is the point


def find_lookalikes(names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Return pairs of different names that look alike, each with the reason; the later name is second."""
    first: dict[str, str] = {}
    for name in dict.fromkeys(names):
        skeleton = _compute_skeleton(name)
        other = first.setdefault(skeleton, name)
        if other != name:
            yield other, name, _explain_likeness(other, name)


def _compute_skeleton(name: str) -> str:
    if name.isascii():
        # Most ids are ASCII, for which the Unicode steps below change nothing.
        return name.casefold()
    visible = "".join(char for char in unicodedata.normalize("NFKC", name) if not find_hidden_character(char))
    return visible.casefold().translate(_LETTERS)


def _explain_likeness(one: str, other: str) -> str:
    if one.casefold() == other.casefold():
        return "they differ in case"
    if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other):
        return "they differ in how an accent is encoded"
    if find_hidden_character(one + other):
        return "one holds an invisible character"
    return "one holds a letter of another script"
