"""Targets of plain assertions: what each reads off a trace, and what is none."""

import re
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.gates.target import ABSENT, TARGET_PATTERN, UnknownTarget, parse_target, walk_json
from toolgrade.gates.trace import Call, Trace, Usage

ARGS = {"query": "revenue", "a.b": 1, "rows": [{"id": 7}, [1, 2]], "none": None, "0": "zero", "it's": 2}
FULL = Trace(
    (Call("search", "brave", msgspec.Raw(msgspec.json.encode(ARGS)), "ok"), Call("get")),
    final_response="done",
    turns=0,
    usage=Usage(input_tokens=0),
    cost=Decimal("0.50"),
)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("tool_names", "list", ["search", "get"]),
        ("final_response", "text", "done"),
        ("turns", "number", 0),
        ("usage.input_tokens", "number", 0),
        ("usage.output_tokens", "number", ABSENT),
        ("cost", "number", Decimal("0.50")),
        ("tool_calls[0].name", "text", "search"),
        ("tool_calls[-1].name", "text", "get"),
        ("tool_calls[-2].server", "text", "brave"),
        ("tool_calls[1].server", "text", ABSENT),
        ("tool_calls[0].status", "text", "ok"),
        ("tool_calls[1].status", "text", ABSENT),
        ("tool_calls[2].name", "text", ABSENT),
        ("tool_calls[-3].name", "text", ABSENT),
        ("tool_calls[0].args", "value", ARGS),
        ("tool_calls[1].args", "value", ABSENT),
        ("tool_calls[1].args.query", "value", ABSENT),
        ("tool_calls[0].args.query", "value", "revenue"),
        ('tool_calls[0].args["a.b"]', "value", 1),
        ("tool_calls[0].args['a.b']", "value", 1),
        ('tool_calls[0].args["it\'s"]', "value", 2),
        ("tool_calls[0].args.rows[0].id", "value", 7),
        ("tool_calls[0].args.rows[1][-1]", "value", 2),
        ("tool_calls[0].args.rows[9]", "value", ABSENT),
        ("tool_calls[0].args.rows.id", "value", ABSENT),
        ("tool_calls[0].args[0]", "value", ABSENT),
        ("tool_calls[0].args.0", "value", "zero"),
        ("tool_calls[0].args.none", "value", None),
        ("tool_calls[0].args.query.more", "value", ABSENT),
        ("tool_calls[0].args.missing", "value", ABSENT),
    ],
)
def test_a_target_reads_one_thing_off_a_trace(text: str, kind: str, value: Any) -> None:
    target = parse_target(text)
    assert (target.kind, target.read(FULL)) == (kind, value)
    assert re.search(TARGET_PATTERN, text)


@pytest.mark.parametrize("text", ["final_response", "turns", "usage.input_tokens", "usage.output_tokens", "cost"])
def test_what_a_trace_does_not_hold_is_absent(text: str) -> None:
    assert parse_target(text).read(Trace(())) is ABSENT


def test_no_calls_are_an_empty_list_of_names() -> None:
    assert parse_target("tool_names").read(Trace(())) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "final",
        "tool_calls",
        "tool_calls[0]",
        "tool_calls[x].name",
        "tool_calls[0].result",
        "tool_calls[0].name.x",
        "tool_calls[0].args.",
        "tool_calls[0].args..a",
        "tool_calls[0].args[a]",
        'tool_calls[0].args["a]',
        "tool_calls[0].argsx",
        "tool_calls[99999999999999999999].name",
        "tool_names ",
        "usage",
        "cost.x",
        "__class__",
        "tool_calls[0].__class__",
    ],
)
def test_what_names_nothing_in_a_trace_is_refused(text: str) -> None:
    with pytest.raises(UnknownTarget) as caught:
        parse_target(text)
    assert caught.value.expected
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("final_respons", "final_response"),
        ("tool_name", "tool_names"),
        ("usage.input_token", "usage.input_tokens"),
        ("tool_calls[3].nam", "tool_calls[3].name"),
        ("Cost", "cost"),
        ("zzzzzz", None),
    ],
)
def test_a_near_miss_is_offered_the_target_it_meant(text: str, suggestion: str | None) -> None:
    with pytest.raises(UnknownTarget) as caught:
        parse_target(text)
    assert caught.value.suggestion == suggestion


@given(st.text(alphabet="abtool_calls[]0-1.args\"' ", max_size=30))
def test_any_text_is_a_target_or_is_refused(tail: str) -> None:
    text = f"tool_calls[0].args{tail}"
    try:
        value = parse_target(text).read(FULL)
    except UnknownTarget:
        return
    assert value is ABSENT or value in [ARGS, *ARGS.values()] or isinstance(value, dict | list | int)
    assert re.search(TARGET_PATTERN, text)


@given(st.dictionaries(st.text(alphabet="abc.[]é ", min_size=1, max_size=5), st.integers(), min_size=1))
def test_any_key_can_be_reached_in_quotes(args: dict[str, int]) -> None:
    trace = Trace((Call("get", args=msgspec.Raw(msgspec.json.encode(args))),))
    for key, value in args.items():
        assert parse_target(f'tool_calls[0].args["{key}"]').read(trace) == value


def test_steps_are_followed_through_json_alone() -> None:
    assert walk_json({"a": [1, {"b": 2}]}, ("a", 1, "b")) == 2
    assert walk_json("text", ("upper",)) is ABSENT
    assert walk_json([1], ("0",)) is ABSENT
