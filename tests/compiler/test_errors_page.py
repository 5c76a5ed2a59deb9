"""`docs/errors.md` is made from the table of codes, with findings as the compiler makes them."""

from pathlib import Path

from tests.compiler.corpus import CASES, mistake
from tests.conftest import Golden
from toolgrade.compiler.codes import CODES
from toolgrade.compiler.compilation import Compilation, compile_sources, compile_text
from toolgrade.compiler.diagnostic_output import render_full
from toolgrade.compiler.errors_page import render_errors_page
from toolgrade.compiler.yaml_reader import MAX_BYTES

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"


def examples() -> dict[str, str]:
    """For each code the shortest of the golden findings that has a help line, as that shows it best."""
    found: dict[str, list[str]] = {code: [] for code in CODES}
    too_large = compile_text(b" " * (MAX_BYTES + 1))
    for compilation in (too_large, *(compile_sources(mistake(case)) for case in CASES)):
        for code, shown in findings(compilation):
            found[code].append(shown)
    return {
        code: min(shown, key=lambda text: (" = help: " not in text, len(text), text)) for code, shown in found.items()
    }


def findings(compilation: Compilation) -> list[tuple[str, str]]:
    return [(found.code, render_full([found], compilation.texts)) for found in compilation.diagnostics]


def test_the_page_is_what_the_table_of_codes_makes(golden: Golden) -> None:
    golden(render_errors_page(examples()), PAGE)


def test_every_code_has_its_place_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [line[4:9] for line in page.splitlines() if line.startswith("### ")] == list(CODES)
