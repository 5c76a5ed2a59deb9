"""The plan holds no positions; places are found again in the text."""

import pytest

from toolgrade.compiler.compilation import compile_text
from toolgrade.compiler.suite_locations import SuiteLocation, SuiteLocations

SUITE = """\
agents:
  - name: asks
    prompt: What?
    servers: [docs]
    equal_function_sets: {classes: [{name: a, members: [b]}]}
servers: {docs: {command: [docs]}}
tests:
  - prompt: Why?
    "name": "answers"
    servers: [docs]
    tool_correctness:
      expected_tools: [a]
    expect:
      - final_response: {contains: x}
"""
PLACES: dict[tuple[str, str | None], tuple[int, int]] = {
    ("asks", None): (2, 11),
    ("asks", "equal_function_sets"): (5, 5),
    ("answers", None): (9, 13),
    ("answers", "tool_correctness"): (11, 5),
    ("answers", "expect"): (13, 5),
    ("answers", "no such gate"): (8, 5),
    ("no such test", None): (1, 1),
}


@pytest.mark.parametrize("asked", PLACES)
@pytest.mark.parametrize("text", [SUITE, SUITE.replace("\n", "\r\n"), f"\ufeff{SUITE}"], ids=["lf", "crlf", "bom"])
def test_a_test_and_its_gates_are_found(text: str, asked: tuple[str, str | None]) -> None:
    places = SuiteLocations(compile_text(text, "some/shop.yml"))
    assert places.find_test("shop", *asked) == SuiteLocation("some/shop.yml", *PLACES[asked])


def test_a_suite_that_does_not_compile_has_no_places() -> None:
    with pytest.raises(KeyError):
        SuiteLocations(compile_text("tests: []", "shop.yml")).find_test("shop", "asks")
