"""Diagnostics as data: a code, a place, a message and a help line. Renderers decide how they look."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from .codes import CODES, Severity

MAX_ERRORS = 1000
TOO_MANY = f"more than {MAX_ERRORS:,} mistakes; the rest is not shown"

Path = tuple[str | int, ...]
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a file, as offsets of characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about an author's file."""

    code: str
    message: str
    file: str
    span: Span | None = None
    line: int = 1
    column: int = 1
    help: str | None = None
    label: str | None = None
    related: tuple[tuple[Span, str], ...] = field(default=())

    @property
    def severity(self) -> Severity:
        return CODES[self.code].severity

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        return (self.file, self.line, self.column, self.code, self.message)


def limit_errors(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield findings until there are too many errors; the last finding then says so."""
    errors = 0
    for diagnostic in found:
        errors += diagnostic.is_error
        if errors > MAX_ERRORS:
            yield Diagnostic("TG005", TOO_MANY, diagnostic.file, diagnostic.span, diagnostic.line, diagnostic.column)
            return
        yield diagnostic


class SourceText:
    """A file's text, which turns offsets into lines and columns."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def find_line_and_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both counted from 1."""
        # The start of a line belongs to that line, hence `right`.
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def get_line(self, number: int) -> str:
        """Return the text of a line, without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def make_diagnostic(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        help: str | None = None,  # noqa: A002 - the word the JSON uses
        label: str | None = None,
        related: tuple[tuple[Span, str], ...] = (),
    ) -> Diagnostic:
        """Return a finding at a span of this file."""
        line, column = self.find_line_and_column(span.start)
        return Diagnostic(code, message, self.file, span, line, column, help, label, related)
