"""Mistakes that people make, each with the message they get: a folder a case."""

import re
from pathlib import Path

import pytest

from tests.compiler.corpus import CASES, MISTAKES, VALID, mistake, render_sources
from tests.conftest import Golden
from toolgrade.compiler.codes import CODES
from toolgrade.compiler.compilation import compile_sources, compile_text

TOO_LARGE_FOR_A_GOLDEN_FILE = "TG002"


@pytest.mark.parametrize("case", CASES)
def test_mistake_is_told_as_in_the_golden_file(case: str, golden: Golden) -> None:
    golden(render_sources(mistake(case)), MISTAKES / case / "expected.txt")


@pytest.mark.parametrize("case", CASES)
def test_mistake_is_told_on_a_line_of_the_file_without_foreign_words(case: str) -> None:
    compilation = compile_sources(mistake(case))
    assert compilation.diagnostics
    for diagnostic in compilation.diagnostics:
        lines = len(re.split(r"\r\n?|\n", compilation.texts[diagnostic.file].text))
        assert 1 <= diagnostic.line <= lines or diagnostic.code == "TG003"
        assert diagnostic.column >= 1
        assert not re.search(r"pydantic|Traceback|Error:|object at 0x|input_value", diagnostic.message)


def test_every_code_has_a_golden_mistake() -> None:
    shown = "".join((MISTAKES / case / "expected.txt").read_text(encoding="utf-8") for case in CASES)
    assert sorted({*re.findall(r"\[(TG\d+)\]", shown), TOO_LARGE_FOR_A_GOLDEN_FILE}) == sorted(CODES)


def test_every_case_differs_from_the_others() -> None:
    assert len({tuple(source.data for source in mistake(case)) for case in CASES}) == len(CASES) >= 45


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.name)
def test_valid_suite_has_no_error(file: Path) -> None:
    assert compile_text(file.read_bytes(), file.name).errors == ()
