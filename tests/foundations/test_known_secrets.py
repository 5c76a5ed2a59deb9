"""A secret whose value is known is found in every spelling, over lines, blocks and cuts; the screen misses none."""

import json
from base64 import b32encode, b64encode, encodebytes
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.foundations import redaction
from toolgrade.foundations.redaction import Redactor, may_hold_secret

SECRET = "CANARY-pä/ss+word\\9?😀and-a-rather-long-tail-so-that-base64-is-wrapped-over-lines"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAcanarycanary\nQIDAQABAoIBAcanary==\n-----END RSA PRIVATE KEY-----"


def each(form: str) -> Callable[[str], str]:
    return lambda secret: "".join(form.format(ord(unit)) for unit in secret)


def wrap(text: str, end: str = "\n") -> str:
    return end.join(text[at : at + 20] for at in range(0, len(text), 20))


def escape_units(secret: str) -> str:
    data = secret.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{data[place] << 8 | data[place + 1]:04x}" for place in range(0, len(data), 2))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "hex": lambda secret: secret.encode().hex(),
    "hex in capitals": lambda secret: secret.encode().hex().upper(),
    "hex over lines": lambda secret: wrap(secret.encode().hex()),
    "base32": lambda secret: b32encode(b"ab" + secret.encode() + b"tail").decode(),
    "wrapped base64": lambda secret: encodebytes(b"x" + secret.encode()).decode(),
    "base64 indented over lines": lambda secret: wrap(b64encode(secret.encode()).decode(), "\r\n    "),
    "every byte in percent": lambda secret: "".join(f"%{byte:02x}" for byte in secret.encode()),
    "twice in percent": lambda secret: quote(quote(secret, safe=""), safe=""),
    "unicode escapes": escape_units,
    "decimal references": each("&#{};"),
    "hex references": each("&#x{:X};"),
    "JSON in JSON in JSON": lambda secret: json.dumps({"a": json.dumps({"b": json.dumps(secret)})}),
    "over lines": wrap,
    "escaped line ends": lambda secret: wrap(secret, "\\n"),
    "mixed": lambda secret: quote(secret[:20], safe="") + escape_units(secret[20:]),
}


def leaves(text: str) -> bool:
    """Whether something of the secret is still to be read."""
    return any(part in text for part in ("CANARY", "long-tail", SECRET.encode().hex()[20:60], "430041"))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_is_found_and_replaced(spelling: str) -> None:
    text = f"before {SPELLINGS[spelling](SECRET)} after"
    redactor = Redactor([SECRET])
    assert redactor.has_leak(text.encode())
    redacted = redactor.redact_text(text)
    assert not redactor.has_leak(redacted.encode())
    assert not leaves(redacted)
    assert redactor.count
    assert redacted.startswith("before ")
    assert redacted.endswith(" after")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_secret_of_several_lines_is_found_whatever_ends_them(end: str) -> None:
    redactor = Redactor(["first-CANARY\nsecond-line\n"])
    assert "CANARY" not in redactor.redact_text(f"x first-CANARY{end}second-line{end}y")


def test_a_secret_over_two_content_blocks_is_taken_out_of_both() -> None:
    blocks = [{"type": "text", "text": f"x {SECRET[:30]}"}, {"type": "text", "text": f"{SECRET[30:]} y"}]
    redacted = Redactor([SECRET]).redact_value({"content": blocks})
    assert not leaves(json.dumps(redacted))
    assert redacted["content"][0]["type"] == "text"
    assert Redactor([SECRET]).redact_value({"content": blocks[:1]}) == {"content": blocks[:1]}


PEM_SPELLINGS: dict[str, Any] = {
    "as it is": PEM,
    "in JSON": json.dumps({"a": PEM}),
    "without its end": PEM[:70],
    "without its beginning": PEM[40:],
    "over blocks": [{"text": PEM[:50]}, {"text": PEM[50:]}],
    "a line a block": PEM.split("\n"),
}


@pytest.mark.parametrize("spelling", PEM_SPELLINGS)
def test_a_private_key_is_taken_out_over_lines_cuts_and_blocks(spelling: str) -> None:
    redacted = json.dumps(Redactor().redact_value(PEM_SPELLINGS[spelling]))
    assert "canary" not in redacted


def test_lines_are_put_together_before_they_are_searched() -> None:
    lines = Redactor().redact_lines(["starting", *PEM.split("\n"), "ready"])
    assert "canary" not in "".join(lines)
    assert (lines[0], lines[-1]) == ("starting", "ready")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("https://ada:CANARY@example.org/x", "https://ada:[redacted]@example.org/x"),
        ("postgres://:CANARY1@db:5432/x", "postgres://:[redacted]@db:5432/x"),
        ("see http://example.org:8080/a@b", "see http://example.org:8080/a@b"),
    ],
)
def test_a_password_in_a_url_is_taken_out(text: str, kept: str) -> None:
    assert Redactor().redact_text(text) == kept


FRAGMENTS = [
    *(
        "Authorization: Bearer abcdef123",
        "author\u0131zation: Basic abc123def",
        "bearer aB3defghijkl",
        "BASIC dXNlcjpwYXNz",
    ),
    *(
        "cooKIE: a=b",
        "\u212aey",
        '"pa\u017f\u017fword": "hunter22"',
        '"to\u212aen":"abcdef"',
        "?key=abcdef",
        "&sig=abcd1",
    ),
    *("api-key=abcd1", "sk-ant-abcdefghijklmnopqrst", "ghp_abcdefghijklmnopqrstuv", "AKIAABCDEFGHIJKLMNOP", "://a:b@c"),
    *(
        "AIza" + "b" * 32,
        "xoxb-1234567890",
        "hf_abcdefghijklmnopqrstu",
        "eyJabcdefgh.abcdefgh.abcd",
        "glpat-abcdefghijklmnop",
    ),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "abc\n", " ", "\n", "plain words", "İ", "&", "?"),
]


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=6).map("".join))
def test_what_the_screen_lets_pass_no_pattern_would_change(text: str) -> None:
    changed = [pattern for pattern, by in redaction.REPLACEMENTS if pattern.sub(by, text) != text]
    assert may_hold_secret(text) or not changed


@pytest.mark.parametrize("fragment", FRAGMENTS[:20])
def test_the_screen_stops_every_shape(fragment: str) -> None:
    assert may_hold_secret(fragment)


@pytest.mark.parametrize(
    "text", ["\\" * 200_000, "a." * 100_000, '"' * 200_000, "%25" * 70_000, "-----BEGIN " * 20_000]
)
def test_no_text_takes_long(text: str) -> None:
    Redactor([SECRET]).redact_text(f"key {text} ://")
