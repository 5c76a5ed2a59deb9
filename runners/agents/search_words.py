"""Splitting names and texts into the words that the search compares."""

import re

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # scripts without spaces: a character is a word
    r"|[A-Z]+(?![a-z])|[A-Z]?(?:(?![A-Z\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])\w)+|\d+"
)
# Function words, and words of requests ("get", "please"): they are in every prompt and choose no tool.
_COMMON_WORDS = (
    "a able all also am an and any are as at be by can could do does each every for from get give go has have he help "
    "how i if in into is it its just let like make me more most my need new now of on one or other our out please "
    "right should so some such tell than that the their them then there these they this those to up us use using via "
    "want was way we were what when where which who will with would you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())


def extract_search_words(text: str) -> list[str]:
    """Return lower-case words, split at underscores and case changes, in the singular, without common words."""
    found = (word.lower() for word in _WORD.findall(text))
    return [_to_singular(word) for word in found if word not in _COMMON]


def _to_singular(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return f"{word[:-3]}y"
    # "status", "class" and "analysis" are no plurals.
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
