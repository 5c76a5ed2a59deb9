"""Words as a search sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.runners.agents.search_words import extract_search_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("read_text_file", ["read", "text", "file"]),
        ("getCurrentTime", ["current", "time"]),
        ("XMLHttpRequest", ["xml", "http", "request"]),
        ("base64", ["base", "64"]),
        ("Lists all the queries of the repositories", ["list", "query", "repository"]),
        ("status, address, analysis", ["status", "address", "analysis"]),
        ("Été naïve", ["été", "naïve"]),
        ("文書を検索", ["文", "書", "を", "検", "索"]),
        ("Can you help me with this, please?", []),
        ("", []),
    ],
)
def test_text_is_split_into_words(text: str, expected: list[str]) -> None:
    assert extract_search_words(text) == expected


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    assert all(word and word == word.lower() for word in extract_search_words(text))
