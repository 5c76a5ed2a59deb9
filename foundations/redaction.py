"""Redacting secrets before anything is written, and replacing the path of the working folder by a dot."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from .known_secrets import REDACTED, KnownSecrets

# Whole keys or their last part: `max_tokens` and `page_token` are no secrets.
_SECRET_KEY = re.compile(
    r"(^|[_\-.])(authorization|cookie|password|passwd|secret|credential|credentials|private[_-]?key"
    r"|api[_-]?key|access[_-]?key|client[_-]?secret|(access|auth|refresh|session|bearer|id)[_-]?token)$"
    r"|^(token|apikey|set-cookie|x-api-key|secret[_-]?key)$",
    re.IGNORECASE,
)
# Keys of OpenAI and Anthropic, GitHub, Slack, AWS, Google, GitLab, Hugging Face, and JSON web tokens. A JWT starts with
# the base64 of `{"`; after a hyphen `eyJ` is part of a longer identifier.
_SHAPES = re.compile(
    r"\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|hf_[A-Za-z0-9]{20,}|(?<!-)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,})"
)
# After `Authorization:` and a scheme every word is a token; without one it needs a digit. After a bare `Bearer` or
# `Basic` it needs a digit, an equals sign or an inner capital: "basic understanding" is prose.
_AUTHORIZATION = re.compile(
    r"(?i)\b(authorization\\?[\"']?\s*[:=]\s*\\?[\"']?(?:(?:bearer|basic|token|digest)\s+|(?=\S*[0-9])))"
    r"(?!\[redacted\])[^\s\"'\\,;]{4,}"
)
_BEARER = re.compile(
    r"\b((?i:bearer|basic))(\s+)(?=[A-Za-z._~+/-]*[0-9=]|[A-Za-z._~+/-]*[a-z][A-Z])[A-Za-z0-9._~+/=-]{8,}"
)
# JSON within text, where quotes may be escaped: tools often answer with JSON in a string.
_MEMBER = re.compile(
    r"(?i)(\\{0,9}\"(?:[a-z0-9_.-]*[_.-])?(?:password|passwd|client[_-]?secret|secret|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|(?:access|auth|refresh|session|bearer|id)[_-]?token|token|(?:set-)?cookie)\\{0,9}\"\s*:\s*\\{0,9}\")"
    r"(?!\[redacted\])[^\"\\]{4,}"
)
# `key`, `auth` and `sig` are secrets in a URL's query alone; elsewhere `key=value` is too common.
_PARAMETER = re.compile(
    r"(?i)([?&;\s]|^)((?:api[_-]?key|(?<=[?&;])(?:key|auth|sig|signature)|access[_-]?token|token|password|secret"
    r"|client_secret|refresh_token)=)(?!\[redacted\](?:[&\s#\"']|$))[^&\s#\"']{4,}"
)
_COOKIE = re.compile(r"(?i)\b((?:set-)?cookie:\s*)(?!\[redacted\]$)[^\r\n=]{1,256}=[^\r\n]+")


# A key without its end is one that was cut, and what comes before an end without a beginning was cut, too.
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\Z)"
    r"|\A[A-Za-z0-9+/=\s\\]*-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----",
    re.DOTALL,
)
_URL_PASSWORD = re.compile(
    r"(\b[A-Za-z][A-Za-z0-9+.-]{0,20}://[^/\s:@?#]{0,256}:)(?!\[redacted\])[^/\s@?#]{1,1024}(?=@)"
)
REPLACEMENTS = (
    (_PEM, REDACTED),
    (_AUTHORIZATION, rf"\1{REDACTED}"),
    (_MEMBER, rf"\1{REDACTED}"),
    (_BEARER, rf"\1\2{REDACTED}"),
    (_COOKIE, rf"\1{REDACTED}"),
    (_PARAMETER, rf"\1\2{REDACTED}"),
    (_URL_PASSWORD, rf"\1{REDACTED}"),
    (_SHAPES, REDACTED),
)
_SIGNS = (
    *("authorization", "bearer", "basic", "cookie", "key", "token", "secret", "passw", "credential"),
    *("auth=", "sig=", "signature="),
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "akia", "aiza", "glpat-", "hf_", "eyj"),
    *("://", "-----begin", "-----end"),
)  # fmt: skip
"""What every pattern needs somewhere in the text, in small letters: without one of these no pattern matches."""
_FOLDS = str.maketrans("\u017f\u0131", "si")
"""Letters that a pattern takes for others if it ignores case, and that have no capital of their own."""


class Redactor:
    """A replacer of secrets in JSON values that counts its replacements.

    The path of `folder`, which differs between machines, becomes `.`; that is not counted, as it is no secret.
    """

    def __init__(self, secrets: Iterable[str] = (), folder: Path | None = None) -> None:
        self._known = KnownSecrets(secrets)
        self._folder = _compile_folder_pattern(folder) if folder is not None and folder.name else None
        self.count = 0

    def redact_value(self, value: Any) -> Any:
        """Return a JSON value with its secrets replaced."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, dict):
            return {self.redact_text(key): self._redact_member(key, part) for key, part in _iterate_members(value)}
        if isinstance(value, list | tuple):
            parts = cast(list[Any], value)
            return self._redact_split(parts, [self.redact_value(part) for part in parts])
        return value

    def redact_text(self, text: str) -> str:
        """Return a text with its secrets replaced."""
        # Known values first: a pattern might take a part of one, and leave a rest that no pattern matches.
        if self._known:
            text, count = self._known.replace_in(text)
            self.count += count
        if self._folder is not None:
            text = self._folder.sub(".", text)
        return self._redact_patterns(text) if may_hold_secret(text) else text

    def redact_lines(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Return lines without secrets; one that goes over several lines is found."""
        text = "\n".join(lines)
        return tuple(self.redact_text(text).split("\n")) if text else ()

    def has_leak(self, data: bytes) -> bool:
        """Return whether a known secret is in these bytes."""
        return self._known.are_in(data.decode("utf-8", "replace"))

    def _redact_patterns(self, text: str) -> str:
        for pattern, by in REPLACEMENTS:
            text, count = pattern.subn(by, text)
            self.count += count
        return text

    def _redact_member(self, key: str, part: Any) -> Any:
        if _is_secret_key(key) and part not in (None, "", REDACTED) and not isinstance(part, bool):
            self.count += 1
            return REDACTED
        return self.redact_value(part)

    def _redact_split(self, parts: list[Any], redacted: list[Any]) -> list[Any]:
        """Take out what is a secret only when the texts of several parts, such as content blocks, are put together."""
        if len(parts) < 2:
            return redacted
        torn = [path for path, texts in _collect_texts(parts).items() if _has_torn_key(texts)]
        if self._known:
            joined = {path: "".join(texts) for path, texts in _collect_texts(redacted).items()}
            torn += [path for path, text in joined.items() if self._known.are_in(text)]
        for path in torn:
            self.count += 1
            redacted = [_blank_texts(part, path) for part in redacted]
        return redacted


def may_hold_secret(text: str) -> bool:
    """Whether some pattern could match; False is certain."""
    lower = text.lower()
    if not text.isascii():
        lower = lower.translate(_FOLDS)
    return any(sign in lower for sign in _SIGNS)


@lru_cache(maxsize=4096)
def _is_secret_key(key: str) -> bool:
    return _SECRET_KEY.search(key) is not None


def _collect_texts(parts: list[Any]) -> dict[tuple[str, ...], list[str]]:
    """Return the texts of several values by the keys that lead to them."""
    texts: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for path, text in _iterate_texts(parts, ()):
        texts[path].append(text)
    return texts


def _has_torn_key(texts: list[str]) -> bool:
    """Whether a private key begins in one of several texts and ends in another."""
    begun = any("-----BEGIN" in text and "PRIVATE KEY" in text and "-----END" not in text for text in texts)
    return begun and len(texts) > 1


def _iterate_texts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text in a value with the keys that lead to it; places in lists do not count."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, part in _iterate_members(value):
            yield from _iterate_texts(part, (*path, key))
    elif isinstance(value, list):
        for part in cast(list[Any], value):
            yield from _iterate_texts(part, path)


def _blank_texts(value: Any, path: tuple[str, ...]) -> Any:
    """Return the value with the texts at a path replaced."""
    if isinstance(value, str):
        return value if path else REDACTED
    if isinstance(value, dict):
        members = _iterate_members(value)
        return {key: _blank_texts(part, path[1:]) if path[:1] == (key,) else part for key, part in members}
    return [_blank_texts(part, path) for part in cast(list[Any], value)] if isinstance(value, list) else value


def _compile_folder_pattern(folder: Path) -> re.Pattern[str]:
    """Return a pattern for the folder's path and the paths below it, but not for `/a/bc` if the folder is `/a/b`."""
    return re.compile(rf"(?<![\w.~-]){re.escape(str(folder))}(?!\.?[\w-])")


def _iterate_members(value: Any) -> Iterable[tuple[str, Any]]:
    """Return the members of an object, with keys as JSON writes them."""
    return ((str(key), part) for key, part in cast(dict[Any, Any], value).items())
