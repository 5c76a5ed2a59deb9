"""Patterns and schemas: linear in time, and nothing is fetched."""

import time
from typing import Any

import pytest

from toolgrade.gates.pattern import (
    explain_pattern_fault,
    explain_schema_failure,
    explain_schema_fault,
    has_pattern_match,
)

CATASTROPHIC = [r"(a+)+$", r"^(a|a)*$", r"^(a*)*$", r"(a|aa)+$", r"(.*a){20}$"]


@pytest.mark.parametrize("pattern", CATASTROPHIC)
@pytest.mark.parametrize("length", [26, 200, 20_000])
def test_a_pattern_that_explodes_elsewhere_runs_in_linear_time(pattern: str, length: int) -> None:
    started = time.process_time()
    assert not has_pattern_match(pattern, "a" * length + "!")
    assert time.process_time() - started < 2


def test_a_pattern_inside_a_schema_runs_in_linear_time_too() -> None:
    started = time.process_time()
    assert explain_schema_failure({"type": "string", "pattern": r"(a+)+$"}, "a" * 5_000 + "!")
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("reven", "the revenue", True),
        ("^reven", "the revenue", False),
        (r"\d{4}-\d\d", "on 2024-05", True),
        ("(?i)REVENUE", "revenue", True),
        ("a.c", "a\nc", False),
        ("é+", "caféé", True),
    ],
)
def test_a_pattern_is_searched_anywhere_in_the_text(pattern: str, text: str, found: bool) -> None:
    assert explain_pattern_fault(pattern) is None
    assert has_pattern_match(pattern, text) is found


@pytest.mark.parametrize("pattern", [r"(?=a)b", r"(?<!a)b", r"(a)\1"])
def test_a_pattern_that_needs_backtracking_is_refused_with_the_reason(pattern: str) -> None:
    assert "linear time" in (explain_pattern_fault(pattern) or "")


@pytest.mark.parametrize(
    ("pattern", "word"), [("(", "unterminated"), ("[a", "unterminated"), ("*a", "nothing to repeat")]
)
def test_a_broken_pattern_is_refused_with_what_is_broken(pattern: str, word: str) -> None:
    assert word in (explain_pattern_fault(pattern) or "")


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("http://127.0.0.1:9/schema.json", "only references inside the schema are followed"),
        ("https://example.com/s", "only references inside the schema are followed"),
        ("file:///etc/passwd", "only references inside the schema are followed"),
        ("other.json", "No base URI"),
    ],
)
def test_a_reference_out_of_the_schema_is_refused_and_named(uri: str, why: str) -> None:
    fault = explain_schema_fault({"$ref": uri}) or ""
    assert uri in fault
    assert why in fault


def test_a_reference_inside_the_schema_is_followed() -> None:
    schema = {"$defs": {"id": {"type": "integer"}}, "properties": {"id": {"$ref": "#/$defs/id"}}}
    assert explain_schema_fault(schema) is None
    assert explain_schema_failure(schema, {"id": 1}) is None
    assert "'id'" in (explain_schema_failure(schema, {"id": "x"}) or "")


@pytest.mark.parametrize(
    "schema",
    [{"type": "strin"}, {"minimum": "80"}, {"required": "name"}, {"pattern": "("}, {"$ref": "#/$defs/none"}],
)
def test_a_schema_that_is_none_is_refused_in_one_line(schema: dict[str, Any]) -> None:
    fault = explain_schema_fault(schema)
    assert fault
    assert "\n" not in fault


def test_a_value_that_breaks_a_schema_is_told_where() -> None:
    schema = {"properties": {"rows": {"items": {"type": "integer"}}}}
    assert explain_schema_failure(schema, {"rows": [1, 2]}) is None
    assert "['rows'][1]" in (explain_schema_failure(schema, {"rows": [1, "b"]}) or "")
