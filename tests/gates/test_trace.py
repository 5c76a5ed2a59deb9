"""Traces: what a run did, decoded strictly."""

from decimal import Decimal

import msgspec
import pytest

from toolgrade.gates.trace import Call, Trace, format_tool_id


def decode(text: str) -> Trace:
    return msgspec.json.decode(text.encode(), type=Trace)


@pytest.mark.parametrize(
    ("server", "name", "text"),
    [("brave", "web_search", "brave.web_search"), (None, "search", "search"), ("", "search", "search")],
)
def test_a_tool_has_one_spelling(server: str | None, name: str, text: str) -> None:
    assert format_tool_id(server, name) == Call(name, server).id == text


def test_a_trace_without_tool_calls_is_an_error_and_an_empty_list_is_not() -> None:
    assert decode('{"tool_calls": []}').tool_calls == ()
    with pytest.raises(msgspec.ValidationError, match="tool_calls"):
        decode("{}")
    with pytest.raises(msgspec.ValidationError, match="tool_calls"):
        decode('{"tool_calls": null}')


@pytest.mark.parametrize(
    "call",
    ['{"server": "a"}', '{"name": ""}', '{"name": 1}', '{"name": null}', '"search"', '{"name": "a", "server": 1}'],
)
def test_a_call_without_a_name_in_text_is_an_error(call: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(f'{{"tool_calls": [{call}]}}')


@pytest.mark.parametrize("field", ['"turns": -1', '"turns": 1.5', '"usage": {"input_tokens": -1}', '"cost": -0.01'])
def test_a_count_below_zero_is_an_error(field: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(f'{{"tool_calls": [], {field}}}')


@pytest.mark.parametrize("cost", ["1e13", "1e999999999", "1e-999999999", '"NaN"', '"Infinity"'])
def test_a_cost_that_no_sum_can_hold_is_an_error(cost: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="dollars"):
        decode(f'{{"tool_calls": [], "cost": {cost}}}')


def test_a_cost_keeps_every_digit_that_was_written() -> None:
    assert decode('{"tool_calls": [], "cost": 0.1000000000000000001}').cost == Decimal("0.1000000000000000001")
    assert decode('{"tool_calls": [], "cost": "0.30"}').cost == Decimal("0.30")


def test_a_value_that_was_not_recorded_is_not_written() -> None:
    assert msgspec.json.encode(Trace((Call("a"),))) == b'{"tool_calls":[{"name":"a"}]}'
    written = msgspec.json.encode(Trace((Call("a", "s", msgspec.Raw(b'{"q": 1}'), "ok"),), turns=0))
    assert written == b'{"tool_calls":[{"name":"a","server":"s","args":{"q": 1},"status":"ok"}],"turns":0}'


def test_what_a_recorder_adds_beside_is_passed_over() -> None:
    assert decode('{"tool_calls": [{"name": "a", "result": {}}], "model": "m"}') == Trace((Call("a"),))
