"""Finding and reading suite files on disk."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..compiler.catalogs import ToolsOf
from ..compiler.compilation import Compilation, SuiteSource, compile_sources
from ..compiler.plan import Plan
from ..compiler.yaml_reader import MAX_BYTES
from ..foundations.fault import BadInput
from ..foundations.paths import Paths, list_paths
from ..foundations.suggestion import format_suggestion

SUFFIXES = (".yml", ".yaml")
DEFAULT_FOLDER = "suites"


class NotCompiled(BadInput):
    """Suites that do not compile; `compilation` has what is wrong with them."""

    def __init__(self, compilation: Compilation) -> None:
        from ..compiler.diagnostic_output import render_concise

        help_ = "`toolgrade check` shows each mistake at its line"
        super().__init__(render_concise(compilation.errors).rstrip("\n"), help_)
        self.compilation = compilation


def compile_suites(suites: Paths = ()) -> Compilation:
    """Compile suite files and folders, or `suites/` if none is named. Raise `BadInput` if one cannot be read."""
    return compile_sources(read_suites(suites))


def load_plan(*suites: Paths | Plan | Compilation) -> Plan:
    """Return the plan of suite files and folders, or of `suites/` if none is named; a plan is returned as it is.

    Raise `NotCompiled` if the suites have errors, and `BadInput` if one cannot be read.
    """
    match suites:
        case (Plan() as plan,):
            return plan
        case (Compilation() as compilation,):
            pass
        case _:
            compilation = compile_suites([path for entry in suites for path in list_paths(_require_paths(entry))])
    if compilation.plan is None:
        raise NotCompiled(compilation)
    return compilation.plan


def _require_paths(suites: Paths | Plan | Compilation) -> Paths:
    if isinstance(suites, Plan | Compilation):
        raise BadInput("a plan stands for all suites", "give one plan, or paths alone")
    return suites


def map_suite_folders(compilation: Compilation) -> dict[str, Path]:
    """Return the folder of each suite's file, by the suite's id."""
    suites = compilation.plan.suites if compilation.plan else ()
    return {suite.id: Path(file).parent for suite, file in zip(suites, compilation.texts, strict=True)}


def read_suites(arguments: Paths) -> list[SuiteSource]:
    """Return the named suite files, each once and in a fixed order. Raise `BadInput` if one cannot be read."""
    sources: dict[Path, SuiteSource] = {}
    for argument in list_paths(arguments) or (DEFAULT_FOLDER,):
        for path in _find_suite_files(Path(argument)):
            source = SuiteSource(
                path.as_posix(), _read_suite(path), _get_display_path(path, argument), make_catalog_reader(path.parent)
            )
            # By resolved path: `suites suites/git.yml` names a file twice and compiles it once.
            sources.setdefault(path.resolve(), source)
    return list(sources.values())


def make_catalog_reader(folder: Path) -> ToolsOf:
    """Return a function that reads the tool names of frozen catalogs below a folder, or says why it cannot."""

    def read_tool_names(name: str) -> frozenset[str] | str:
        # Imported here: most suites name no frozen catalog, and need not load its module.
        from .catalogs.frozen_catalog import read_catalog

        path = folder / name
        # A suite may come from a stranger: neither `..` nor a link may read a file outside its folder.
        if not path.resolve().is_relative_to(folder.resolve()):
            return f"{name}: leads out of the suite's folder"
        try:
            return frozenset(tool["name"] for tool in read_catalog(path).tools)
        except BadInput as error:
            return str(error).replace(str(path), name)

    return read_tool_names


def _find_suite_files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        files = sorted(_walk_suite_files(path), key=lambda file: file.as_posix())
        if not files:
            raise BadInput(f"{path}: no suite here (*.yml or *.yaml)", "write one, or name another folder")
        yield from files
    elif path.exists():
        yield path
    else:
        raise BadInput(f"{path}: no such file or folder", _find_suggestion(path))


def _walk_suite_files(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        # In place, so that os.walk does not enter .venv and the like, which hold other people's YAML.
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent) / name for name in files if name.endswith(SUFFIXES) and not name.startswith("."))


def _read_suite(path: Path) -> bytes:
    try:
        # Before it is opened: opening a named pipe would block.
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadInput(f"{path}: not a regular file")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one more than allowed: the compiler then reports the size
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None


def _get_display_path(path: Path, argument: str) -> str:
    """Return the path for plans and reports: relative, so that it is the same on every machine."""
    whole = path.resolve()
    root = Path.cwd()
    if not whole.is_relative_to(root):
        given = Path(argument).resolve()
        root = given.parent
    return whole.relative_to(root).as_posix() if whole.is_relative_to(root) else path.name


def _find_suggestion(path: Path) -> str | None:
    try:
        siblings = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return None
    return format_suggestion(path.name, siblings)
