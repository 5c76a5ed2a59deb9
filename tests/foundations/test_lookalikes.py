"""Ids that a person cannot tell apart: found with the reason, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.foundations.lookalikes import find_lookalikes


@pytest.mark.parametrize(
    ("twin", "reason"),
    [
        ("Search", "they differ in case"),
        ("se\u0430rch", "one holds a letter of another script"),
        ("sear\u200bch", "one holds an invisible character"),
        ("sea\u00adrch", "one holds an invisible character"),
    ],
)
def test_a_twin_is_found_with_the_reason(twin: str, reason: str) -> None:
    assert list(find_lookalikes(["search", "fetch", twin])) == [("search", twin, reason)]


def test_two_encodings_of_an_accent_are_twins() -> None:
    ((_, _, reason),) = find_lookalikes(["caf\u00e9", "cafe\u0301"])
    assert reason == "they differ in how an accent is encoded"


def test_an_id_given_twice_is_no_twin_of_itself() -> None:
    assert list(find_lookalikes(["search", "search"])) == []


@given(st.lists(st.sampled_from(["search", "searches", "find", "web.search", "search2", "検索", "검색"])))
def test_ids_that_differ_to_the_eye_are_no_twins(names: list[str]) -> None:
    assert list(find_lookalikes(names)) == []
