"""Stable, file-safe names for suites, tests and models, whatever they are called."""

import re
import unicodedata

from ..foundations.canonical_json import digest_short

_MAX_SLUG = 48
_UNSAFE = re.compile(r"[^a-z0-9]+")
_SAFE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])")


def make_slug(name: str) -> str:
    """The readable part: lower-case ASCII letters and digits, joined by dashes."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _UNSAFE.sub("-", ascii_name).strip("-")[:_MAX_SLUG].rstrip("-")


def make_hashed_slug(name: str) -> str:
    """A file name that no other name shares, on any file system."""
    h8 = digest_short(name.encode("utf-8"))
    return f"{make_slug(name)}-{h8}".lstrip("-")


def make_suite_id(name: str) -> str:
    """A suite's folder: its name where that is safe as it stands, else a hashed slug."""
    is_safe = _SAFE.fullmatch(name) and not _RESERVED.fullmatch(name)
    return name if is_safe else make_hashed_slug(name)
