"""The one serializer: same values, same bytes, for every file the project writes."""

from hashlib import sha256
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted", decimal_format="string")


def to_json(value: Any) -> bytes:
    """Sorted keys, two-space indent, UTF-8, a final newline."""
    return msgspec.json.format(_ENCODER.encode(value), indent=2) + b"\n"


def digest_json(value: Any) -> str:
    """The sha256 of a value's compact canonical form."""
    return f"sha256:{sha256(_ENCODER.encode(value)).hexdigest()}"
