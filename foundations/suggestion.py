"""Suggests the nearest known name for an unknown one."""

from collections.abc import Iterable


def find_nearest(word: str, choices: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the choice that is nearest to `word`, or None if none is near."""
    # Imported late: only mistakes need it.
    from difflib import get_close_matches

    # Compared without case: `Search` is one letter of many from `search`, but to a person no difference.
    by_folded: dict[str, str] = {}
    for choice in choices:
        by_folded.setdefault(choice.casefold(), choice)
    close = get_close_matches(word.casefold(), by_folded, n=1, cutoff=cutoff)
    return by_folded[close[0]] if close else None


def format_suggestion(word: str, choices: Iterable[str]) -> str | None:
    """Return the help line with the nearest choice, or None if none is near."""
    found = find_nearest(word, choices)
    return f"did you mean `{found}`?" if found else None
