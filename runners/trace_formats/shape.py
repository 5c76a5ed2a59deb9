"""The shape of a record: which keys it has and what a few of them say, looked at without decoding the rest."""

from collections.abc import Iterator

import msgspec

_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_PARTS = msgspec.json.Decoder(list[msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)
# A list may have a hundred thousand parts, and the first of them tell what it is.
_MANY = 40
"""So many parts of a list are looked at."""


class Shape:
    """A JSON object of which only the keys are decoded. Anything but an object has no keys."""

    __slots__ = ("_fields", "_lists", "_parts", "keys")

    def __init__(self, data: bytes | msgspec.Raw) -> None:
        try:
            self._fields = _FIELDS.decode(data)
        except (msgspec.DecodeError, RecursionError):
            self._fields = {}
        self.keys = frozenset(self._fields)
        # Every format asks about the same few keys.
        self._parts: dict[str, Shape] = {}
        self._lists: dict[str, list[Shape]] = {}

    def has(self, *keys: str) -> bool:
        """Return whether all of these keys are there."""
        return all(key in self._fields for key in keys)

    def text(self, key: str) -> str | None:
        """Return the text under a key, or None if there is no text."""
        try:
            return _TEXT.decode(self._fields[key])
        except (KeyError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def part(self, key: str) -> "Shape":
        """Return the object under a key; it has no keys if there is none."""
        if key not in self._parts:
            self._parts[key] = Shape(self._fields.get(key, b"null"))
        return self._parts[key]

    def parts(self, key: str) -> "list[Shape]":
        """Return the first objects of the list under a key, if there is one."""
        if key not in self._lists:
            self._lists[key] = _read_parts(self._fields.get(key, b"null"))
        return self._lists[key]

    def values(self) -> "Iterator[Shape]":
        """Yield the objects under all keys."""
        return (self.part(key) for key in list(self._fields)[:_MANY])


def _read_parts(data: bytes | msgspec.Raw) -> list[Shape]:
    try:
        parts = _PARTS.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return []
    return [Shape(part) for part in parts[:_MANY]]
