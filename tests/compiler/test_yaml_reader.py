"""YAML as values with positions: the same from both parsers, at the right place, within bounds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from tests.compiler.corpus import CASES, VALID, mistake, render_sources
from toolgrade.compiler.compilation import SuiteSource, compile_sources
from toolgrade.compiler.document import Document
from toolgrade.compiler.yaml_reader import MAX_BYTES, MAX_DEPTH, MAX_NODES, MAX_REPEATED, read_document

needs_libyaml = pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML was built without libyaml")


def read(text: str) -> Document:
    document, _, diagnostics = read_document("suite.yml", text.encode())
    assert document is not None, diagnostics
    return document


def code_of(text: str) -> str:
    document, _, diagnostics = read_document("suite.yml", text.encode())
    assert document is None
    return diagnostics[-1].code


def written(document: Document, path: tuple[str | int, ...]) -> tuple[str, str]:
    """What stands in the file where the key and the value at a path are said to be."""
    key, value = document.find_spans(path)
    return document.source.text[key.start : key.end], document.source.text[value.start : value.end]


def paths(value: Any, above: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items: Any = cast(dict[str, Any], value).items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = enumerate(cast(list[Any], value))
    for step, child in items:
        yield (*above, step)
        yield from paths(child, (*above, step))


@needs_libyaml
@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_told_alike_whichever_parser_reads_it(case: str) -> None:
    sources = mistake(case)
    assert render_sources(sources, yaml.CSafeLoader) == render_sources(sources, yaml.SafeLoader)


@needs_libyaml
@pytest.mark.parametrize("file", VALID, ids=lambda file: file.name)
def test_a_suite_has_the_same_plan_and_positions_whichever_parser_reads_it(file: Path) -> None:
    plans = [compile_sources([SuiteSource("s.yml", file.read_bytes())], loader) for loader in LOADERS]
    assert plans[0].plan is not None
    assert (plans[0].plan, plans[0].diagnostics) == (plans[1].plan, plans[1].diagnostics)
    first, second = (read_document("s.yml", file.read_bytes(), loader)[0] for loader in LOADERS)
    assert first is not None
    assert second is not None
    assert [first.find_spans(path) for path in paths(first.value)] == [
        second.find_spans(path) for path in paths(second.value)
    ]


LOADERS = [getattr(yaml, name, yaml.SafeLoader) for name in ("CSafeLoader", "SafeLoader")]


def test_without_libyaml_the_other_parser_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert read("a: [1]").value == {"a": [1]}


def test_keys_and_values_are_found_where_they_stand() -> None:
    document = read("a:\n  b: [one, {c: 'two'}]\n  d: |\n    text\n")
    assert written(document, ("a", "b")) == ("b", "[one, {c: 'two'}]")
    assert written(document, ("a", "b", 0)) == ("one", "one")
    assert written(document, ("a", "b", 1, "c")) == ("c", "'two'")
    assert written(document, ("a", "d"))[1].startswith("|")


def test_a_path_that_is_not_there_ends_at_the_nearest_thing_above_it() -> None:
    document = read("a: {b: 1}")
    assert document.find_spans(("a", "c", 0)) == document.find_spans(("a",))
    assert document.find_spans(("z",)) == (document.root, document.root)


def test_an_alias_reports_where_it_was_used() -> None:
    document = read("a: &x [1]\nb: *x\n")
    assert written(document, ("b",)) == ("b", "*x")
    assert document.source.find_line_and_column(document.find_spans(("b",))[1].start) == (2, 4)


def test_a_merged_key_reports_where_it_was_written() -> None:
    document = read("a: &x {k: one}\nb:\n  <<: *x\n  own: 1\n")
    assert document.value["b"] == {"own": 1, "k": "one"}
    assert document.source.find_line_and_column(document.find_spans(("b", "k"))[1].start) == (1, 11)


def test_own_keys_win_over_merged_ones_and_earlier_merges_over_later_ones() -> None:
    text = "a: &a {k: 1, l: 1}\nb: &b {k: 2, m: 2}\nc: {k: 0, <<: [*a, *b]}\nd: {'<<': 3}\n"
    value = read(text).value
    assert value["c"] == {"k": 0, "l": 1, "m": 2}
    assert value["d"] == {"<<": 3}


def test_quoted_and_tagged_scalars_are_what_they_say() -> None:
    assert read('a: ["1", !!str 2, !!int 3, ! 4]').value == {"a": ["1", "2", 3, "4"]}


def test_a_number_of_places_counts_characters_not_bytes() -> None:
    document = read("ключ: é\nb: 検索\n")
    assert written(document, ("b",)) == ("b", "検索")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_of_three_ways(line_end: str) -> None:
    document = read(line_end.join(["a: 1", "b:", "  - two", ""]))
    assert document.source.find_line_and_column(document.find_spans(("b", 0))[1].start) == (3, 5)
    assert document.source.get_line(3) == "  - two"


def test_depth_is_bounded() -> None:
    assert read("a: " + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)).value
    assert code_of("a: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH) == "TG005"


def test_the_number_of_values_is_bounded_before_and_while_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    assert code_of(f"a: [{'b,' * (MAX_NODES + 1)}]") == "TG005"
    monkeypatch.setattr("toolgrade.compiler.yaml_reader.MAX_NODES", 8)
    assert read("a: [1, 2, 3, 4, 5]").value
    assert code_of("{a, b, c, d, e}") == "TG005"


def test_bytes_are_bounded() -> None:
    assert read("a: 1\n" + "#" * (MAX_BYTES - 5)).value == {"a": 1}
    assert code_of("a: 1\n" + "#" * (MAX_BYTES - 4)) == "TG002"


def test_what_aliases_repeat_is_bounded() -> None:
    many = f"a: &a [{'1,' * 999}]\n"
    assert read(f"{many}b: [{'*a,' * (MAX_REPEATED // 1000)}]").value
    assert code_of(f"{many}b: [{'*a,' * (MAX_REPEATED // 1000 + 1)}]") == "TG006"


def test_a_thousand_mistakes_are_enough() -> None:
    _, _, diagnostics = read_document("suite.yml", ("a: {" + "k: 1, " * 3_000 + "}").encode())
    assert [found.code for found in diagnostics] == ["TG008"] * 1_000 + ["TG005"]
