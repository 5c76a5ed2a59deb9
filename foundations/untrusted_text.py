"""Text from outside, made harmless where it is written: short, on one line, and without any effect."""

import re
from collections.abc import Callable

Quote = Callable[[str], str]
"""Makes a text from outside harmless where it is written."""

_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
    r"|[\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
    r"|(?<=#)#(?=\[)|\A\s*:(?=:)"  # a GitHub log obeys `##[` anywhere in a line, and `::` at its start
)


def make_visible(text: str) -> str:
    """Text with everything that would steer a terminal or a CI log, or hide, written out."""
    return _INVISIBLE.sub(_escape_character, text).replace("\n", "\\n").replace("\t", " ")


def _escape_character(match: re.Match[str]) -> str:
    return f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}"


LONGEST = 200
_SPECIAL = re.compile(r"[^\w ]|_", re.ASCII)


def escape_untrusted_text(text: str, longest: int = LONGEST) -> str:
    """Any text for a terminal or a log: bounded, and with everything that steers or hides written out."""
    written = make_visible(text[: longest + 1])  # what is cut off is not looked at: a text may have megabytes
    return written if len(written) <= longest and len(text) <= longest else f"{written[: longest - 1]}…"


def format_inline_code(text: str) -> str:
    """Any text as inline code: no pipe, backtick, line break, mention or HTML of it has an effect."""
    written = escape_untrusted_text(text)
    if written.strip() and not re.search(r"[|`\\]", written):
        return f"`{written}`"
    return f"<code>{_SPECIAL.sub(lambda match: f'&#{ord(match[0])};', written)}</code>"
