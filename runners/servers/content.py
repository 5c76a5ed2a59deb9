"""The content of a tool's result: what is kept of it, and what an agent gets to read."""

import json
from collections.abc import Mapping
from typing import Any, cast

_NOT_KEPT = ("_meta", "resultType", "isError")
"""Fields that differ between protocol versions, or that the call's status says."""


def filter_result_fields(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a result that are kept; none if the tool answered with nothing."""
    kept = {key: value for key, value in raw.items() if key not in _NOT_KEPT}
    return {key: value for key, value in kept.items() if not (key == "content" and value == [])}


def format_result_text(result: Mapping[str, Any]) -> str:
    """Return a result as text: its text blocks, a description of other blocks, or its structured content as JSON."""
    blocks = result.get("content")
    if isinstance(blocks, list) and blocks:
        return "\n".join(_format_block(block) for block in cast(list[Any], blocks))
    structured = result.get("structuredContent")
    return "" if structured is None else json.dumps(structured, ensure_ascii=False)


def _format_block(block: Any) -> str:
    if not isinstance(block, dict):
        return json.dumps(block, ensure_ascii=False)
    part = cast(dict[str, Any], block)
    if isinstance(part.get("text"), str):
        return part["text"]
    resource = part.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("text"), str):  # pyright: ignore[reportUnknownMemberType]
        return cast(str, resource["text"])
    about = [str(part[key]) for key in ("type", "mimeType", "uri", "name") if isinstance(part.get(key), str)]
    data = part.get("data")
    size = [f"{len(data)} characters"] if isinstance(data, str) else []
    return f"[{', '.join([*about, *size])}]"
