"""Reads YAML text into plain values and their places, in one loop over the parser's events, within bounds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, cast

import yaml

from .diagnostic import MAX_ERRORS, TOO_MANY, Diagnostic, SourceText, Span
from .document import Document, SourceMarks
from .encoding import EncodingError, decode_suite_text
from .scalar import MAX_DIGITS, NumberTooLongError, resolve_plain_scalar
from .syntax import describe_syntax_error, find_lone_surrogate

# Bounds, so that a suite from a stranger is refused in well under a second and never fills the memory.
MAX_BYTES = 8 * 1024 * 1024
MAX_NODES = 1_000_000
MAX_DEPTH = 64
MAX_REPEATED = 100_000

_CORE_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")} | {"!"}
_TEXT_TAGS = ("tag:yaml.org,2002:str", "!")
# Nearly every value needs one of these before it, and counting them is a scan at C speed.
_SEPARATORS = (",", "\n", ": ", "[", "{", "- ")


class _KeyMark(Enum):
    """Stands for a key whose value has no place of its own in the mapping."""

    MERGE = "<<"
    DROPPED = "dropped"


class _FatalError(Exception):
    """A mistake after which reading cannot go on, with the facts of its diagnostic."""

    def __init__(self, code: str, span: Span, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.facts = (code, span, message, help_)


@dataclass(slots=True)
class _Frame:
    """A list or a mapping whose end has not been read yet."""

    container: Any
    is_mapping: bool
    offsets: list[int]
    span_start: int
    anchor: str | None
    weight: int
    key: str | _KeyMark | None = None
    merges: list[tuple[Any, Span]] = field(default_factory=list[tuple[Any, Span]])


def read_document(file: str, data: bytes, loader: Any = None) -> tuple[Document | None, SourceText, list[Diagnostic]]:
    """Return the document in `data`, its text, and the YAML mistakes in it; no document if it cannot be read."""
    source = SourceText(file, "")
    if len(data) > MAX_BYTES:
        message = f"the file has more than {MAX_BYTES:,} bytes"
        return (
            None,
            source,
            [source.make_diagnostic("TG002", Span(0, 0), message, help="split the suite into several files")],
        )
    try:
        source = SourceText(file, decode_suite_text(data))
    except EncodingError as error:
        # The text as far as it can be read, so that the finding has a line and a column.
        shown = SourceText(file, data[: error.offset].decode("utf-8", errors="replace"))
        end = Span(len(shown.text), len(shown.text))
        return None, source, [shown.make_diagnostic("TG003", end, str(error), help=error.help)]
    reader = _Reader(source)
    try:
        _refuse_dense_text(source.text)
        document = reader.build_document(loader or _choose_loader())
    except _FatalError as fatal:
        code, span, message, help_ = fatal.facts
        return None, source, [*reader.diagnostics, source.make_diagnostic(code, span, message, help=help_)]
    return document, source, reader.diagnostics


def _refuse_dense_text(text: str) -> None:
    """Raise `_FatalError` if a text has too many separators: reading it would break the bound only after seconds."""
    if len(text) > MAX_NODES and sum(map(text.count, _SEPARATORS)) > MAX_NODES:
        raise _make_size_error(Span(0, 0))


def _make_size_error(span: Span) -> _FatalError:
    return _FatalError("TG005", span, f"more than {MAX_NODES:,} values", "split the suite into several files")


def _choose_loader() -> Any:
    # libyaml is much the faster one; the pure-Python parser gives the same values if libyaml is missing.
    return yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


def _make_span(event: Any) -> Span:
    return Span(event.start_mark.index, event.end_mark.index)


class _Reader:
    """The state of one pass over the parser's events."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.marks = SourceMarks()
        self.anchors: dict[str, tuple[Any, int] | None] = {}
        self.weight = 0
        self.repeated = 0
        self.stack: list[_Frame] = []
        self.root: tuple[Any, Span] | None = None

    def build_document(self, loader: Any) -> Document:
        # Events instead of `yaml.load`: a constructed value no longer knows its place, and the bounds must hold before
        # a value exists.
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self.add_scalar,
            yaml.MappingStartEvent: lambda event: self.open_container(event, {}),
            yaml.SequenceStartEvent: lambda event: self.open_container(event, []),
            yaml.MappingEndEvent: self.close_container,
            yaml.SequenceEndEvent: self.close_container,
            yaml.AliasEvent: self.expand_alias,
            yaml.DocumentStartEvent: self.start_document,
        }
        handler_of = handlers.get
        for event in self.iterate_events(loader):
            handler = handler_of(type(event))
            if handler is not None:
                handler(event)
        if self.root is None:
            raise _FatalError("TG009", Span(0, 0), "the file holds no suite", _EMPTY)
        value, span = self.root
        if not isinstance(value, dict):
            help_ = "put the list below `tests:`" if isinstance(value, list) else _EMPTY
            raise _FatalError("TG009", span, "a suite is a mapping of keys", help_)
        return Document(self.source, cast(dict[str, Any], value), self.marks, Span(span.start, span.start))

    def iterate_events(self, loader: Any) -> Iterator[object]:
        parser = loader(self.source.text)
        try:
            while (event := parser.get_event()) is not None:
                yield event
        except (yaml.MarkedYAMLError, ValueError, OverflowError) as error:
            offset, message, help_ = describe_syntax_error(self.source, error)
            raise _FatalError("TG004", Span(offset, offset + 1), message, help_) from None
        finally:
            # Drops the parser's references to itself, which the paused garbage collector would leave.
            parser.dispose()

    def start_document(self, event: Any) -> None:
        if self.root is not None:
            raise _FatalError(
                "TG009", _make_span(event), "a second YAML document", "put each suite into a file of its own"
            )

    def count_value(self, event: Any) -> None:
        self.weight += 1
        if self.weight > MAX_NODES:
            raise _make_size_error(_make_span(event))

    def add_scalar(self, event: Any) -> None:
        self.count_value(event)
        text = event.value
        if event.tag is not None:
            self.check_tag(event)
        # `implicit[0]` is true for a plain scalar without a tag: only those are numbers, booleans or null.
        if event.tag not in _TEXT_TAGS and (event.implicit[0] or event.tag is not None):
            try:
                value = resolve_plain_scalar(text)
            except NumberTooLongError:
                # Any number will do: with text, the wrong type would be a second finding.
                value = 0
                message = f"a number of {len(text):,} digits; at most {MAX_DIGITS} are allowed"
                self.report_error(
                    "TG005", _make_span(event), message, help="write a shorter number, or quote it as text"
                )
        else:
            value = text
            if not text.isascii() and (bad := find_lone_surrogate(self.source.text, event.start_mark.index, text)):
                offset, message, help_ = bad
                raise _FatalError("TG004", Span(offset, offset + 1), message, help_)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        self.place_value(value, event)

    def open_container(self, event: Any, container: Any) -> None:
        self.count_value(event)
        if len(self.stack) >= MAX_DEPTH:
            help_ = "check the brackets: no suite needs that depth"
            raise _FatalError("TG005", _make_span(event), f"nested more than {MAX_DEPTH} deep", help_)
        if event.tag is not None:
            self.check_tag(event)
        if event.anchor is not None:
            # None until the container ends: an alias inside it would make a cycle.
            self.anchors[event.anchor] = None
        if self.stack and self.stack[-1].key is None and self.stack[-1].is_mapping:
            help_ = "quote text that starts with `{` or `[`"
            raise _FatalError("TG111", _make_span(event), "a key must be text, not a list or a mapping", help_)
        frame = _Frame(container, isinstance(container, dict), [], event.start_mark.index, event.anchor, self.weight)
        self.stack.append(frame)

    def close_container(self, event: Any) -> None:
        frame = self.stack.pop()
        if frame.merges:
            self.merge_mappings(frame)
        self.marks.store_offsets(frame.container, frame.offsets)
        if frame.anchor is not None:
            self.anchors[frame.anchor] = (frame.container, self.weight - frame.weight + 1)
        self.place_value(frame.container, event, frame.span_start)

    def expand_alias(self, event: Any) -> None:
        name = event.anchor
        if name not in self.anchors:
            raise _FatalError(
                "TG006", _make_span(event), f"the alias `*{name}` has no anchor", f"write `&{name}` before it"
            )
        anchored = self.anchors[name]
        if anchored is None:
            message = f"cyclic alias: `*{name}` stands inside its own anchor"
            raise _FatalError("TG006", _make_span(event), message, "write out what is meant instead")
        value, weight = anchored
        # An alias counts as all the values below it, so that nested aliases ("billion laughs") meet the bound early.
        self.weight += weight
        self.repeated += weight
        if self.repeated > MAX_REPEATED:
            message = f"alias expansion limit: aliases repeat more than {MAX_REPEATED:,} values"
            raise _FatalError("TG006", _make_span(event), message, "write the values out, or split the suite")
        self.place_value(value, event)

    def place_value(self, value: Any, event: Any, start: int | None = None) -> None:
        """Add a finished value to its container, and store its place."""
        first = event.start_mark.index if start is None else start
        last = event.end_mark.index
        if not self.stack:
            self.root = (value, Span(first, last))
            return
        frame = self.stack[-1]
        if not frame.is_mapping:
            frame.container.append(value)
            frame.offsets += (first, last)
        elif frame.key is None:
            self.place_key(frame, value, first, last)
        else:
            key, frame.key = frame.key, None
            if key is _KeyMark.MERGE:
                frame.merges.append((value, Span(first, last)))
            elif key is not _KeyMark.DROPPED:
                frame.container[key] = value
                frame.offsets += (first, last)

    def place_key(self, frame: _Frame, key: Any, first: int, last: int) -> None:
        if not isinstance(key, str):
            written = self.source.text[first:last]
            help_ = f'quote it: `"{written}"`' if written else "write a key before the colon"
            self.report_error("TG111", Span(first, last), "a key must be text", help=help_)
            frame.key = _KeyMark.DROPPED
        # A quoted "<<" is a key like any other.
        elif key == "<<" and self.source.text[first:last] == "<<":
            frame.key = _KeyMark.MERGE
        elif key in frame.container:
            self.report_duplicate(frame, key, Span(first, last))
            frame.key = _KeyMark.DROPPED
        else:
            frame.key = key
            frame.offsets += (first, last)

    def report_duplicate(self, frame: _Frame, key: str, span: Span) -> None:
        # Keys and values lie four offsets apart, in the order of the keys.
        index = 4 * list(frame.container).index(key)
        before = Span(frame.offsets[index], frame.offsets[index + 1])
        line, _ = self.source.find_line_and_column(before.start)
        again, _ = self.source.find_line_and_column(span.start)
        message = f"the key `{key}` is given twice, on lines {line} and {again}"
        related = ((before, "first given here"),)
        self.report_error("TG008", span, message, help="remove one of them", related=related)

    def merge_mappings(self, frame: _Frame) -> None:
        """Add the keys that `<<` brings in, unless the mapping has them itself."""
        for merged, span in frame.merges:
            parts = cast(list[Any], merged) if isinstance(merged, list) else [merged]
            for part in parts:
                if not isinstance(part, dict):
                    message = "`<<` takes a mapping, or a list of them"
                    self.report_error("TG103", span, message, help="write `<<: *anchor`")
                    continue
                offsets = self.marks.get_offsets(cast(Any, part))
                for index, (key, value) in enumerate(cast(dict[str, Any], part).items()):
                    # The mapping's own keys win, then the first of several merged ones, as YAML defines `<<`.
                    if key not in frame.container:
                        frame.container[key] = value
                        frame.offsets += offsets[4 * index : 4 * index + 4]

    def check_tag(self, event: Any) -> None:
        if event.tag not in _CORE_TAGS:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.report_error(
                "TG007", _make_span(event), f"the tag `{tag}` is not allowed", help="remove it: a suite is plain data"
            )

    def report_error(self, code: str, span: Span, message: str, **more: Any) -> None:
        if len(self.diagnostics) >= MAX_ERRORS:
            raise _FatalError("TG005", span, TOO_MANY)
        self.diagnostics.append(self.source.make_diagnostic(code, span, message, **more))


_EMPTY = "write `tests:`, and below it a list of entries that start with `- name: …`"
