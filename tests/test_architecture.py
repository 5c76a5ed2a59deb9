"""ARCHITECTURE.md names what is there, every folder of the package has its row, and every public name one home."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOMES = ("foundations", "gates", "compiler", "runners", "site", "toolgrade")
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `([a-z_/]+/)` \| (.+) \|$", TEXT, re.MULTILINE))


def list_modules() -> list[Path]:
    """Return the modules of the package; the links in toolgrade/ are not followed."""
    files = sorted(file for home in HOMES for file in (ROOT / home).rglob("*.py"))
    return [file for file in files if not any(part.is_symlink() for part in file.parents)]


MODULES = list_modules()


def iterate_definitions(file: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yield the public functions and classes of a module."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node


def test_every_path_that_the_text_names_exists() -> None:
    paths = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", TEXT)
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("folder", ROWS)
def test_every_module_that_a_row_of_the_map_names_exists(folder: str) -> None:
    named = re.findall(r"`([a-z_0-9]+)`", ROWS[folder])
    assert [name for name in named if not (ROOT / folder / f"{name}.py").exists()] == []


def test_every_folder_of_the_package_has_a_row() -> None:
    folders = {f"{file.parent.relative_to(ROOT).as_posix()}/" for file in MODULES}
    assert folders - ROWS.keys() == set()


def test_no_public_name_is_defined_twice() -> None:
    times = Counter(node.name for file in MODULES for node in iterate_definitions(file))
    assert [name for name, number in times.items() if number > 1] == []


@pytest.mark.parametrize("home", HOMES)
def test_every_public_function_and_class_has_a_docstring(home: str) -> None:
    files = [file for file in MODULES if file.is_relative_to(ROOT / home)]
    bare = [
        (file.stem, node.name) for file in files for node in iterate_definitions(file) if not ast.get_docstring(node)
    ]
    assert bare == []
