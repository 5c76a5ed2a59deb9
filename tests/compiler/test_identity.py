"""Names for files and cells: readable, safe on every file system, never shared by two names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.compiler.identity import make_hashed_slug, make_slug, make_suite_id

SAFE = re.compile(r"[a-z0-9][a-z0-9_-]*")
HOSTILE = [
    "../../x",
    "/etc/passwd",
    "CON",
    "nul",
    "a" * 300,
    "a\0b",
    "a\nb",
    "A",
    "a",
    "é",
    "e\u0301",
    "検索",
    ".",
    "..",
    "",
]


@pytest.mark.parametrize(
    ("name", "readable"),
    [("picks search, then fetch", "picks-search-then-fetch"), ("Café!", "cafe"), ("検索", ""), ("a" * 60, "a" * 48)],
)
def test_a_slug_is_what_ascii_can_say_of_a_name(name: str, readable: str) -> None:
    assert make_slug(name) == readable


def test_an_id_is_the_slug_and_the_start_of_the_sha256_of_the_name() -> None:
    assert make_hashed_slug("picks search") == "picks-search-046513b1"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_becomes_one_safe_part_of_a_path(name: str) -> None:
    for made in (make_hashed_slug(name), make_suite_id(name)):
        assert SAFE.fullmatch(made)
        assert len(made) <= 64


def test_hostile_names_share_no_id() -> None:
    assert (
        len({make_hashed_slug(name) for name in HOSTILE})
        == len({make_suite_id(name) for name in HOSTILE})
        == len(HOSTILE)
    )


@pytest.mark.parametrize("name", ["research", "web_search-2", "0"])
def test_a_suite_keeps_a_name_that_is_safe_as_it_stands(name: str) -> None:
    assert make_suite_id(name) == name


@pytest.mark.parametrize("name", ["Research", "con", "com1", "-a", "a b", "a" * 65])
def test_a_suite_with_another_name_gets_a_hash(name: str) -> None:
    assert make_suite_id(name) == make_hashed_slug(name) != name


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_names_have_two_ids_whatever_the_case_of_a_file_system(one: str, other: str) -> None:
    assert (make_hashed_slug(one).casefold() == make_hashed_slug(other).casefold()) == (one == other)
