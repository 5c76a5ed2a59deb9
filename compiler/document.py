"""A suite as read: plain values, and the place of each in the text."""

from array import array
from dataclasses import dataclass
from typing import Any, cast

from .diagnostic import Path, SourceText, Span


class SourceMarks:
    """The places of a document's values: for each container, the offsets of its keys and values."""

    def __init__(self) -> None:
        # Keyed by identity: lists and dicts cannot be hashed, and the document keeps them alive.
        self._by_id: dict[int, array[int]] = {}
        self._index: dict[int, dict[str, int]] = {}

    def store_offsets(self, container: object, offsets: list[int]) -> None:
        # An array takes 4 bytes an offset; in a list, an integer and the pointer to it take 36.
        self._by_id[id(container)] = array("I", offsets)

    def find_spans(self, container: object, step: str | int) -> tuple[Span, Span] | None:
        """Return the spans of a key and its value; for an item of a list, its own span twice; None if it is unknown."""
        offsets = self._by_id.get(id(container))
        if offsets is None:
            return None
        if isinstance(container, dict) and step in container:
            # Four offsets a key: start and end of the key, start and end of its value.
            index = 4 * self._index_keys(cast(dict[str, Any], container))[cast(str, step)]
            key, value = offsets[index : index + 2], offsets[index + 2 : index + 4]
            return Span(*key), Span(*value)
        if isinstance(container, list) and isinstance(step, int) and 2 * step + 1 < len(offsets):
            span = Span(offsets[2 * step], offsets[2 * step + 1])
            return span, span
        return None

    def _index_keys(self, container: dict[str, Any]) -> dict[str, int]:
        """Return the position of each key of a mapping, computed when the mapping is first asked about."""
        found = self._index.get(id(container))
        if found is None:
            found = self._index[id(container)] = {key: place for place, key in enumerate(container)}
        return found

    def get_offsets(self, container: object) -> "array[int]":
        return self._by_id[id(container)]


@dataclass(frozen=True, slots=True)
class Document:
    """A suite as read: its text, its values, and their places."""

    source: SourceText
    value: dict[str, Any]
    marks: SourceMarks
    root: Span

    def find_spans(self, path: Path) -> tuple[Span, Span]:
        """Return the spans of the key and the value at a path, or those of the nearest value above it."""
        spans, value = (self.root, self.root), cast(Any, self.value)
        for step in path:
            entry = self.marks.find_spans(value, step)
            if entry is None:
                break
            spans, value = entry, value[step]
        return spans

    def find_key_span(self, path: Path) -> Span:
        """Return the span of the key at a path."""
        return self.find_spans(path)[0]

    def find_value_span(self, path: Path) -> Span:
        """Return the span of the value at a path."""
        return self.find_spans(path)[1]
