"""Explains YAML syntax errors in the same words, whether libyaml or the pure-Python parser found them."""

import re
from typing import Any

from .diagnostic import SourceText

_SURROGATE = re.compile("[\ud800-\udfff]")
_BAD_ESCAPE = re.compile(r"\\(u|U0000)[dD][89a-fA-F][0-9a-fA-F]{2}|\\U(?!00(0[0-9a-fA-F]|10))[0-9a-fA-F]{8}")
_NOT_UNICODE = ("the escape is not a Unicode character", "write a whole character")
_AT_THE_START = ("the quoted text never ends", "expected `:` after the key")

# The first pattern that fits wins, so the narrow ones stand first. The two parsers word the same problem
# differently, hence the alternatives.
_PROBLEMS: tuple[tuple[str, str, str | None], ...] = (
    (r"expected ',' or '([\]}])'", r"expected `,` or `\1`", "close the bracket of line {line}, or quote the text"),
    (
        "mapping values are not allowed",
        "a `:` where no key can stand",
        "quote text that holds `: `, and check the indentation",
    ),
    ("sequence entries are not allowed", "a `-` where no list can start", "start the list on a line of its own"),
    ("mapping keys are not allowed", "a `?` where no key can stand", "quote the text"),
    (
        "expected '-' indicator|block collection: expected <block end>",
        "expected `-`: a list goes on here",
        "check the indentation",
    ),
    ("expected key|expected <block end>", "this does not fit the block it stands in", "check the indentation"),
    ("expected '?<document start>", "the suite has ended above", "check the brackets and the indentation"),
    ("colon without a key", "a `:` with no key before it", "write a key before the colon"),
    ("tab character", "a tab cannot indent", "indent with spaces"),
    ("cannot start any token", "this character cannot start a value", "quote the text"),
    ("unexpected end of stream|unexpected document", "the quoted text never ends", "close the quote"),
    ("found undefined tag handle", "undefined tag", "a suite is plain data: remove the tag"),
    ("escape|hexadecimal|hexdecimal", "a wrong escape in double quotes", "write `\\\\` for a backslash"),
    ("node content", "expected a value", None),
    ("directive", "a wrong YAML directive", "remove the line that starts with `%`"),
    (
        "anchor|alias|alphabetic or numeric",
        "an anchor or alias needs a name of letters and digits",
        "quote text that starts with `&` or `*`",
    ),
    ("could not find expected ':'", "expected `:` after the key", "write `key: value`, or quote the text"),
    ("incompatible YAML document", "this YAML version is not supported", "remove the `%YAML` line"),
    (
        "block scalar|chomping|indentation indicator|comment or line break",
        "a wrong block text header",
        "the text of `|` and `>` starts on the next line",
    ),
)


def describe_syntax_error(source: SourceText, error: Any) -> tuple[int, str, str | None]:
    """Return offset, message and help for a parser's error."""
    text = source.text
    mark, opened = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    # libyaml gives no place for an escape that is no character.
    if mark is None and (escape := _BAD_ESCAPE.search(text)):
        return (escape.start(), *_NOT_UNICODE)
    offset = _get_offset(text, mark or opened)
    for pattern, message, help_ in _PROBLEMS:
        if match := re.search(pattern, _describe_problem(text, offset, error)):
            # The parser notices these only at the end of the file; the mistake is where the text or the key begins.
            if message in _AT_THE_START:
                offset = _get_offset(text, opened or mark)
            if "escape" in message:
                offset = max(text.rfind("\\", 0, offset + 1), 0)
                message, help_ = _NOT_UNICODE if _BAD_ESCAPE.match(text, offset) else (message, help_)
            if help_ and "{line}" in help_:
                help_ = help_.format(line=source.find_line_and_column(_get_offset(text, opened))[0])
            return offset, match.expand(message) if "\\1" in message else message, help_
    return offset, getattr(error, "problem", None) or str(error), None


def _describe_problem(text: str, offset: int, error: Any) -> str:
    """Return a parser's words on its context and the problem; libyaml calls a tab no more than "character"."""
    if text.startswith("\t", offset):
        return "tab character"
    problem = f"{getattr(error, 'context', None)}: {getattr(error, 'problem', None) or error}"
    has_no_key = text.startswith(":", offset) and re.search("expected (key|<block end>)", problem)
    return "colon without a key" if has_no_key else problem


def _get_offset(text: str, mark: Any) -> int:
    return min(mark.index, len(text)) if mark else 0


def find_lone_surrogate(text: str, start: int, value: str) -> tuple[int, str, str] | None:
    """Return offset, message and help for an escape that makes a lone surrogate; None if there is none."""
    if not _SURROGATE.search(value):
        return None
    escape = _BAD_ESCAPE.search(text, start)
    return (escape.start() if escape else start, *_NOT_UNICODE)
