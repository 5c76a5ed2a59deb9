"""The homes are top-level folders and subpackages of toolgrade: the wheel, the links and the list agree."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
HOMES = ("foundations", "gates", "compiler", "runners", "site")
MACHINE_PATH = re.compile(r"(^|[^\w.])/(work|root)/", re.MULTILINE)
REGISTRY = re.compile(r"files\.pythonhosted|registry\.npmjs|deb\.debian|pypi\.org/simple")

IMPORT_ALL = """
import importlib, pkgutil, toolgrade
print(toolgrade.__file__)
for module in pkgutil.walk_packages(toolgrade.__path__, "toolgrade."):
    print(importlib.import_module(module.name).__file__)
"""


@pytest.fixture(scope="module")
def files() -> tuple[PurePosixPath, ...]:
    """What is, or is about to be, under version control; a link is one entry and is not followed."""
    git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = sorted({name for name in listed.split("\0") if name})
    return tuple(PurePosixPath(name) for name in names if (ROOT / name).exists())


@pytest.fixture(scope="module")
def setuptools_table() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


@pytest.fixture(scope="module")
def wheel(files: tuple[PurePosixPath, ...], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A wheel built from a copy of the tree without a network, and what the build printed."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in files:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
    printed = run_pip("wheel", "--verbose", "--no-deps", "--no-build-isolation", "--wheel-dir", out, tree)
    (built,) = out.iterdir()
    return built, printed


@pytest.fixture(scope="module")
def in_wheel(wheel: tuple[Path, str]) -> set[str]:
    return {name for name in ZipFile(wheel[0]).namelist() if ".dist-info/" not in name}


def run_pip(*args: str | Path) -> str:
    command = [sys.executable, "-m", "pip", *map(str, args)]
    env = {**os.environ, "PIP_NO_INDEX": "1", "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def name_in_package(file: PurePosixPath) -> PurePosixPath:
    return "toolgrade" / file if file.parts[0] in HOMES else file


def is_of_package(file: PurePosixPath) -> bool:
    return file.parts[0] in ("toolgrade", *HOMES) and not (ROOT / file).is_symlink()


def test_every_folder_of_code_or_data_is_declared_as_a_package(
    files: tuple[PurePosixPath, ...], setuptools_table: dict[str, Any]
) -> None:
    folders = {name_in_package(file).parent for file in files if is_of_package(file)}
    assert sorted(setuptools_table["packages"]) == sorted(".".join(folder.parts) for folder in folders)


def test_every_home_is_mapped_to_its_subpackage(setuptools_table: dict[str, Any]) -> None:
    assert setuptools_table["package-dir"] == {f"toolgrade.{home}": home for home in HOMES}


@pytest.mark.parametrize("home", HOMES)
def test_a_link_leads_editors_to_the_home(home: str) -> None:
    link = ROOT / "toolgrade" / home
    assert link.is_symlink()
    assert link.readlink() == Path("..", home)
    assert (link / "__init__.py").is_file()


def test_the_wheel_holds_the_files_of_the_package_and_nothing_else(
    files: tuple[PurePosixPath, ...], in_wheel: set[str]
) -> None:
    assert in_wheel == {str(name_in_package(file)) for file in files if is_of_package(file)}
    assert "toolgrade/py.typed" in in_wheel


def test_the_build_prints_no_warning(wheel: tuple[Path, str]) -> None:
    assert not re.findall(r".*(?:warning|deprecat).*", wheel[1], re.IGNORECASE)


def test_every_module_of_the_installed_wheel_imports(
    wheel: tuple[Path, str], in_wheel: set[str], tmp_path: Path
) -> None:
    target = tmp_path / "target"
    run_pip("install", "--quiet", "--no-deps", "--target", target, wheel[0])
    env = {**os.environ, "PYTHONPATH": str(target)}
    command = [sys.executable, "-W", "error", "-c", IMPORT_ALL]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    imported = {Path(line).relative_to(target).as_posix() for line in done.stdout.splitlines()}
    assert imported == {name for name in in_wheel if name.endswith(".py")}


def test_no_mkdocs_file_at_the_root_lets_a_plain_build_empty_the_site_home() -> None:
    assert list(ROOT.glob("mkdocs.y*ml")) == []


@pytest.mark.parametrize("home", HOMES)
def test_git_ignores_no_home(home: str) -> None:
    ask = ["git", "check-ignore", "--no-index", "--quiet", f"{home}/new.py"]
    assert subprocess.run(ask, cwd=ROOT, check=False).returncode == 1


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY], ids=["path", "registry"])
def test_no_file_names_a_local_path_or_a_registry(pattern: re.Pattern[str], files: tuple[PurePosixPath, ...]) -> None:
    texts = ((file, (ROOT / file).read_bytes()) for file in files if (ROOT / file).is_file())
    assert [str(file) for file, text in texts if pattern.search(text.decode(errors="replace"))] == []


def test_constraints_pin_every_requirement_within_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    comment, *lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert comment.startswith("# ")
    pins = dict(line.split("==") for line in lines)
    assert len(pins) == len(lines)
    pinned = {canonicalize_name(name): version for name, version in pins.items()}
    extras = project["optional-dependencies"]
    requirements = map(Requirement, project["dependencies"] + extras["models"] + extras["dev"])
    for requirement in (found for found in requirements if found.name != project["name"]):
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier
