"""Words of a shell command that people and coding agents copy: on one line, to be seen whole, and safe to run."""

import re
import shlex

from .untrusted_text import make_visible

_UNSEEN = re.compile(r"[\x00-\x1f\x7f]|[^\x00-\x7f]|(?<=#)#(?=\[)")  # `##[` steers a GitHub log


def quote_word(word: str) -> str:
    """A word as a shell takes it; what cannot be seen is written as bytes, so that the command can be copied."""
    if word.isprintable() and make_visible(word) == word:
        return shlex.quote(word)
    escaped = _UNSEEN.sub(_escape_bytes, word.replace("\\", "\\\\").replace("'", "\\'"))
    return f"$'{escaped}'"


def _escape_bytes(match: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in match[0].encode("utf-8", "surrogatepass"))
