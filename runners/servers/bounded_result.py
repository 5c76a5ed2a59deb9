"""Results that are too long to keep: cut, with their length and hash in place of what is gone."""

import json
import re
from hashlib import sha256
from typing import Any, cast

from ...foundations.canonical_json import digest_bytes

_LONG_TEXT = 16 * 1024
_HEAD = 1024
_WORDS = re.compile(r".*\s", re.DOTALL)


def cut_result(value: Any, most_bytes: int) -> Any:
    """Return a JSON value of at most about `most_bytes`; equal values are cut equally."""
    whole = _encode_json(value)
    if len(whole) <= most_bytes:
        return value
    shorter = _cut_long_texts(value)
    if len(_encode_json(shorter)) <= most_bytes:
        return shorter
    return {"cut": {"bytes": len(whole), "sha256": sha256(whole).hexdigest()}}


def _cut_long_texts(value: Any) -> Any:
    if isinstance(value, str):
        return cut_result_text(value, _LONG_TEXT)
    if isinstance(value, dict):
        return {key: _cut_long_texts(part) for key, part in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_cut_long_texts(part) for part in cast(list[Any], value)]
    return value


def cut_result_text(text: str, most_bytes: int) -> str:
    """Return the text, or its beginning with the length and hash of the whole.

    It is cut between words: redaction comes later, and would not know half a secret.
    """
    whole = text.encode("utf-8", "surrogatepass")
    if len(whole) <= most_bytes:
        return text
    head = _WORDS.match(text[:_HEAD])
    return f"{head[0] if head else ''}… [cut: {len(whole)} bytes, {digest_bytes(whole)}]"


def _encode_json(value: Any) -> bytes:
    # Sorted: a server may send equal values with their keys in another order.
    return json.dumps(value, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
