"""The digest of a plan moves with what a suite means, and with nothing else."""

import random
from typing import Any, cast

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.compiler.compilation import SuiteSource, compile_sources, compile_text

BASE = """\
servers: {s: {command: [server]}}
tests:
  - name: finds it
    prompt: Find the report.
    servers: [s]
    runs: 2
    equal_function_sets:
      classes: [{name: search, members: [s.search, s.find]}]
      expect: [{tool_selection.f1: {">=": 80}}]
"""


def digest_of(text: str | bytes, file: str = "suite.yml") -> str:
    compilation = compile_text(text, file)
    assert compilation.plan is not None, compilation.diagnostics
    return compilation.plan.digest


def with_keys_shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        items = list(cast(dict[str, Any], value).items())
        chance.shuffle(items)
        return {key: with_keys_shuffled(child, chance) for key, child in items}
    return [with_keys_shuffled(child, chance) for child in cast(list[Any], value)] if isinstance(value, list) else value


@given(st.randoms(use_true_random=False), st.booleans(), st.integers(20, 200))
def test_the_order_of_keys_and_the_style_change_nothing(chance: random.Random, flow: bool, width: int) -> None:
    shuffled = with_keys_shuffled(yaml.safe_load(BASE), chance)
    anew = yaml.safe_dump(shuffled, sort_keys=False, default_flow_style=flow, width=width, allow_unicode=flow)
    assert digest_of(anew) == digest_of(BASE)


REFORMATTED = [
    f"# A comment.\n\n{BASE}\n# Another.\n",
    BASE.replace("\n", "\r\n"),
    "\ufeff" + BASE,
    f"---\n{BASE}...\n",
    BASE.replace("Find the report.", '"Find the \\u0072eport."'),
    BASE.replace("prompt: Find the report.", "prompt: >-\n      Find the\n      report."),
    BASE.replace("name: finds it", "name: finds it\n    type: agent"),
    BASE.replace("[{tool_selection.f1: {", "[{target: tool_selection.f1, matcher: {"),
]


@pytest.mark.parametrize("text", REFORMATTED)
def test_reformatting_changes_nothing(text: str) -> None:
    assert text != BASE
    assert digest_of(text) == digest_of(BASE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("finds it", "finds it again"),
        ("Find the", "Find a"),
        ("runs: 2", "runs: 3"),
        ("80", "81"),
        ("s.find", "s.fetch"),
        ("name: search", "name: seek"),
        ("[server]", "[server, --fast]"),
    ],
)
def test_a_change_of_meaning_moves_it(old: str, new: str) -> None:
    assert digest_of(BASE.replace(old, new)) != digest_of(BASE)


def test_the_place_of_the_file_does_not_move_it() -> None:
    assert digest_of(f"suite: s\n{BASE}", "a/one.yml") == digest_of(f"suite: s\n{BASE}", "b/two.yml")


def test_it_is_the_same_from_one_version_to_the_next() -> None:
    assert digest_of(BASE) == "sha256:4fc0d6ab20fc1a94a0994ff7e63fc99db964e7478a9af23e4050811e0d141843"


def test_a_plan_holds_no_positions_and_is_frozen() -> None:
    plan = compile_text(BASE).plan
    assert plan is not None
    assert not {"line", "column", "span", "start"}.intersection(keys_in(msgspec.to_builtins(plan)))
    with pytest.raises(AttributeError):
        plan.suites[0].tests[0].name = "other"  # pyright: ignore[reportAttributeAccessIssue]


def keys_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        mapping = cast(dict[str, Any], value)
        return set(mapping).union(*(keys_in(child) for child in mapping.values()))
    return set[str]().union(*(keys_in(child) for child in cast(list[Any], value))) if isinstance(value, list) else set()


def test_suites_that_run_together_are_in_the_order_they_were_given() -> None:
    sources = [SuiteSource(f"{name}.yml", BASE.encode()) for name in ("b", "a")]
    compilation = compile_sources(sources)
    assert compilation.plan is not None
    assert [suite.name for suite in compilation.plan.suites] == ["b", "a"]


def test_one_wrong_suite_leaves_no_plan_and_all_findings_of_all_files_are_sorted() -> None:
    sources = [
        SuiteSource("b.yml", b"test: []"),
        SuiteSource("a.yml", b"tests: [{nam: t}]"),
        SuiteSource("c.yml", BASE.encode()),
    ]
    compilation = compile_sources(sources)
    assert compilation.plan is None
    found = [(diagnostic.file, diagnostic.line, diagnostic.column) for diagnostic in compilation.diagnostics]
    assert found == sorted(found)
    assert {file for file, _, _ in found} == {"a.yml", "b.yml"}
