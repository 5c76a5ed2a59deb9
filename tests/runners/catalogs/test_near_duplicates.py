"""Twins are the pairs that a comparison of every two texts finds."""

import time
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from toolgrade.runners.catalogs.near_duplicates import SIMILAR, group_near_duplicates

TEXTS = st.lists(st.frozensets(st.integers(0, 13).map(str), min_size=3), max_size=8)


@given(TEXTS)
def test_every_similar_pair_is_found_and_no_other(texts: list[frozenset[str]]) -> None:
    pairs = {
        pair
        for pair in combinations(range(len(texts)), 2)
        if len(texts[pair[0]] & texts[pair[1]]) >= SIMILAR * len(texts[pair[0]] | texts[pair[1]])
    }
    found = group_near_duplicates(texts, [None] * len(texts))
    assert all(any({one, other} <= set(group) for group in found) for one, other in pairs)
    assert {place for group in found for place in group} == {place for pair in pairs for place in pair}


def test_equal_keys_are_twins_and_empty_ones_are_not() -> None:
    assert group_near_duplicates([frozenset[str]()] * 4, ["a", (), "a", ()]) == [[0, 2]]


def test_ten_thousand_of_a_family_are_one_group_in_time() -> None:
    family = [frozenset([*map(str, range(20)), f"own{n}"]) for n in range(10_000)]
    start = time.process_time()
    (group,) = group_near_duplicates(family, [None] * len(family))
    assert len(group) == len(family)
    assert time.process_time() - start < 20
