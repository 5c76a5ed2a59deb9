"""Finds the keys that the language knows at a path, from its own JSON Schema."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from ..gates.registry import GateDescription, list_gates
from .diagnostic import Path
from .schema import build_json_schema


def find_known_keys(path: Path) -> list[str]:
    """Return every key that the mapping at a path may have."""
    schema = _get_schema(list_gates())
    nodes = [schema]
    for step in path:
        nodes = [below for node in nodes for below in _find_children(schema, node, step)]
    return list(
        dict.fromkeys(
            key for node in nodes for real in _expand_branches(schema, node) for key in real.get("properties", {})
        )
    )


# Only mistakes need it, and building it takes a while: once for each set of gates.
@lru_cache(maxsize=1)
def _get_schema(_gates: tuple[GateDescription, ...]) -> dict[str, Any]:
    return build_json_schema()


def _find_children(schema: dict[str, Any], node: dict[str, Any], step: str | int) -> Iterator[dict[str, Any]]:
    for real in _expand_branches(schema, node):
        if isinstance(step, int):
            found = [real.get("items")]
        else:
            any_key = [real.get("additionalProperties"), *real.get("patternProperties", {}).values()]
            found = [real["properties"][step]] if step in real.get("properties", {}) else any_key
        yield from (cast(dict[str, Any], below) for below in found if isinstance(below, dict))


def _expand_branches(schema: dict[str, Any], node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in node:
        yield from _expand_branches(schema, schema["$defs"][node["$ref"].rsplit("/", 1)[-1]])
    elif branches := node.get("oneOf") or node.get("anyOf"):
        for branch in branches:
            yield from _expand_branches(schema, branch)
    else:
        yield node
