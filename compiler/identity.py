"""Makes stable, file-safe names for suites, tests and models."""

import re
import unicodedata

from ..foundations.canonical_json import digest_short

_MAX_SLUG = 48
_UNSAFE = re.compile(r"[^a-z0-9]+")
_SAFE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
# Names of devices on Windows, with any suffix.
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])")


def make_slug(name: str) -> str:
    """Return the readable part of a name: lower-case ASCII letters and digits, joined by dashes."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _UNSAFE.sub("-", ascii_name).strip("-")[:_MAX_SLUG].rstrip("-")


def make_hashed_slug(name: str) -> str:
    """Return a file name that no other name shares, on any file system."""
    # The slug alone is not unique: `a b` and `a-b` have the same.
    h8 = digest_short(name.encode("utf-8"))
    return f"{make_slug(name)}-{h8}".lstrip("-")


def make_suite_id(name: str) -> str:
    """Return the folder of a suite: its name if that is safe on every file system, else a hashed slug."""
    is_safe = _SAFE.fullmatch(name) and not _RESERVED.fullmatch(name)
    return name if is_safe else make_hashed_slug(name)
