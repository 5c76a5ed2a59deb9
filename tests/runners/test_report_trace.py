"""What the report shows of a run is bounded, says where it was cut, and holds no secret."""

from hashlib import sha256
from typing import Any

import msgspec

from toolgrade.gates.trace import Call, Trace
from toolgrade.runners.report_trace import MAX_ARGS_BYTES, MAX_TEXT, make_trace_result, redact_trace


def call(args: Any) -> Call:
    return Call("search", "docs", msgspec.Raw(msgspec.json.encode(args)), "ok", 2)


def test_a_call_has_its_turn_and_its_arguments() -> None:
    shown = make_trace_result(None, Trace((call({"q": "a"}),), "It was 12.", 3), 1)
    (only,) = shown.tool_calls
    assert (only.turn, only.args, only.redacted) == (2, {"q": "a"}, False)
    assert (shown.final_response, shown.turns) == ("It was 12.", 3)


def test_what_is_not_known_is_left_out() -> None:
    shown = make_trace_result(None, Trace((Call("x"),)), 1)
    assert msgspec.json.encode(shown) == b'{"run":1,"tool_calls":[{"id":"x"}]}'


def test_null_arguments_are_not_missing_ones() -> None:
    shown = make_trace_result(None, Trace((call(None),)), 1)
    assert msgspec.to_builtins(shown)["tool_calls"][0]["args"] is None


def test_long_arguments_are_named_by_length_and_hash() -> None:
    fits, over = ({"b": "x" * (MAX_ARGS_BYTES - 8 + more)} for more in (0, 1))
    shown = make_trace_result(None, Trace((call(fits), call(over))), 1)
    compact = msgspec.json.encode(over)
    assert len(compact) == MAX_ARGS_BYTES + 1
    assert [one.args for one in shown.tool_calls] == [fits, f"2,001 bytes, sha256:{sha256(compact).hexdigest()}"]


def test_the_hash_of_long_arguments_does_not_depend_on_the_order_of_keys() -> None:
    one, two = {"a": "x" * 3_000, "b": 1}, {"b": 1, "a": "x" * 3_000}
    first, second = make_trace_result(None, Trace((call(one), call(two))), 1).tool_calls
    assert first.args == second.args


def test_a_long_answer_is_cut_where_it_can_be_seen() -> None:
    fits, over = "é" * MAX_TEXT, "é" * (MAX_TEXT + 1)
    assert make_trace_result(None, Trace((), fits), 1).final_response == fits
    assert make_trace_result(None, Trace((), over), 1).final_response == f"{fits}… (cut: 2,001 characters)"


def test_what_looks_like_a_secret_is_not_shown_and_the_call_says_so() -> None:
    trace = Trace((call({"password": "CANARY"}), call({"q": 1})), "Bearer CANARY0123456789")
    shown = make_trace_result(None, redact_trace(trace), 1)
    assert [(one.args, one.redacted) for one in shown.tool_calls] == [
        ({"password": "[redacted]"}, True),
        ({"q": 1}, False),
    ]
    assert shown.final_response == "Bearer [redacted]"
