"""Texts that say nearly the same: found among thousands without comparing every two of them."""

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from math import ceil

SIMILAR = 0.9
_MIN_WORDS = 3
_CANDIDATES = 20


def group_near_duplicates(
    texts: Sequence[frozenset[str]], keys: Sequence[Hashable], similar: float = SIMILAR
) -> list[list[int]]:
    """Groups of places whose texts share nine words of ten, or whose keys are equal; each group sorted."""
    groups = _DisjointSets(len(texts))
    first: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        if key:
            groups.join(first.setdefault(key, place), place)
    for one, other in _find_similar_pairs(texts, similar):
        groups.join(one, other)
    return groups.list_groups()


def _find_similar_pairs(texts: Sequence[frozenset[str]], similar: float) -> Iterator[tuple[int, int]]:
    """Pairs of similar texts. Two such texts have one of their few rarest words in common, so only those are indexed.

    A text is compared with the last few that share such a word: in a large family that joins each to its neighbour.
    """
    holders = Counter(word for text in texts for word in text)
    index: defaultdict[str, deque[int]] = defaultdict(lambda: deque(maxlen=_CANDIDATES))
    for place, text in enumerate(texts):
        if len(text) < _MIN_WORDS:
            continue
        rarest = sorted(text, key=lambda word: (holders[word], word))[: len(text) - ceil(similar * len(text)) + 1]
        for other in sorted({candidate for word in rarest for candidate in index[word]}):
            if len(text & texts[other]) >= similar * len(text | texts[other]):
                yield other, place
        for word in rarest:
            index[word].append(place)


class _DisjointSets:
    """Places that belong together, step by step."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def join(self, one: int, other: int) -> None:
        one, other = sorted((self._find_root(one), self._find_root(other)))
        self._parent[other] = one

    def list_groups(self) -> list[list[int]]:
        members: defaultdict[int, list[int]] = defaultdict(list)
        for place in range(len(self._parent)):
            members[self._find_root(place)].append(place)
        return [group for group in members.values() if len(group) > 1]

    def _find_root(self, place: int) -> int:
        while self._parent[place] != place:
            self._parent[place] = place = self._parent[self._parent[place]]
        return place
