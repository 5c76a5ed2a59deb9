"""Puts new pages in place: they are built aside and moved file by file, so the site is always complete."""

import glob
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..foundations.fault import BadInput, Fault

MARK = "index.json"
"""The file that says that a folder is a site of ours; written last."""

_STAGE = ".toolgrade"
_ABANDONED_S = 3600


def check_output_folder(out: Path) -> None:
    """Raise `BadInput` if a site would overwrite files: Python sources, or anything that is not a site of ours."""
    if not out.exists():
        return
    if not out.is_dir():
        raise BadInput(f"{out}: not a folder", "give another with --out")
    # In a checkout of toolgrade, `site/` holds the sources of this package.
    if any(path.suffix == ".py" for path in out.iterdir()):
        raise BadInput(f"{out}: this folder holds Python files", "give another with --out, such as build/site")
    # GitHub Pages keeps a CNAME file in the folder that it serves.
    others = [path.name for path in out.iterdir() if not path.name.startswith(".") and path.name != "CNAME"]
    if others and MARK not in others:
        raise BadInput(f"{out}: this folder is not empty, and no report site", "give another with --out")


@contextmanager
def open_staging_folder(out: Path) -> Generator[Path]:
    """Yield a folder beside the site, on the same disk.

    Raise `Fault` if the site cannot be written; the site that exists is then unchanged.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(out)
        names = {"prefix": f".{out.name}-", "suffix": _STAGE}
        # A rename is atomic on one file system only.
        with tempfile.TemporaryDirectory(dir=out.parent, ignore_cleanup_errors=True, **names) as folder:
            yield Path(folder)
    except OSError as error:
        what = error.strerror or str(error)
        raise Fault(f"could not write {out}: {what}", "the site that was there is as it was") from None


def _remove_abandoned(out: Path) -> None:
    """Remove the staging folders of builds that were killed; younger ones may still be in use."""
    # Old enough that no build can still be at work in it.
    for folder in out.parent.glob(f".{glob.escape(out.name)}-*{_STAGE}"):
        if time.time() - folder.stat().st_mtime > _ABANDONED_S:
            remove_folder(folder)


def move_files(source: Path, target: Path, *, last: tuple[str, ...] = ()) -> None:
    """Move every file to its place, deepest first, so that a page comes after the pages it links to."""
    # One rename for a folder that is new: no reader can see half of it.
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        return
    for file in sorted(_list_files(source), key=lambda path: _rank_path(path.relative_to(source), last)):
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        file.replace(place)


def remove_unwanted_files(folder: Path, wanted: set[str]) -> None:
    """Remove the files that are not in a set of relative paths, and folders that become empty."""
    # Reverse order visits the content of a folder before the folder.
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in wanted:
            path.unlink()


def remove_folder(folder: Path) -> None:
    """Remove a folder and its content; ignore errors."""
    shutil.rmtree(folder, ignore_errors=True)


def list_relative_paths(folder: Path) -> set[str]:
    """Return the relative paths of all files below a folder."""
    return {path.relative_to(folder).as_posix() for path in _list_files(folder)}


def _list_files(folder: Path) -> list[Path]:
    return [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]


def _rank_path(path: Path, last: tuple[str, ...]) -> tuple[int, int, bool, str]:
    name = path.as_posix()
    # Files in `last` come at the end; the deepest come first, and an index.html after its siblings.
    return last.index(name) + 1 if name in last else 0, -len(path.parts), path.name == "index.html", name
