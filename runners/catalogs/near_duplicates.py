"""Finding texts that share nearly all their words, among thousands, without comparing every pair."""

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from math import ceil

SIMILAR = 0.9
# One word in common would make two texts of one or two words similar.
_MIN_WORDS = 3
# Bounds the comparisons in a catalog of thousands of tools that share their rarest words.
_CANDIDATES = 20


def group_near_duplicates(
    texts: Sequence[frozenset[str]], keys: Sequence[Hashable], similar: float = SIMILAR
) -> list[list[int]]:
    """Return the groups of indices whose texts are similar or whose keys are equal; each group is sorted."""
    groups = _DisjointSets(len(texts))
    first: dict[Hashable, int] = {}
    for index, key in enumerate(keys):
        if key:
            groups.join(first.setdefault(key, index), index)
    for one, other in _find_similar_pairs(texts, similar):
        groups.join(one, other)
    return groups.list_groups()


def _find_similar_pairs(texts: Sequence[frozenset[str]], similar: float) -> Iterator[tuple[int, int]]:
    """Yield pairs of texts whose Jaccard similarity (shared words ÷ all words) is at least `similar`."""
    # Prefix filtering: two similar texts share one of their few rarest words, so these alone are indexed. Only the last
    # few texts with such a word are compared: in a large family of similar texts, each joins its neighbour.
    frequencies = Counter(word for text in texts for word in text)
    texts_with: defaultdict[str, deque[int]] = defaultdict(lambda: deque(maxlen=_CANDIDATES))
    for index, text in enumerate(texts):
        if len(text) < _MIN_WORDS:
            continue
        rarest = sorted(text, key=lambda word: (frequencies[word], word))[: len(text) - ceil(similar * len(text)) + 1]
        for other in sorted({candidate for word in rarest for candidate in texts_with[word]}):
            if len(text & texts[other]) >= similar * len(text | texts[other]):
                yield other, index
        for word in rarest:
            texts_with[word].append(index)


class _DisjointSets:
    """Sets of indices that are joined step by step: union-find."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def join(self, one: int, other: int) -> None:
        """Put the sets of two indices together; the smallest index of a set is its root."""
        one, other = sorted((self._find_root(one), self._find_root(other)))
        self._parent[other] = one

    def list_groups(self) -> list[list[int]]:
        """Return the sets of more than one index."""
        members: defaultdict[int, list[int]] = defaultdict(list)
        for index in range(len(self._parent)):
            members[self._find_root(index)].append(index)
        return [group for group in members.values() if len(group) > 1]

    def _find_root(self, index: int) -> int:
        # Path halving keeps the chains short.
        while self._parent[index] != index:
            self._parent[index] = index = self._parent[self._parent[index]]
        return index
