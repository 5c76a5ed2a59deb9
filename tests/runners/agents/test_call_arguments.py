"""Arguments come from the schema and the prompt, whatever either holds."""

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgrade.runners.agents.call_arguments import fill_arguments
from toolgrade.runners.agents.prompt_values import PromptValues

STRING = {"type": "string"}


def filled(prompt: str, properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "$defs": {"Text": STRING},
    }
    args = fill_arguments(schema, PromptValues(prompt, prompt))
    assert jsonschema_rs.is_valid(schema, args)
    return args


@pytest.mark.parametrize(
    ("prompt", "name", "schema", "expected"),
    [
        ("Read the file /srv/notes/today.md.", "path", STRING, "/srv/notes/today.md"),
        ("Read `Financial Reports.xlsx`", "fileAbsolutePath", STRING, "Financial Reports.xlsx"),
        ("Read notes.txt please", "filename", STRING, "notes.txt"),
        ("Show what changed", "repo_path", STRING, "."),
        ("Fetch http://127.0.0.1:8000/a?b=c.", "url", STRING, "http://127.0.0.1:8000/a?b=c"),
        ("See https://a.example", "target", {**STRING, "format": "uri"}, "https://a.example"),
        ("Mail it to ada@example.org", "recipient", STRING, "ada@example.org"),
        ("What happened on 2024-05-01?", "date", STRING, "2024-05-01"),
        ("What is 12:30 in Asia/Tokyo?", "timezone", STRING, "Asia/Tokyo"),
        ("What is 12:30 in Asia/Tokyo?", "time", STRING, "12:30"),
        ("What is (3 + 4) * 12?", "expression", STRING, "(3 + 4) * 12"),
        ('Search for "red shoes"', "query", STRING, "red shoes"),
        ("Search for red shoes", "query", STRING, "Search for red shoes"),
        ("What is the weather in New York?", "city", STRING, "New York"),
        ("Show the last 3 commits", "max_count", {"type": "integer"}, 3),
        ("Show commits", "max_count", {"type": "integer", "default": 10}, 10),
        ("Show commits", "max_count", {"type": "integer", "minimum": 5}, 5),
        ("Take 900 of 7", "count", {"type": "integer", "maximum": 10}, 7),
        ("Scale by 2.5", "factor", {"type": "number"}, 2.5),
        ("Make it large", "size", {"enum": ["small", "large"]}, "large"),
        ("Make it", "size", {"enum": ["small", "large"]}, "small"),
        ("Make it", "size", {"enum": ["small", "large"], "default": "large"}, "large"),
        ("Make it", "kind", {"const": 7}, 7),
        ("Make it", "force", {"type": "boolean"}, False),
        ("Stage a.py and b.py", "files", {"type": "array", "items": STRING}, ["a.py", "b.py"]),
        ("Add 1", "numbers", {"type": "array", "items": {"type": "integer"}}, [1]),
        ("Make it", "things", {"type": "array"}, []),
        ("Say 'hi'", "text", {"anyOf": [{"type": "null"}, STRING]}, "hi"),
        ("Say 'hi'", "text", {"type": ["null", "string"]}, "hi"),
        ("Say 'hi'", "text", {"$ref": "#/$defs/Text"}, "hi"),
    ],
)
def test_a_required_parameter_is_filled(prompt: str, name: str, schema: dict[str, Any], expected: Any) -> None:
    assert filled(prompt, {name: schema}) == {name: expected}


def test_what_is_given_by_name_goes_first_and_each_value_goes_once() -> None:
    properties = {"body": STRING, "title": STRING, "limit": {"type": "integer"}, "count": {"type": "integer"}}
    args = filled('Post "B" titled "T", limit of 5, 2 of it', properties)
    assert args == {"body": "B", "title": "T", "limit": 5, "count": 2}


def test_an_optional_parameter_is_filled_only_by_name() -> None:
    properties = {"page": {"type": "integer"}, "limit": {"type": "integer"}, "path": STRING}
    assert filled("Show page 3 of notes.txt", properties, required=[]) == {"page": 3}


def test_objects_within_objects_are_filled() -> None:
    inner = {"type": "object", "properties": {"name": STRING, "note": STRING}, "required": ["name"]}
    assert filled("Add 'Ada'", {"person": inner}) == {"person": {"name": "Ada"}}


def test_the_values_of_the_step_come_before_those_of_the_prompt() -> None:
    schema = {"type": "object", "properties": {"path": STRING}, "required": ["path"]}
    assert fill_arguments(schema, PromptValues("then read b.txt", "write a.txt then read b.txt")) == {"path": "b.txt"}
    assert fill_arguments(schema, PromptValues("then read it", "write a.txt then read it")) == {"path": "a.txt"}


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    assert fill_arguments(node, PromptValues("go", "go"))["next"]
    assert fill_arguments(
        {"properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]}, PromptValues("go", "go")
    ) == {"a": "go"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["object", "array", "string", "#", "null", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "required",
                    "items",
                    "enum",
                    "anyOf",
                    "allOf",
                    "$ref",
                    "default",
                    "minimum",
                    "format",
                    "a",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "$ref", "a"]), JSON), st.text(max_size=80))
@settings(max_examples=200)
def test_any_schema_and_any_prompt_give_arguments(schema: dict[str, Any], prompt: str) -> None:
    assert fill_arguments(schema, PromptValues(prompt, prompt)) == fill_arguments(schema, PromptValues(prompt, prompt))
