"""Quotes words for shell commands that people and coding agents copy: visible, on one line, and safe to run."""

import re
import shlex

from .untrusted_text import make_visible

_UNSEEN = re.compile(r"[\x00-\x1f\x7f]|[^\x00-\x7f]|(?<=#)#(?=\[)")  # `##[` steers a GitHub log


def quote_word(word: str) -> str:
    """Return a word quoted for a shell; a character that cannot be seen is written as its bytes."""
    if word.isprintable() and make_visible(word) == word:
        return shlex.quote(word)
    # `$'…'` of bash and zsh takes bytes as \xNN; backslashes and quotes of the word come first, so that the
    # escapes that are added are not escaped themselves.
    escaped = _UNSEEN.sub(_escape_bytes, word.replace("\\", "\\\\").replace("'", "\\'"))
    return f"$'{escaped}'"


def _escape_bytes(match: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in match[0].encode("utf-8", "surrogatepass"))
