"""A model's response as a turn: whatever its provider's shape, the same calls, text and usage come of it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import msgspec
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from ...gates.trace import Usage
from ..agents.agent import AskedCall, Turn
from .names import is_same_model
from .prices import compute_response_cost


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What one request came to: a response that may have broken off in the middle of a call."""

    response: ModelResponse
    broke_off: bool = False


def split_joined_calls(answer: ModelAnswer) -> ModelAnswer:
    """Return the answer with each call in a part of its own.

    Some servers join the arguments of parallel calls with newlines, in one call.
    """
    parts = [one for part in answer.response.parts for one in (_split_call(part) if _is_call(part) else [part])]
    return replace(answer, response=replace(answer.response, parts=parts))


def make_turn(answer: ModelAnswer, asked: str, retries: int) -> Turn:
    """Return a tidied answer as a turn."""
    response = answer.response
    calls = tuple(_make_asked_call(part, answer.broke_off) for part in response.parts if isinstance(part, ToolCallPart))
    return Turn(
        calls=calls,
        text=_extract_text(response) or (None if calls else ""),
        usage=_extract_usage(response),
        cost=compute_response_cost(response),
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
        replace(part, args=args, tool_call_id=f"{part.tool_call_id}-{number}")
        for number, args in enumerate(rest, start=2)
    ]
    return [replace(part, args=first), *others]


def _make_asked_call(part: ToolCallPart, broke_off: bool) -> AskedCall:
    args = part.args
    if isinstance(args, dict):
        return AskedCall(part.tool_call_id, part.tool_name, args)
    if not args and not broke_off:
        return AskedCall(part.tool_call_id, part.tool_name, {})
    found = _parse_json_object(args or "")
    return AskedCall(part.tool_call_id, part.tool_name, found, None if found is not None else args or "")


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
    usage = response.usage
    if usage.unmeasured_requests or not (usage.input_tokens or usage.output_tokens):
        return None
    return Usage(usage.input_tokens, usage.output_tokens)


def _describe_problems(answer: ModelAnswer, asked: str) -> Iterator[str]:
    response = answer.response
    if answer.broke_off:
        yield "the answer broke off in the middle of a call"
    if response.finish_reason == "content_filter":
        yield "the model refused to answer"
    if response.finish_reason == "length":
        yield "the answer was cut at `sampling.max_tokens`"
    if response.model_name and not is_same_model(asked, response.model_name):
        yield f"`{asked}` was asked, `{response.model_name}` answered"
