"""Text from outside, made harmless where it is written: short, on one line, and without any effect."""

import re
from collections.abc import Callable

from ..compiler.render import visible

Quote = Callable[[str], str]
"""Makes a text from outside harmless where it is written."""

LONGEST = 200
_SPECIAL = re.compile(r"[^\w ]|_", re.ASCII)


def shown(text: str, longest: int = LONGEST) -> str:
    """Any text for a terminal or a log: bounded, and with everything that steers or hides written out."""
    written = visible(text[: longest + 1])  # what is cut off is not looked at: a text may have megabytes
    return written if len(written) <= longest and len(text) <= longest else f"{written[: longest - 1]}…"


def code(text: str) -> str:
    """Any text as inline code: no pipe, backtick, line break, mention or HTML of it has an effect."""
    written = shown(text)
    if written.strip() and not re.search(r"[|`\\]", written):
        return f"`{written}`"
    return f"<code>{_SPECIAL.sub(lambda match: f'&#{ord(match[0])};', written)}</code>"
