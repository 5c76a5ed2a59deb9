"""Redacting secrets before anything is written, and replacing the path of the working folder by a dot."""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
# Shorter values, such as `true` or a port, occur by chance everywhere: replacing them would destroy recordings.
_SHORTEST = 6
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
    r"(?i)(\\?\"(?:[a-z0-9_.-]*[_.-])?(?:password|passwd|client[_-]?secret|secret|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|(?:access|auth|refresh|session|bearer|id)[_-]?token|token|(?:set-)?cookie)\\?\"\s*:\s*\\?\")"
    r"(?!\[redacted\])[^\"\\]{4,}"
)
# `key`, `auth` and `sig` are secrets in a URL's query alone; elsewhere `key=value` is too common.
_PARAMETER = re.compile(
    r"(?i)([?&;\s]|^)((?:api[_-]?key|(?<=[?&;])(?:key|auth|sig|signature)|access[_-]?token|token|password|secret"
    r"|client_secret|refresh_token)=)(?!\[redacted\](?:[&\s#\"']|$))[^&\s#\"']{4,}"
)
_COOKIE = re.compile(r"(?i)\b((?:set-)?cookie:\s*)(?!\[redacted\]$)[^\r\n=]{1,256}=[^\r\n]+")


class Redactor:
    """A replacer of secrets in JSON values that counts its replacements.

    The path of `folder`, which differs between machines, becomes `.`; that is not counted, as it is no secret.
    """

    def __init__(self, secrets: Iterable[str] = (), folder: Path | None = None) -> None:
        forms = {form for secret in secrets if len(secret) >= _SHORTEST for form in expand_secret(secret)}
        # The longest first: of two secrets, one the start of the other, the rest of the longer one would remain.
        ordered = sorted(forms, key=lambda form: (-len(form), form))
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None
        self._folder = _compile_folder_pattern(folder) if folder is not None and folder.name else None
        self.count = 0

    def redact_value(self, value: Any) -> Any:
        """Return a JSON value with its secrets replaced."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, dict):
            return {self.redact_text(key): self._redact_member(key, part) for key, part in _iterate_members(value)}
        if isinstance(value, list | tuple):
            return [self.redact_value(part) for part in cast(list[Any], value)]
        return value

    def redact_text(self, text: str) -> str:
        """Return a text with its secrets replaced."""
        # Known values first: a pattern might take a part of one, and leave a rest that no pattern matches.
        if self._known is not None:
            text = self._replace_matches(self._known, REDACTED, text)
        if self._folder is not None:
            text = self._folder.sub(".", text)
        text = self._replace_matches(_AUTHORIZATION, rf"\1{REDACTED}", text)
        text = self._replace_matches(_MEMBER, rf"\1{REDACTED}", text)
        text = self._replace_matches(_BEARER, rf"\1\2{REDACTED}", text)
        text = self._replace_matches(_COOKIE, rf"\1{REDACTED}", text)
        text = self._replace_matches(_PARAMETER, rf"\1\2{REDACTED}", text)
        return self._replace_matches(_SHAPES, REDACTED, text)

    def has_leak(self, data: bytes) -> bool:
        """Return whether a known secret is in these bytes."""
        return self._known is not None and self._known.search(data.decode("utf-8", "replace")) is not None

    def _redact_member(self, key: str, part: Any) -> Any:
        if _SECRET_KEY.search(key) and part not in (None, "", REDACTED) and not isinstance(part, bool):
            self.count += 1
            return REDACTED
        return self.redact_value(part)

    def _replace_matches(self, pattern: re.Pattern[str], by: str, text: str) -> str:
        text, count = pattern.subn(by, text)
        self.count += count
        return text


def _compile_folder_pattern(folder: Path) -> re.Pattern[str]:
    """Return a pattern for the folder's path and the paths below it, but not for `/a/bc` if the folder is `/a/b`."""
    return re.compile(rf"(?<![\w.~-]){re.escape(str(folder))}(?!\.?[\w-])")


def _iterate_members(value: Any) -> Iterable[tuple[str, Any]]:
    """Return the members of an object, with keys as JSON writes them."""
    return ((str(key), part) for key, part in cast(dict[Any, Any], value).items())


def expand_secret(secret: str) -> Iterable[str]:
    """Yield a secret in the forms that it may be written in: plain, in URLs, in JSON, and in base64."""
    quoted = (quote(secret, safe=""), quote_plus(secret), quote(secret))
    yield from (secret, *quoted, *(re.sub("%..", lambda code: code[0].lower(), form) for form in quoted))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    # Base64 encodes three bytes at a time, so a secret within a longer text has three forms. The characters at either
    # end that also depend on the neighbouring bytes are cut off; what is left occurs in every encoding of the text.
    raw = secret.encode()
    for encode in (b64encode, urlsafe_b64encode):
        for shift in range(3):
            whole = encode(b"\0" * shift + raw).decode().rstrip("=")
            inner = whole[(0, 2, 3)[shift] : len(whole) - (1 if (len(raw) + shift) % 3 else 0)]
            # Shorter ones would match text by chance.
            if len(inner) >= 8:
                yield inner
