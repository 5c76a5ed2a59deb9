"""Malformed replies of model providers, in the protocols of OpenAI and Anthropic, each with a name."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.provider import Reply, chat_usage, stream
from tests.torture.odd_values import iterate_mutations

Event = dict[str, Any]

_BASE: Event = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "local-model"}
_CALL: Event = {"index": 0, "id": "call_0", "type": "function", "function": {"name": "web__search", "arguments": "{}"}}


def _chunk(delta: Event, reason: str | None = None) -> Event:
    return {**_BASE, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


CHAT: tuple[Event, ...] = (
    _chunk({"role": "assistant", "content": "Let me see."}),
    _chunk({"tool_calls": [_CALL]}),
    _chunk({}, "tool_calls"),
    {**_BASE, "choices": [], "usage": chat_usage(10, 5)},
)
MESSAGES: tuple[Event, ...] = (
    {
        "type": "message_start",
        "message": {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "local-model",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me see."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_0", "name": "web__search", "input": {}},
    },
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 1},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 5},
    },
    {"type": "message_stop"},
)
PROTOCOLS: dict[str, tuple[Event, ...]] = {"chat": CHAT, "anthropic": MESSAGES}
_RAW_LINES = ("null", "5", "[1,2]", '"text"', "{", "", "{}", "[DONE]", "[DONE", '{"a":NaN}', "\\ud800", "[" * 100_000)
_ARGUMENTS: tuple[Any, ...] = (
    5,
    True,
    [],
    ["a"],
    {"a": 1},
    "[",
    "[]",
    "5",
    "null",
    '{"a":' * 300 + "1" + "}" * 300,
    "\ud800",
    "{}{}",
)


def render_events(protocol: str, events: Sequence[Any], *, is_done: bool = True) -> Reply:
    """A reply of these events; `is_done` adds the end that the protocol has outside of them."""
    lines = [_render_event(protocol, event) for event in events]
    return stream([*lines, *(["data: [DONE]\n\n"] if is_done and protocol == "chat" else [])])


def _render_event(protocol: str, event: Any) -> str:
    kind = event.get("type") if protocol == "anthropic" and isinstance(event, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    name = f"event: {kind}\n" if isinstance(kind, str) and kind.isidentifier() else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def iterate_odd_replies(protocol: str) -> Iterator[tuple[str, Reply]]:
    """Every malformed reply in a protocol."""
    events = PROTOCOLS[protocol]
    for place, event in enumerate(events):
        for name, odd in iterate_mutations(event):
            yield f"event {place}: {name}", render_events(protocol, [*events[:place], odd, *events[place + 1 :]])
        yield f"event {place} is missing", render_events(protocol, [*events[:place], *events[place + 1 :]])
        yield f"event {place} twice", render_events(protocol, [*events[: place + 1], *events[place:]])
        yield f"ends before event {place}", render_events(protocol, events[:place], is_done=False)
        for raw in _RAW_LINES:
            lines = [_render_event(protocol, one) for one in events]
            yield (
                f"raw line {raw[:9]!r} before event {place}",
                stream([*lines[:place], f"data: {raw}\n\n", *lines[place:]]),
            )
    yield "events backwards", render_events(protocol, events[::-1])
    yield "no event", render_events(protocol, [])
    for number, arguments in enumerate(_ARGUMENTS):
        yield f"arguments {number}", render_events(protocol, _with_arguments(protocol, arguments))
    for name, body in (
        ("empty", b""),
        ("JSON", b"4\r\nnull\r\n"),
        ("HTML", b"6\r\n<html>\r\n"),
        ("bytes", b"2\r\n\xff\xfe\r\n"),
    ):
        for status in (200, 400, 401, 404, 422):
            yield f"{status} with {name}", Reply(body, status)
        yield f"stream of {name}", Reply(body, headers={"content-type": "text/event-stream"})
    yield "nested too deeply", stream([f"data: {'[' * 5_000 + ']' * 5_000}\n\n"])


def iterate_unfinished_replies(protocol: str) -> Iterator[tuple[str, Reply]]:
    """Replies that end properly as HTTP and without the event that says that it is whole, after a call began."""
    events = PROTOCOLS[protocol]
    last = {"chat": 2, "anthropic": 7}[protocol]
    first = {"chat": 2, "anthropic": 5}[protocol]
    for end in range(first, last + 1):
        yield f"{end} events", render_events(protocol, events[:end], is_done=False)


def _with_arguments(protocol: str, arguments: Any) -> list[Any]:
    events: list[Any] = json.loads(json.dumps(PROTOCOLS[protocol]))
    if protocol == "chat":
        events[1]["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = arguments
    else:
        events[5]["delta"]["partial_json"] = arguments
    return events
