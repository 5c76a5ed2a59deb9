"""Renders diagnostics for people, for grep, for programs and for GitHub."""

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping

from ..foundations.untrusted_text import make_visible
from .diagnostic import Diagnostic, SourceText, Span

Paint = Callable[[str, str], str]
"""Dresses a piece of text in a style; the plain one leaves it as it is."""


def apply_no_style(text: str, style: str) -> str:
    """Return the text as it is."""
    del style
    return text


def render_full(
    diagnostics: Iterable[Diagnostic], texts: Mapping[str, SourceText], paint: Paint = apply_no_style
) -> str:
    """Render each finding with the line it is about."""
    return "\n".join(_render_diagnostic(diagnostic, texts.get(diagnostic.file), paint) for diagnostic in diagnostics)


def render_concise(diagnostics: Iterable[Diagnostic]) -> str:
    """Render each finding on one line."""
    return "".join(f"{_format_position(d)}: {d.severity}[{d.code}] {make_visible(d.message)}\n" for d in diagnostics)


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    """Render the findings as a JSON list of objects; `help` is null if there is none."""
    rows = [
        {
            "code": d.code,
            "severity": d.severity,
            "message": d.message,
            "file": d.file,
            "line": d.line,
            "column": d.column,
            "help": d.help,
        }
        for d in diagnostics
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def render_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Render the findings as workflow commands, which GitHub shows at the line."""
    return "".join(
        format_github_annotation(
            d.severity, (d.file, d.line, d.column), d.code, d.message + (f" ({d.help})" if d.help else "")
        )
        for d in diagnostics
    )


def format_github_annotation(severity: str, where: tuple[str, int, int] | None, title: str, message: str) -> str:
    """Return a workflow command of GitHub at a file, line and column; nothing in it can start another command."""
    place = f"file={_escape_property(where[0])},line={where[1]},col={where[2]}," if where else ""
    return f"::{severity} {place}title={_escape_property(title)}::{_escape_data(message)}\n"


def _format_position(diagnostic: Diagnostic) -> str:
    return f"{make_visible(diagnostic.file)}:{diagnostic.line}:{diagnostic.column}"


def _render_diagnostic(diagnostic: Diagnostic, text: SourceText | None, paint: Paint) -> str:
    head = f"{diagnostic.severity}[{diagnostic.code}]"
    lines = [f"{paint(head, diagnostic.severity)}: {make_visible(diagnostic.message)}"]
    gutter = len(str(diagnostic.line))
    lines.append(f"{' ' * gutter}--> {_format_position(diagnostic)}")
    if text is not None and diagnostic.span is not None and text.text:
        lines += _render_excerpt(diagnostic, text, gutter, paint)
    if diagnostic.help:
        lines.append(f"{' ' * gutter} = {paint('help', 'help')}: {make_visible(diagnostic.help)}")
    return "\n".join(lines) + "\n"


def _render_excerpt(diagnostic: Diagnostic, text: SourceText, gutter: int, paint: Paint) -> list[str]:
    assert diagnostic.span is not None
    bar = f"{' ' * gutter} |"
    lines = [bar]
    marked = [(span, note, False) for span, note in diagnostic.related]
    marked = sorted([*marked, (diagnostic.span, diagnostic.label or "", True)], key=lambda item: item[0].start)
    for span, note, is_main in marked:
        # A span may go over several lines; its first one is enough to find it.
        number, _ = text.find_line_and_column(span.start)
        line = text.get_line(number)
        indent, width = _measure_underline(text, span, line)
        mark = paint(("^" if is_main else "-") * width, diagnostic.severity if is_main else "help")
        lines.append(f"{number:>{gutter}} | {_cut_line(line)}")
        lines.append(f"{bar} {' ' * indent}{mark}{' ' + make_visible(note) if note else ''}")
    return lines


def _measure_underline(text: SourceText, span: Span, line: str) -> tuple[int, int]:
    """Return the terminal columns before the underline and those of the underline, within the first line."""
    _, column = text.find_line_and_column(span.start)
    before, inside = line[: column - 1], line[column - 1 : column - 1 + max(1, span.end - span.start)]
    return _count_columns(before), max(1, min(_count_columns(inside.rstrip()), 60))


def _count_columns(text: str) -> int:
    # East Asian wide characters take two columns of a terminal; the underline must follow.
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in make_visible(text))


def _cut_line(line: str) -> str:
    shown = make_visible(line)
    return shown if len(shown) <= 160 else f"{shown[:159]}…"


def _escape_data(text: str) -> str:
    # GitHub decodes %0A to a line break and %25 to a percent sign; text is escaped before it may hold either.
    return "%0A".join(make_visible(line).replace("%", "%25") for line in text.split("\n"))


def _escape_property(text: str) -> str:
    # Properties end at a comma and the command at two colons, so these are escaped as well.
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
