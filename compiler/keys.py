"""The keys that the language knows at a place, read off its own JSON Schema."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from .diagnostic import Path
from .schema import json_schema


def keys_at(path: Path) -> list[str]:
    """Every key that may stand in the mapping at a path."""
    schema = _schema()
    nodes = [schema]
    for step in path:
        nodes = [below for node in nodes for below in _below(schema, node, step)]
    return list(
        dict.fromkeys(key for node in nodes for real in _branches(schema, node) for key in real.get("properties", {}))
    )


@lru_cache(maxsize=1)
def _schema() -> dict[str, Any]:
    return json_schema()


def _below(schema: dict[str, Any], node: dict[str, Any], step: str | int) -> Iterator[dict[str, Any]]:
    for real in _branches(schema, node):
        if isinstance(step, int):
            found = [real.get("items")]
        else:
            any_key = [real.get("additionalProperties"), *real.get("patternProperties", {}).values()]
            found = [real["properties"][step]] if step in real.get("properties", {}) else any_key
        yield from (cast(dict[str, Any], below) for below in found if isinstance(below, dict))


def _branches(schema: dict[str, Any], node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in node:
        yield from _branches(schema, schema["$defs"][node["$ref"].rsplit("/", 1)[-1]])
    elif branches := node.get("oneOf") or node.get("anyOf"):
        for branch in branches:
            yield from _branches(schema, branch)
    else:
        yield node
