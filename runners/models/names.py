"""The names of models: which provider one belongs to, and whether an answer came from the one that was asked."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...foundations.suggestion import find_nearest

PROTOCOLS = ("openai", "anthropic")
"""The protocols of a `base_url`; the first is used if the name says none."""

# Beginnings that one maker uses alone: a name that is nobody's is refused, never guessed.
_BARE = (
    (re.compile(r"claude-."), "anthropic"),
    (re.compile(r"(chat)?gpt-.|o[1-9]\d*(-.|$)"), "openai"),
    (re.compile(r"gemini-."), "google"),
    (re.compile(r"(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral)-."), "mistral"),
)
_NUMBER = re.compile(r"\d+")
_VERSION = re.compile(r"(-latest|[-@]?[\d.-]+|-v?\d[\w.]*)")
_SIMILARITY = 0.9  # lower, and models newer than the list of names would be taken for misspellings


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model at its provider."""

    provider: str
    model: str


def split_model_name(name: str) -> ModelName | None:
    """Split `provider:model`, or a bare name by its beginning. Return None if neither says the provider."""
    provider, colon, model = name.partition(":")
    if colon:
        return ModelName(provider, model) if provider and model else None
    return next((ModelName(provider, name) for pattern, provider in _BARE if pattern.match(name)), None)


def parse_self_hosted_name(name: str) -> ModelName:
    """Return the model at a `base_url`: `openai:` and `anthropic:` choose the protocol, all else is its name.

    So `llama3.1:8b` goes to the server as it is.
    """
    protocol, colon, model = name.partition(":")
    return ModelName(protocol, model) if colon and model and protocol in PROTOCOLS else ModelName(PROTOCOLS[0], name)


def find_likely_spelling(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` is most likely a misspelling of: the same numbers, almost the same letters.

    Other numbers are another version, which may be newer than any list of names.
    """
    choices = list(known)
    if name in choices:
        return None
    numbers = _NUMBER.findall(name)
    return find_nearest(name, [choice for choice in choices if _NUMBER.findall(choice) == numbers], _SIMILARITY)


def is_same_model(asked: str, answered: str) -> bool:
    """Return whether an answer came from the model that was asked: a dated version of it is the same."""
    asked, answered = (_strip_path(name).removesuffix("-latest") for name in (asked, answered))
    if asked == answered:
        return True
    return answered.startswith(asked) and _VERSION.fullmatch(answered.removeprefix(asked)) is not None


def _strip_path(name: str) -> str:
    return name.rsplit("/", 1)[-1]
