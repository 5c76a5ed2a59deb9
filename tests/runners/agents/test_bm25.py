"""BM25 ranks by rare words, damped by length, and with whole numbers."""

import math

from hypothesis import given
from hypothesis import strategies as st

from toolgrade.runners.agents.bm25 import BM25Index

WORDS = st.sampled_from("abcdef")
DOCUMENTS = st.lists(st.dictionaries(WORDS, st.integers(1, 5)), max_size=8)


def textbook(documents: list[dict[str, int]], words: list[str], place: int) -> float:
    """The formula as it is written down: k1 = 1.5, b = 0.75."""
    lengths = [sum(document.values()) for document in documents]
    average = max(1, sum(lengths) / len(lengths))
    total = 0.0
    for word in set(words) & set(documents[place]):
        holders = sum(word in document for document in documents)
        rarity = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
        count = documents[place][word]
        total += rarity * count * 2.5 / (count + 1.5 * (0.25 + 0.75 * lengths[place] / average))
    return total


@given(DOCUMENTS, st.lists(WORDS))
def test_scores_are_those_of_the_formula(documents: list[dict[str, int]], words: list[str]) -> None:
    scores = BM25Index(documents).score_documents(words)
    assert set(scores) == {place for place, document in enumerate(documents) if set(words) & set(document)}
    for place, score in scores.items():
        assert abs(score / 1_000_000 - textbook(documents, words, place)) < 1e-5


@given(DOCUMENTS, st.lists(WORDS))
def test_the_order_of_the_words_changes_nothing(documents: list[dict[str, int]], words: list[str]) -> None:
    index = BM25Index(documents)
    assert index.score_documents(words) == index.score_documents(words[::-1]) == index.score_documents(words * 2)


def test_a_word_is_counted_once_in_what_a_document_shares() -> None:
    index = BM25Index([{"a": 3, "b": 1}, {"c": 1}])
    assert index.count_shared_words(0, ["a", "c"]) == 1
    assert "a" in index
    assert "z" not in index
