"""Reads raw values of a suite whose types are not checked yet; wrong types are skipped, as validation reports them."""

from collections.abc import Iterator
from typing import Any, cast

from ..gates.registry import GATES
from .diagnostic import Path

Entry = tuple[Path, dict[str, Any]]


def iterate_entries(value: dict[str, Any], section: str) -> Iterator[Entry]:
    """Yield the mappings in a list, each with its path."""
    found = value.get(section)
    for index, entry in enumerate(cast(list[Any], found) if isinstance(found, list) else []):
        if isinstance(entry, dict):
            yield (section, index), cast(dict[str, Any], entry)


def iterate_texts(value: object) -> Iterator[tuple[int, str]]:
    """Yield the texts of a list, each with its index."""
    for index, item in enumerate(cast(list[object], value) if isinstance(value, list) else []):
        if isinstance(item, str):
            yield index, item


def list_texts(value: object) -> list[str]:
    """Return the texts of a list, or the keys of a mapping."""
    items = cast(list[object], list(cast(Any, value))) if isinstance(value, list | dict) else []
    return [item for item in items if isinstance(item, str)]


def iterate_gate_blocks(path: Path, gate: str, test: dict[str, Any]) -> Iterator[tuple[Path, object]]:
    """Yield the block of a gate with its path, or each of a list of blocks that are for different models."""
    authored = test.get(gate)
    items = cast(list[object], authored) if isinstance(authored, list) else []
    if GATES[gate].can_differ_by_model and any(isinstance(item, dict) for item in items):
        yield from (((*path, gate, index), item) for index, item in enumerate(items))
    elif authored is not None:
        yield (*path, gate), authored
