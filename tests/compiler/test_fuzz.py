"""Whatever is written into a suite, the compiler gives a plan or says what is wrong, and does nothing else."""

import json
from typing import Any, cast

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.compiler.corpus import CASES, VALID, mistake
from toolgrade.compiler.compilation import compile_text
from toolgrade.compiler.diagnostic_output import render_concise, render_full, render_github, render_json
from toolgrade.compiler.yaml_reader import read_document

SUITES = [file.read_text(encoding="utf-8") for file in VALID]
TEXTS = [*SUITES, *(source.data.decode("utf-8", "replace") for case in CASES for source in mistake(case))]
WORDS = [
    *(
        "name",
        "tests",
        "agents",
        "servers",
        "expect",
        "classes",
        "members",
        "expected_tools",
        "threshold",
        "runs",
        "<<",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        ":",
        ": ",
        ",",
        "- ",
        "? ",
        "|",
        ">",
        "&a",
        "*a",
        "!",
        "!!str",
        "'",
        '"',
        "#",
        "%",
        "@",
        "\t",
    ),
    *(
        "\n",
        "\r\n",
        "\n  ",
        "\n    ",
        "---",
        "...",
        "~",
        "null",
        "true",
        "1e999",
        ".nan",
        "9" * 400,
        "${env:X}",
        "\\ud800",
    ),
    *("\\", "\x00", "\x85", "\u2028", "\ufeff", "\u202e", "é", "検索", "🔍"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.sampled_from(WORDS), inner),
    max_leaves=6,
)


def yields_a_plan_or_diagnostics(text: str | bytes) -> None:
    compilation = compile_text(text)
    assert (compilation.plan is None) == bool(compilation.errors)
    if compilation.plan is not None:
        assert compilation.plan.digest == compile_text(text).plan.digest  # pyright: ignore[reportOptionalMemberAccess]
    for diagnostic in compilation.diagnostics:
        assert diagnostic.line >= 1
        assert diagnostic.column >= 1
        assert diagnostic.message
    render_full(compilation.diagnostics, compilation.texts).encode()
    render_concise(compilation.diagnostics).encode()
    render_github(compilation.diagnostics).encode()
    json.loads(render_json(compilation.diagnostics))


@given(st.text())
@example("")
@example("\ufeff")
def test_arbitrary_text(text: str) -> None:
    yields_a_plan_or_diagnostics(text)


@given(st.binary())
@example(b"\xff\xfe")
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
def test_arbitrary_bytes(data: bytes) -> None:
    yields_a_plan_or_diagnostics(data)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_words_of_the_language_in_any_order(words: list[str]) -> None:
    yields_a_plan_or_diagnostics("".join(words))


@settings(max_examples=300)
@given(st.data())
def test_suites_with_pieces_cut_out_moved_and_put_in(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 3))):
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        piece = data.draw(st.sampled_from(WORDS) | st.just("") | st.just(text[start:end] * 2) | st.text(max_size=3))
        text = text[:start] + piece + text[min(end, start + 12) :]
    yields_a_plan_or_diagnostics(text)


@settings(max_examples=300)
@given(st.data())
def test_suites_with_a_value_of_any_kind_in_any_place(data: st.DataObject) -> None:
    document, _, _ = read_document("suite.yml", data.draw(st.sampled_from(SUITES)).encode())
    assert document is not None
    suite = json.loads(json.dumps(document.value))
    place = data.draw(st.sampled_from(list(containers(suite))))
    steps: list[Any] = [*place, *WORDS] if isinstance(place, dict) else list(range(len(place)))
    place[data.draw(st.sampled_from(steps))] = data.draw(JSON)
    yields_a_plan_or_diagnostics(json.dumps(suite))


def containers(value: Any) -> list[Any]:
    """Every mapping and every list with something in it, which a value could be put into."""
    items = list(cast(dict[str, Any], value).values()) if isinstance(value, dict) else []
    if isinstance(value, list):
        items = cast(list[Any], value)
    here = [cast(Any, value)] if isinstance(value, dict) or items else []
    return [*here, *(below for item in items for below in containers(item))]
