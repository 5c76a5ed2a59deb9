"""Ranking by BM25: an inverted index over weighted bags of words.

Scores are whole millionths, so that a sum does not depend on its order, nor a ranking on the platform.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

# The usual constants of BM25: how fast repeats of a word stop counting, and how much long documents are held back.
_K1 = 1.5
_B = 0.75
_UNIT = 1_000_000


class BM25Index:
    """An inverted index: for each word the documents that have it, with its weight in each."""

    def __init__(self, documents: Sequence[Mapping[str, int]]) -> None:
        self._documents = documents
        lengths = [sum(document.values()) for document in documents]
        average = max(1.0, sum(lengths) / max(1, len(lengths)))
        holders = Counter(word for document in documents for word in document)
        rarity = {word: _compute_idf(len(documents), count) for word, count in holders.items()}
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, document in enumerate(documents):
            damping = _K1 * (1 - _B + _B * lengths[place] / average)
            for word, count in document.items():
                worth = rarity[word] * count * (_K1 + 1) / (count + damping)
                self._postings[word].append((place, round(worth * _UNIT)))

    def __contains__(self, word: str) -> bool:
        return word in self._postings

    def score_documents(self, words: Iterable[str]) -> dict[int, int]:
        """Return the score of every document that has one of the words, by the index of the document."""
        scores: defaultdict[int, int] = defaultdict(int)
        # Each word once: a prompt that repeats one does not ask for it twice as much.
        for word in dict.fromkeys(words):
            for place, worth in self._postings.get(word, ()):
                scores[place] += worth
        return dict(scores)

    def count_shared_words(self, place: int, words: Iterable[str]) -> int:
        """Return how many of the words a document has."""
        return sum(word in self._documents[place] for word in words)


def _compute_idf(documents: int, holders: int) -> float:
    # With 1 added a word that most documents have still counts a little; without it, it would count against them.
    return math.log(1 + (documents - holders + 0.5) / (holders + 0.5))
