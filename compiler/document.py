"""A suite as read: plain values, and for each of them the place where it stands."""

from array import array
from dataclasses import dataclass
from typing import Any, cast

from .diagnostic import Path, SourceText, Span


class SourceMarks:
    """Where everything in a document stands: for each container the offsets of its keys and values."""

    def __init__(self) -> None:
        self._by_id: dict[int, array[int]] = {}
        self._index: dict[int, dict[str, int]] = {}

    def store_offsets(self, container: object, offsets: list[int]) -> None:
        self._by_id[id(container)] = array("I", offsets)

    def find_spans(self, container: object, step: str | int) -> tuple[Span, Span] | None:
        """The spans of one key and its value; of an item of a list, twice its own."""
        offsets = self._by_id.get(id(container))
        if offsets is None:
            return None
        if isinstance(container, dict) and step in container:
            index = 4 * self._index_keys(cast(dict[str, Any], container))[cast(str, step)]
            key, value = offsets[index : index + 2], offsets[index + 2 : index + 4]
            return Span(*key), Span(*value)
        if isinstance(container, list) and isinstance(step, int) and 2 * step + 1 < len(offsets):
            span = Span(offsets[2 * step], offsets[2 * step + 1])
            return span, span
        return None

    def _index_keys(self, container: dict[str, Any]) -> dict[str, int]:
        """The place of each key among the keys, worked out once for a mapping that is asked about."""
        found = self._index.get(id(container))
        if found is None:
            found = self._index[id(container)] = {key: place for place, key in enumerate(container)}
        return found

    def get_offsets(self, container: object) -> "array[int]":
        return self._by_id[id(container)]


@dataclass(frozen=True, slots=True)
class Document:
    """A suite as read: its text, its values, and where each of them stands."""

    source: SourceText
    value: dict[str, Any]
    marks: SourceMarks
    root: Span

    def find_spans(self, path: Path) -> tuple[Span, Span]:
        """The spans of the key and the value at a path, or of the nearest thing above it."""
        spans, value = (self.root, self.root), cast(Any, self.value)
        for step in path:
            entry = self.marks.find_spans(value, step)
            if entry is None:
                break
            spans, value = entry, value[step]
        return spans

    def find_key_span(self, path: Path) -> Span:
        """Where the key at a path stands."""
        return self.find_spans(path)[0]

    def find_value_span(self, path: Path) -> Span:
        """Where the value at a path stands."""
        return self.find_spans(path)[1]
