"""Secrets whose value is known: found in a text however they are written down there.

A text is unfolded first: escapes of URLs, JSON, HTML and source code are read, at every depth, and line ends are left
out. What is searched for is unfolded, too, so that one search finds all spellings and mixtures of them.
"""

import re
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from functools import cached_property

REDACTED = "[redacted]"
SHORTEST = 6
_SHORTEST_ENCODED = 8
_DEPTH = 5
_SPECIAL = re.compile(r"[%\\&\r\n]")
_ESCAPE = re.compile(
    r"(?P<percent>(?:%(?:25)*[0-9a-fA-F]{2})+)|\\+u(?P<unit>[0-9a-fA-F]{4})|\\+x(?P<byte>[0-9a-fA-F]{2})"
    r"|&\#(?P<decimal>[0-9]{1,7});|&\#[xX](?P<hex>[0-9a-fA-F]{1,6});|\\+[nr]|[\r\n]+[ \t]*|\\+"
)
_PERCENT = re.compile(r"%(?:25)*([0-9a-fA-F]{2})")
_GAP = r"(?:\\+[nr]|[\r\n]+[ \t]*|\\+)*"


class KnownSecrets:
    """Finds and replaces the secrets that it was given."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted({one for one in secrets if len(one) >= SHORTEST}, key=lambda one: (-len(one), one))
        exact = {form for secret in self._secrets for form in _list_exact_forms(secret)}
        self._exact = sorted(form for form in exact if form not in REDACTED)
        self._folded = sorted({secret.encode(errors="surrogatepass").hex() for secret in self._secrets})
        self._shortest = min(map(len, (*self._exact, *self._folded)), default=0)

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def are_in(self, text: str) -> bool:
        """Whether a text holds a secret in any spelling."""
        if not self._exact or len(text) < self._shortest:
            return False
        unfolded = unfold(text) if _SPECIAL.search(text) else text
        lower = unfolded.lower()
        return (
            any(form in unfolded for form in self._exact)
            or any(form in lower for form in self._folded)
            or (unfolded is not text and any(secret in text for secret in self._secrets if secret not in REDACTED))
        )

    def replace_in(self, text: str) -> tuple[str, int]:
        """Return the text without secrets, and how many were replaced; if one cannot be cut out, all of the text is."""
        if not self.are_in(text):
            return text, 0
        replaced, count = self._pattern.subn(REDACTED, text)
        return (REDACTED, count + 1) if self.are_in(replaced) else (replaced, count)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Every form, with gaps and escapes between and for its characters; slow, so only used if one was found."""
        plain = [form for secret in self._secrets for form in (secret, *_list_plain_forms(secret))]
        spelled = [*map(re.escape, self._secrets), *(_GAP.join(map(_spell_character, form)) for form in plain)]
        encoded = [_GAP.join(map(_spell_digit, form)) for form in self._exact if form not in plain]
        return re.compile("|".join([*spelled, *encoded, *(f"(?i:{_GAP.join(form)})" for form in self._folded)]))


def unfold(text: str) -> str:
    """Return a text with its escapes read and its line ends left out."""
    for _ in range(_DEPTH):
        shorter = _ESCAPE.sub(_read_escape, text)
        if shorter == text:
            break
        text = shorter
    return text


def _read_escape(match: re.Match[str]) -> str:
    if digits := match["percent"]:
        codes = bytes(int(code, 16) for code in _PERCENT.findall(digits))
        return codes.decode("utf-8", "replace")
    if digits := match["unit"] or match["byte"] or match["hex"]:
        return _to_character(int(digits, 16))
    return _to_character(int(match["decimal"])) if match["decimal"] else ""


def _to_character(code: int) -> str:
    return chr(code) if code < 0x110000 else ""


def _list_exact_forms(secret: str) -> Iterator[str]:
    """List the spellings of a secret that unfolding does not make alike."""
    yield from _list_plain_forms(secret)
    raw = secret.encode(errors="surrogatepass")
    for encode, bits in ((b64encode, 6), (urlsafe_b64encode, 6), (b32encode, 5)):
        for shift in range(3 if bits == 6 else 5):
            whole = encode(b"\0" * shift + raw).decode().rstrip("=")
            first = -(-8 * shift // bits)  # the characters that hold bits of what stands before the secret
            last = 8 * (shift + len(raw)) // bits  # one that holds bits of what stands behind it is left out
            if last - first >= _SHORTEST_ENCODED:
                yield whole[first:last]


def _list_plain_forms(secret: str) -> Iterator[str]:
    for plain in dict.fromkeys((secret, secret.replace(" ", "+"))):  # a form writes a space as a plus sign
        unfolded = unfold(plain)
        if len(unfolded) >= SHORTEST:
            yield unfolded
        # The halves of a character beyond 16 bits are escaped one by one.
        units = "".join(_split_units(unfolded))
        if units != unfolded:
            yield units


def _split_units(text: str) -> Iterator[str]:
    for char in text:
        code = ord(char) - 0x10000
        yield from char if code < 0 else (chr(0xD800 + (code >> 10)), chr(0xDC00 + (code & 0x3FF)))


def _spell_digit(char: str) -> str:
    return char if char.isalnum() else _spell_character(char)


def _spell_character(char: str) -> str:
    """Return a pattern for a character that may be escaped."""
    code = ord(char)
    percent = "".join(f"%(?:25)*(?i:{byte:02x})" for byte in char.encode(errors="surrogatepass"))
    units = "".join(rf"\\+u(?i:{ord(unit):04x})" for unit in _split_units(char))
    byte = rf"|\\+x(?i:{code:02x})" if code < 0x100 else ""
    return rf"(?:{re.escape(char)}|{percent}|{units}{byte}|&\#0*{code};|&\#[xX]0*(?i:{code:x});)"
