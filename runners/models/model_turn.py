"""A model's response as a turn: whatever its provider's shape, the same calls, text and usage come of it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import msgspec
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from ...gates.trace import Usage
from ..agents.agent import AskedCall, Turn
from .names import is_same_model
from .prices import compute_response_cost

_MOST_TOKENS = 2**53 - 1
"""The largest integer that every reader of JSON takes as it is."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The response to one request, which may have broken off in the middle of a call."""

    response: ModelResponse
    broke_off: bool = False

    @property
    def has_calls(self) -> bool:
        return any(isinstance(part, ToolCallPart) for part in self.response.parts)


def split_joined_calls(answer: ModelAnswer) -> ModelAnswer:
    """Return the answer with each call in a part of its own.

    Some servers join the arguments of parallel calls with newlines, in one call.
    """
    parts = [one for part in answer.response.parts for one in (_split_call(part) if _is_call(part) else [part])]
    return replace(answer, response=replace(answer.response, parts=parts))


def make_turn(answer: ModelAnswer, asked: str, retries: int) -> Turn:
    """Return a tidied answer as a turn."""
    response = answer.response
    parts = [part for part in response.parts if isinstance(part, ToolCallPart)]
    # A call is whole if another one follows it; of an answer that broke off the last one may lack its end.
    calls = tuple(_make_asked_call(part, answer.broke_off and part is parts[-1]) for part in parts)
    usage = _extract_usage(response)
    return Turn(
        calls=calls,
        text=_extract_text(response) or (None if calls else ""),
        usage=usage,
        cost=None if usage is None else compute_response_cost(response),
        answered_by=response.model_name,
        retries=retries,
        warnings=tuple(_describe_problems(answer, asked)),
    )


def _is_call(part: object) -> bool:
    return isinstance(part, ToolCallPart)


def _split_call(part: Any) -> list[ToolCallPart]:
    lines = part.args.splitlines() if isinstance(part.args, str) else []
    objects = [line for line in lines if line.strip()]
    if len(objects) < 2 or any(_parse_json_object(line) is None for line in objects):
        return [part]
    first, *rest = objects
    others = [
        # The answers go back by id, so that each call needs one of its own.
        replace(part, args=args, tool_call_id=f"{part.tool_call_id}-{number}")
        for number, args in enumerate(rest, start=2)
    ]
    return [replace(part, args=first), *others]


def _make_asked_call(part: Any, is_cut: bool) -> AskedCall:
    """Return a call as it is recorded and carried out. SDKs hand over what a provider sent without a look at it."""
    args = part.args
    if not isinstance(part.tool_name, str) or not isinstance(part.tool_call_id, str):
        raise TypeError("a call has a name or an id that is no text")
    if is_cut:
        raw = args if isinstance(args, str) else json.dumps(args) if args else ""
        return AskedCall(part.tool_call_id, part.tool_name, None, raw)
    if isinstance(args, dict):
        return AskedCall(part.tool_call_id, part.tool_name, cast(dict[str, Any], args))
    if not args:
        return AskedCall(part.tool_call_id, part.tool_name, {})
    raw = args if isinstance(args, str) else json.dumps(args)
    found = _parse_json_object(raw)
    return AskedCall(part.tool_call_id, part.tool_name, found, None if found is not None else raw)


def _parse_json_object(text: str) -> dict[str, Any] | None:
    try:
        found: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return cast(dict[str, Any], found) if isinstance(found, dict) else None


def _extract_text(response: ModelResponse) -> str:
    """Return the text of an answer; a refusal counts as text."""
    said = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    return said or str((response.provider_details or {}).get("refusal") or "")


def _extract_usage(response: ModelResponse) -> Usage | None:
    """Return the tokens; None if the provider sent none, or something that is no count of them."""
    usage = response.usage
    # All zero means that the server does not count: absent, never 0.
    if usage.unmeasured_requests or not (usage.input_tokens or usage.output_tokens):
        return None
    return Usage(usage.input_tokens, usage.output_tokens) if _is_countable(response) else None


def _is_countable(response: ModelResponse) -> bool:
    counts: tuple[object, ...] = (response.usage.input_tokens, response.usage.output_tokens)
    # SDKs pass on what a provider sent, and `True` would pass for an int.
    return all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in counts)


def _describe_problems(answer: ModelAnswer, asked: str) -> Iterator[str]:
    response = answer.response
    is_measured = not response.usage.unmeasured_requests and not answer.broke_off
    if is_measured and _extract_usage(response) is None:
        yield "the provider's usage is no count of tokens: usage and cost are absent"
    if answer.broke_off:
        yield "the answer broke off in the middle of a call"
    if response.finish_reason == "content_filter":
        yield "the model refused to answer"
    if response.finish_reason == "length":
        yield "the answer was cut at `sampling.max_tokens`"
    if response.model_name and not is_same_model(asked, response.model_name):
        yield f"`{asked}` was asked, `{response.model_name}` answered"
