"""The suites that tests of the compiler share: the golden mistakes, and suites that compile."""

from pathlib import Path
from typing import Any

from toolgrade.compiler.compilation import Compilation, SuiteSource, compile_sources
from toolgrade.compiler.diagnostic_output import render_full
from toolgrade.runners.suite_files import make_catalog_reader

TESTS = Path(__file__).parents[1]
MISTAKES = TESTS / "golden" / "compiler"
CASES = sorted(folder.name for folder in MISTAKES.iterdir() if folder.is_dir())
VALID = sorted([*(TESTS / "compiler" / "valid").glob("*.yml"), *(TESTS / "conformance").glob("*.yml")])


def mistake(case: str) -> list[SuiteSource]:
    """The suite files of a golden case; most have one."""
    folder = MISTAKES / case
    return [
        SuiteSource(file.name, file.read_bytes(), tools_of=make_catalog_reader(folder))
        for file in sorted(folder.glob("*.yml"))
    ]


def render(compilation: Compilation) -> str:
    """What `toolgrade check` shows."""
    return render_full(compilation.diagnostics, compilation.texts)


def render_sources(sources: list[SuiteSource], loader: Any = None) -> str:
    """What `toolgrade check` shows of these sources."""
    return render(compile_sources(sources, loader))
