"""YAML syntax errors in words of our own: the same from libyaml and from the pure-Python parser."""

import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_BAD_ESCAPE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\U(?!00(0[0-9a-fA-F]|10))[0-9a-fA-F]{8}")

_PROBLEMS: tuple[tuple[str, str, str | None], ...] = (
    (r"expected ',' or '([\]}])'", r"expected `,` or `\1`", "close the bracket, or quote the text before it"),
    (
        "mapping values are not allowed",
        "a `:` where no key can stand",
        "quote text that holds `: `, and check the indentation",
    ),
    (r"expected key|expected <block end>", "this does not fit the block it stands in", "check the indentation"),
    ("expected '-' indicator", "expected `-`: a list goes on here", "check the indentation"),
    ("cannot start any token", "this character cannot start a value", "quote the text, and indent with spaces"),
    ("unexpected end of stream", "the quoted text never ends", "close the quote"),
    ("unexpected document separator", "the quoted text never ends", "close the quote"),
    ("found undefined tag handle", "undefined tag", "a suite is plain data: remove the tag"),
    ("escape|hexadecimal|hexdecimal", "a wrong escape in double quotes", "write `\\\\` for a backslash"),
    ("node content", "expected a value", None),
    ("anchor|alias", "an anchor or alias needs a name of letters and digits", None),
    ("could not find expected ':'", "expected `:` after the key", None),
    ("incompatible YAML document", "this YAML version is not supported", "remove the `%YAML` line"),
    ("block scalar|chomping|indentation indicator|comment or line break", "a wrong block text header", None),
    ("directive", "a wrong YAML directive", "remove the line that starts with `%`"),
)


def syntax_problem(text: str, error: Any) -> tuple[int, str, str | None]:
    """Offset, message and help of a parser's error."""
    problem: str = getattr(error, "problem", None) or "escape"
    if "escape" in problem and (escape := _BAD_ESCAPE.search(text)):
        return escape.start(), "the escape is not a Unicode character", "write a whole character"
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    offset = min(mark.index, len(text)) if mark else 0
    for pattern, message, help_ in _PROBLEMS:
        if match := re.search(pattern, problem):
            if "escape" in message:
                offset = max(text.rfind("\\", 0, offset + 1), 0)
            return offset, match.expand(message) if "\\1" in message else message, help_
    return offset, problem, None


def invalid_escape(value: str) -> str | None:
    """The first lone surrogate in a value, which an escape can make."""
    found = _SURROGATE.search(value)
    return found[0] if found else None
