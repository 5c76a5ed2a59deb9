"""The values in a prompt: quoted text, addresses, paths, dates and numbers, each given out once."""

import re
from collections.abc import Iterator
from typing import Literal, get_args

Kind = Literal["quoted", "url", "email", "date", "time", "zone", "path", "number", "sum", "name"]

_MAX_TEXT = 20_000  # every pattern is searched in it, and a prompt may be a whole document
_QUOTED = r"\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)"
_PATTERNS: dict[Kind, str] = {
    "quoted": _QUOTED,
    "url": r"\b[a-z][a-z0-9+.-]{1,20}://[^\s\"'`<>]+",
    "email": r"\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+",
    "date": r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?\b",
    "time": r"\b\d{1,2}:\d\d\b",
    "zone": r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?\b|\bUTC\b",
    "path": r"\"[^\"\n]*(?:[/\\][^\"\n]*|\.[a-z][a-z0-9]{0,5})\"|`[^`\n]*(?:[/\\][^`\n]*|\.[a-z][a-z0-9]{0,5})`"
    r"|(?<!\w)'[^'\n]*(?:[/\\][^'\n]*|\.[a-z][a-z0-9]{0,5})'(?!\w)"
    r"|(?<![\w/:])(?:~|\.{1,2})?/[\w.~@+-]+(?:/[\w.~@+-]*)*|(?<![\w/:@.-])[\w-]+(?:/[\w.-]+)+"
    r"|(?<![\w/:@.-])[\w-]+\.[a-z][a-z0-9]{0,5}\b",
    "number": r"(?<![\w.,-])-?\d+(?:\.\d+)?(?![\w.]?\d|\w)",
    "sum": r"(?<!\w)\(*-?\d[\d.()]*(?:\s*[-+*/^%]\s*\(*-?\d[\d.()]*)+",
    "name": r"(?<=[a-z,;:] )[A-Z][\w-]*(?: [A-Z][\w-]*)*",
}
_FINDERS = {kind: re.compile(pattern) for kind, pattern in _PATTERNS.items()}
_QUOTES = "\"“”`'"
_TRAILING = ".,;:!?"  # of the sentence, when an address or a path ends it

QUOTED = _FINDERS["quoted"]
MENTION = re.compile("|".join(_PATTERNS[kind] for kind in ("quoted", "url", "email", "date", "path", "number")))
"""A value in the text: it is for an argument, and says nothing of what is wanted."""


class PromptValues:
    """The values of one step of a prompt, and after them those of the whole prompt. No value is given twice."""

    def __init__(self, step: str, prompt: str) -> None:
        self.step = step.strip()[:_MAX_TEXT]
        self._texts = (self.step, prompt[:_MAX_TEXT])
        self._taken: set[str] = set()

    def take_next(self, kind: Kind) -> str | None:
        """Return the next value of a kind and use it up, or None if there is none."""
        return next(self.take_all(kind), None)

    def take_all(self, kind: Kind) -> Iterator[str]:
        """Yield every value of a kind that is left, and use it up."""
        for text in self._texts:
            for match in _FINDERS[kind].finditer(text):
                if (value := _strip_quotes(match[0])) not in self._taken:
                    self._taken.add(value)
                    yield value

    def take_named(self, name: str, kind: Literal["quoted", "number"]) -> str | None:
        """Return the value that the text gives by name: `title "…"`, `limit to 5`, `5 results` for a number."""
        word = re.escape(name)
        value = f"({_PATTERNS[kind]})"
        after = rf"(?i:\b{word}(?:s|d|ed)?\b)(?: (?:of|to|is|as|at|named|called))?\s?[:=]?\s?{value}"
        before = rf"{value} (?i:{word})s?\b"
        for text in self._texts:
            for pattern in (after, before) if kind == "number" else (after,):
                match = re.search(pattern, text)
                if match and (found := _strip_quotes(match[1])) not in self._taken:
                    self._taken.add(found)
                    return found
        return None

    def has_word(self, word: str) -> bool:
        """Return whether the text has a word, in any case."""
        return any(re.search(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", text) for text in self._texts)


def _strip_quotes(value: str) -> str:
    if value[:1] in _QUOTES and len(value) > 1:
        return value[1:-1]
    return value.rstrip(_TRAILING) if "/" in value and not value.endswith(("/.", "/..")) else value


assert set(_PATTERNS) == set(get_args(Kind))
