"""Four renderers of the same findings, each with its own golden file."""

import json
from pathlib import Path

import pytest

from tests.conftest import Golden
from toolgrade.compiler.compilation import compile_text
from toolgrade.compiler.diagnostic_output import render_concise, render_full, render_github, render_json
from toolgrade.foundations.untrusted_text import make_visible

HOME = Path(__file__).parents[1] / "golden" / "render"
SUITE = """\
servers: {search: {command: [search-server]}}
tests:
  - name: "100% sure: a, b\\n::add-mask::x"
    agent: nobody\u202e
    servers: [serch]
    tool_correctness: {expected_tools: [検索.web, "a\\x1b[31mb"], treshold: 0.5}
  - name: finds it
    expect: [{turns: {"<=": 3}, cost: {"<": 1}}]
  - name: finds it
    expect: [{turns: {"<=": 3}}]
"""
FOUND = compile_text(SUITE, "suites/a, b.yml")


def test_full_shows_each_finding_under_its_line(golden: Golden) -> None:
    golden(render_full(FOUND.diagnostics, FOUND.texts), HOME / "full.txt")


def test_concise_is_a_line_each(golden: Golden) -> None:
    golden(render_concise(FOUND.diagnostics), HOME / "concise.txt")


def test_json_is_a_list_of_objects(golden: Golden) -> None:
    golden(render_json(FOUND.diagnostics), HOME / "json.json")


def test_github_is_a_workflow_command_each(golden: Golden) -> None:
    golden(render_github(FOUND.diagnostics), HOME / "github.txt")


def test_every_renderer_tells_of_every_finding_in_the_same_order() -> None:
    codes = [found.code for found in FOUND.diagnostics]
    assert len(set(codes)) >= 5
    assert [row["code"] for row in json.loads(render_json(FOUND.diagnostics))] == codes
    for text in (render_concise(FOUND.diagnostics), render_github(FOUND.diagnostics)):
        assert [code for line, code in zip(text.splitlines(), codes, strict=True) if code in line] == codes


def test_lines_and_columns_count_from_one() -> None:
    assert (FOUND.diagnostics[0].line, FOUND.diagnostics[0].column) >= (1, 1)
    (row,) = json.loads(render_json(compile_text("tests: 1\n").errors))
    assert (row["line"], row["column"]) == (1, 8)


@pytest.mark.parametrize("render", [render_concise, render_github], ids=["concise", "github"])
def test_nothing_of_an_author_starts_a_line_or_steers_a_terminal(render: object) -> None:
    assert callable(render)
    text = str(render(FOUND.diagnostics))
    assert not [line for line in text.splitlines() if line.startswith("::add-mask")]
    assert len(text.splitlines()) == len(FOUND.diagnostics)


def test_no_finding_is_no_text() -> None:
    assert render_full((), {}) == render_concise(()) == render_github(()) == ""
    assert json.loads(render_json(())) == []


def test_what_hides_or_steers_is_written_out() -> None:
    assert make_visible("a\x1b[31m\u202eb\u200b\nc\td\x00") == "a\\u001b[31m\\u202eb\\u200b\\nc d\\u0000"


def test_a_style_is_given_for_each_part_that_has_one() -> None:
    text = render_full(FOUND.diagnostics[:1], FOUND.texts, lambda part, style: f"<{style}>{part}</{style}>")
    severity = FOUND.diagnostics[0].severity
    assert text.startswith(f"<{severity}>{severity}[{FOUND.diagnostics[0].code}]</{severity}>: ")
