"""Paths as a caller gives them: one, or several, as text or as `Path`."""

from collections.abc import Iterable
from os import PathLike, fspath
from typing import cast

from .fault import BadInput

StrPath = str | PathLike[str]
Paths = StrPath | Iterable[StrPath]


def list_paths(paths: Paths) -> list[str]:
    """Return one path, or each of several, as text. Raise `BadInput` if something among them is not a path."""
    if isinstance(paths, Iterable) and not isinstance(paths, str | bytes | PathLike):
        return [_to_text(path) for path in paths]
    return [_to_text(paths)]


def _to_text(path: object) -> str:
    text: object = fspath(cast(StrPath, path)) if isinstance(path, str | PathLike) else None
    if not isinstance(text, str) or "\0" in text:
        raise BadInput(f"{path!r:.80} is not a path", "give text, a `pathlib.Path`, or a list of them")
    return text
