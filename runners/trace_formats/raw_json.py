"""A look at JSON that is left undecoded."""

import msgspec
from msgspec import UnsetType

_TEXT = msgspec.json.Decoder(str)


def first_bytes(raw: msgspec.Raw | UnsetType, count: int = 1) -> bytes:
    """Return the first bytes of a value, or none if it is not there."""
    return b"" if isinstance(raw, UnsetType) else bytes(memoryview(raw)[:count])


def text_of(raw: msgspec.Raw | UnsetType) -> str | None:
    """Return the text of a value, or None if it is anything else."""
    return _TEXT.decode(raw) if not isinstance(raw, UnsetType) and first_bytes(raw) == b'"' else None
