"""The nearest right name for a wrong one."""

from collections.abc import Iterable


def find_nearest(word: str, choices: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The choice that `word` most likely meant, or None where nothing is near."""
    from difflib import get_close_matches

    by_folded: dict[str, str] = {}
    for choice in choices:
        by_folded.setdefault(choice.casefold(), choice)
    close = get_close_matches(word.casefold(), by_folded, n=1, cutoff=cutoff)
    return by_folded[close[0]] if close else None


def format_suggestion(word: str, choices: Iterable[str]) -> str | None:
    """The help line that offers the nearest choice, if there is one."""
    found = find_nearest(word, choices)
    return f"did you mean `{found}`?" if found else None
