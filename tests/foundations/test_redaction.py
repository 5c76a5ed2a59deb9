"""No secret reaches a file in any form, and prose stays as it was."""

import json
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recordings import TOOLS, write_suite
from toolgrade.cassette import Recorder, Redactor

SECRET = 'p@ss/w"ör\\d+9'
FORMS = {
    "as it is": SECRET,
    "url": quote(SECRET, safe=""),
    "url, slashes kept": quote(SECRET),
    "form": quote_plus(SECRET),
    "json": json.dumps(SECRET),
    "json, not ascii": json.dumps(SECRET, ensure_ascii=False),
    **{f"base64 {shift}": b64encode(b"abc"[:shift] + SECRET.encode() + b"tail").decode() for shift in range(3)},
    **{f"base64url {shift}": urlsafe_b64encode(b"abc"[:shift] + SECRET.encode()).decode() for shift in range(3)},
}
SHAPES = [
    ("Authorization: Bearer CANARYabcdefgh", "CANARY"),
    ('{"Authorization": "Basic canaryonly"}', "canaryonly"),
    ("curl -H 'authorization: bearer canaryonly'", "canaryonly"),
    ("use Bearer CANARY0123456789", "CANARY"),
    ("Cookie: sid=CANARY; theme=dark", "CANARY"),
    ("Set-Cookie: sid=CANARY", "CANARY"),
    ("https://x.example/?q=1&key=CANARY1234", "CANARY"),
    ("https://x.example/?api_key=CANARY1234#top", "CANARY"),
    ("grant_type=refresh_token&refresh_token=CANARY12&client_secret=CANARY34", "CANARY"),
    ('{"access_token": "CANARY12", "expires_in": 3600, "refresh_token":"CANARY34"}', "CANARY"),
    ('{\\"client_secret\\": \\"CANARY12\\"}', "CANARY"),
    ("sk-ant-CANARYCANARYCANARYCANARY", "CANARY"),
    ("ghp_CANARYCANARYCANARYCANARY", "CANARY"),
]
PROSE = [
    "A basic understanding of bearer certificates.",
    "The token was lost; the monkey=1 example and key=value pairs stay.",
    "Cookie: a small baked good. Secret sauce, password policy, API key rotation.",
    "Authorization: required for access",
    "Basic information about tokens per call: 12",
    '{"token_count": "12345", "tokens": "many words", "monkey": "banana"}',
    "sk-learn, eyJ and ghp_ are prefixes",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_known_secret_is_in_no_file_in_any_form(tmp_path: Path, form: str) -> None:
    text = f"see {FORMS[form]} there"
    recorder = Recorder(write_suite(tmp_path), tmp_path / "cassettes", secrets=[SECRET])
    calls = [{"name": "x", "args": {"a": [text], text: 1}, "result": {"content": [{"text": text}]}, "status": "error"}]
    recorder.record("answers in words", tool_calls=calls, tools={"docs": TOOLS}, final_response=text)
    written = "".join(file.read_text() for file in (tmp_path / "cassettes").rglob("*") if file.is_file())
    middle = FORMS[form][4:-8] if form.startswith("base64") else FORMS[form].strip('"')
    assert middle not in written
    assert "[redacted]" in written


@pytest.mark.parametrize(("text", "canary"), SHAPES)
def test_what_looks_like_a_secret_is_taken_out(text: str, canary: str) -> None:
    redactor = Redactor()
    assert canary not in redactor.redact_text(text)
    assert redactor.count
    assert redactor.redact_text(redactor.redact_text(text)) == redactor.redact_text(text)


@pytest.mark.parametrize(
    "key", ["token", "password", "API_KEY", "x-api-key", "Authorization", "client_secret", "Cookie"]
)
def test_values_under_secret_keys_are_taken_out(key: str) -> None:
    assert Redactor().redact_value({"a": [{key: "CANARY"}]}) == {"a": [{key: "[redacted]"}]}


@pytest.mark.parametrize("text", PROSE)
def test_prose_about_secrets_is_unchanged(text: str) -> None:
    redactor = Redactor(["not-in-there"])
    assert (redactor.redact_text(text), redactor.count) == (text, 0)


WORDS = ["a", "token", "key", "basic", "bearer", "cookie", "secret", "password", "is", "of", "monkey", "tokens"]


@given(st.lists(st.sampled_from(WORDS)))
def test_words_alone_are_never_taken_out(words: list[str]) -> None:
    assert Redactor().redact_text(" ".join(words)) == " ".join(words)


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=8), st.text(), st.text(), st.integers(0, 2))
def test_no_secret_survives_wherever_it_stands(secret: str, before: str, after: str, shift: int) -> None:
    redactor = Redactor([secret])
    text = redactor.redact_text(f"{before}{secret}{after}")
    assert secret not in text or secret in "[redacted]" + before + after
    for form in (
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        b64encode(b"xyz"[:shift] + secret.encode()).decode(),
    ):
        assert redactor.has_leak(form.encode())
        assert not redactor.has_leak(redactor.redact_text(form).encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Allowed: /home/ada/project", "Allowed: ."),
        ("open '/home/ada/project/notes/a.txt'", "open './notes/a.txt'"),
        ("It is in /home/ada/project.", "It is in .."),
        ("file:///home/ada/project/a", "file://./a"),
        ("/home/ada/project-2/a", "/home/ada/project-2/a"),
        ("/home/ada/project.bak", "/home/ada/project.bak"),
        ("/mnt/home/ada/project", "/mnt/home/ada/project"),
    ],
)
def test_the_working_folder_reads_the_same_on_every_machine(text: str, expected: str) -> None:
    redactor = Redactor(folder=Path("/home/ada/project"))
    assert (redactor.redact_text(text), redactor.count) == (expected, 0)


def test_the_root_folder_is_left_alone() -> None:
    assert Redactor(folder=Path("/")).redact_text("see / and /etc") == "see / and /etc"
