"""Makes text from outside harmless: bounded, on one line, and without any effect where it is shown.

It holds the one table of characters that steer or hide; terminal, pages, Markdown, JUnit and annotations use it.
"""

import re
from collections.abc import Callable

Quote = Callable[[str], str]
"""Returns a text from outside in a form that is harmless in some output."""

LONGEST = 200

# Written as ranges and not asked of `unicodedata`, whose answers differ between versions of Python: the same report
# must give the same bytes under all of them. A test compares the ranges with `unicodedata`.
_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # Cc, without tab and line feed
_FORMAT = (  # Cf: soft hyphen, bidi controls, zero widths, tag characters and their like
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e007f"
)
_PRIVATE = r"\ue000-\uf8ff\U000f0000-\U0010ffff"  # Co, and the noncharacters at its ends
_SURROGATE = r"\ud800-\udfff"  # Cs: no encoding takes them
_SEPARATOR = r"\u2028\u2029"  # Zl and Zp end a line in JavaScript and in some terminals
_SELECTOR = r"\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"  # Mn: change how the character before looks
_BLANK = r"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # ignorable letters and marks that show nothing
_NONCHARACTER = r"\ufdd0-\ufdef\ufffe\uffff"
_HIDDEN_CLASS = "".join((_CONTROL, _FORMAT, _PRIVATE, _SURROGATE, _SEPARATOR, _SELECTOR, _BLANK, _NONCHARACTER))

_HIDDEN = re.compile(f"[{_HIDDEN_CLASS}]")
# Besides, a GitHub log obeys `##[` anywhere in a line, and `::` at its start.
_STEERING = re.compile(rf"[{_HIDDEN_CLASS}]|(?<=#)#(?=\[)|\A\s*:(?=:)")
_SPECIAL = re.compile(r"[^\w ]|_", re.ASCII)


def make_visible(text: str) -> str:
    """Return the text on one line, with everything that would steer a terminal or a CI log, or hide, written out."""
    return _STEERING.sub(_escape_character, text).replace("\n", "\\n").replace("\t", " ")


def escape_hidden_characters(text: str) -> str:
    """Return the text with characters that hide written out; line breaks and tabs stay, for pages."""
    return _HIDDEN.sub(_escape_character, text.replace("\r\n", "\n"))


def find_hidden_character(text: str) -> str | None:
    """Return the first character that hides, or None; line breaks of any kind do not count."""
    return next((match[0] for match in _HIDDEN.finditer(text) if match[0] != "\r"), None)


def escape_untrusted_text(text: str, longest: int = LONGEST) -> str:
    """Return any text for a terminal or a log: at most `longest` characters, on one line, without effect."""
    written = make_visible(text[: longest + 1])  # what is cut off is not looked at: a text may have megabytes
    return written if len(written) <= longest and len(text) <= longest else f"{written[: longest - 1]}…"


def format_inline_code(text: str) -> str:
    """Return any text as inline code of Markdown: no pipe, backtick, line break, mention or HTML has an effect."""
    written = escape_untrusted_text(text)
    if written.strip() and not re.search(r"[|`\\]", written):
        return f"`{written}`"
    return f"<code>{_SPECIAL.sub(lambda match: f'&#{ord(match[0])};', written)}</code>"


def _escape_character(match: re.Match[str]) -> str:
    number = ord(match[0][-1])
    return f"{match[0][:-1]}\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
