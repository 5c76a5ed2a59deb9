"""The suites that tests of the compiler share: the golden mistakes, and suites that compile."""

from pathlib import Path
from typing import Any

from toolgrade.compiler.compile import Compilation, Source, compile_sources
from toolgrade.compiler.render import render_full
from toolgrade.runners.suite_files import catalogs_in

TESTS = Path(__file__).parents[1]
MISTAKES = TESTS / "golden" / "compiler"
CASES = sorted(folder.name for folder in MISTAKES.iterdir() if folder.is_dir())
VALID = sorted([*(TESTS / "compiler" / "valid").glob("*.yml"), *(TESTS / "conformance").glob("*.yml")])


def mistake(case: str) -> list[Source]:
    """The suite files of a golden case; most have one."""
    folder = MISTAKES / case
    return [Source(file.name, file.read_bytes(), tools_of=catalogs_in(folder)) for file in sorted(folder.glob("*.yml"))]


def render(compilation: Compilation) -> str:
    """What `toolgrade check` shows."""
    return render_full(compilation.diagnostics, compilation.texts)


def render_sources(sources: list[Source], loader: Any = None) -> str:
    """What `toolgrade check` shows of these sources."""
    return render(compile_sources(sources, loader))
