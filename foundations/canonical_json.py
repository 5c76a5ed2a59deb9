"""The one serializer and its digests: the same values give the same bytes, in every file that the project writes."""

from hashlib import sha256
from typing import Any

import msgspec

# Decimals as text: JSON numbers are read back as floats, and 0.1 dollars would no longer be a tenth.
_ENCODER = msgspec.json.Encoder(order="sorted", decimal_format="string")


def to_json(value: Any) -> bytes:
    """Return a value as a file's bytes: sorted keys, two-space indent, UTF-8, a final newline."""
    return msgspec.json.format(_ENCODER.encode(value), indent=2) + b"\n"


def encode_compact(value: Any) -> bytes:
    """Return a value as JSON on one line, with sorted keys."""
    return _ENCODER.encode(value)


def digest_json(value: Any) -> str:
    """Return `sha256:` and the digest of a value's compact form."""
    return digest_bytes(_ENCODER.encode(value))


def digest_bytes(data: bytes) -> str:
    """Return `sha256:` and the digest of bytes."""
    return f"sha256:{sha256(data).hexdigest()}"


def digest_short(data: bytes) -> str:
    """Return the first 8 hexadecimal digits of the sha256: enough to tell names apart, not to protect anything."""
    return sha256(data).hexdigest()[:8]
