"""Targets of plain assertions: a path language for values in a trace."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from ..foundations.suggestion import find_nearest
from .operators import Kind
from .trace import Call, Trace

ABSENT: Any = msgspec.UNSET
"""What a target yields that is not in the trace."""

Step = str | int

PLAIN: dict[str, tuple[Kind, Callable[[Trace], Any]]] = {
    "tool_names": ("list", lambda trace: [call.name for call in trace.tool_calls]),
    "tool_ids": ("list", lambda trace: [call.id for call in trace.tool_calls]),
    "final_response": ("text", lambda trace: _replace_none(trace.final_response)),
    "turns": ("number", lambda trace: _replace_none(trace.turns)),
    "usage.input_tokens": ("number", lambda trace: _replace_none(trace.usage and trace.usage.input_tokens)),
    "usage.output_tokens": ("number", lambda trace: _replace_none(trace.usage and trace.usage.output_tokens)),
    "cost": ("number", lambda trace: _replace_none(trace.cost)),
}
CALL: dict[str, tuple[Kind, Callable[[Call], Any]]] = {
    "name": ("text", lambda call: call.name),
    "server": ("text", lambda call: _replace_none(call.server)),
    "status": ("text", lambda call: _replace_none(call.status)),
    "args": ("value", lambda call: decode_call_arguments(call.args)),
}
# For editors, through the JSON Schema; `parse_target` decides, and says what is wrong.
TARGET_PATTERN = (
    r"^(tool_names|tool_ids|final_response|turns|usage\.(input|output)_tokens|cost"
    r"|tool_calls\[-?\d+\]\.(name|server|status|args([.\[].*)?))$"
)

# At most nine digits: a longer number would only cost time to convert, and no run has so many calls.
_CALL = re.compile(r"tool_calls\[(-?\d{1,9})\]\.(\w+)(.*)", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]\"']+)|\[(-?\d{1,9})\]|\[\"([^\"]*)\"\]|\['([^']*)'\]")


@dataclass(frozen=True, slots=True)
class Target:
    """A parsed target: the kind of its value, and the function that reads it from a trace."""

    kind: Kind
    read: Callable[[Trace], Any]


class UnknownTarget(ValueError):
    """A text that names nothing in a trace; `suggestion` is the nearest target, if one is near."""

    def __init__(self, text: str, expected: str, suggestion: str | None) -> None:
        super().__init__(text)
        self.expected = expected
        self.suggestion = suggestion


def parse_target(text: str) -> Target:
    """Return the target that `text` names; raise `UnknownTarget` if there is none."""
    if text in PLAIN:
        return Target(*PLAIN[text])
    match = _CALL.fullmatch(text)
    if not match or match[2] not in CALL:
        raise UnknownTarget(
            text, f"one of {', '.join(PLAIN)}, tool_calls[i].{'|'.join(CALL)}", _find_suggestion(text, match)
        )
    index, (kind, read) = int(match[1]), CALL[match[2]]
    steps = parse_steps(match[3])
    if steps is None or (steps and kind != "value"):
        raise UnknownTarget(text, 'a path such as tool_calls[0].args.query or args["a.b"][0]', None)

    def read_value(trace: Trace) -> Any:
        # Arguments are decoded here, for the one call that is asked about: decoding all would dominate the scoring.
        call = _get_item(trace.tool_calls, index)
        return call if call is ABSENT else walk_json(read(call), steps)

    return Target("value" if steps else kind, read_value)


def walk_json(value: Any, steps: tuple[Step, ...]) -> Any:
    """Follow keys and positions through JSON; return ABSENT if they lead nowhere."""
    for step in steps:
        if isinstance(value, dict) and isinstance(step, str):
            value = cast(dict[str, Any], value).get(step, ABSENT)
        elif isinstance(value, list) and isinstance(step, int):
            value = _get_item(cast(list[Any], value), step)
        else:
            return ABSENT
    return value


def _get_item(items: Any, index: int) -> Any:
    return items[index] if -len(items) <= index < len(items) else ABSENT


def parse_steps(text: str) -> tuple[Step, ...] | None:
    """Return the steps of a path such as `.query[0]["a.b"]`; None if it is not a path."""
    steps: list[Step] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if not match:
            return None
        key, index, double, single = match.groups()
        steps.append(int(index) if index else next(part for part in (key, double, single) if part is not None))
        position = match.end()
    return tuple(steps)


def _replace_none(value: Any) -> Any:
    # Not recorded is not null: an assertion on it fails as absent, whatever its matcher.
    return ABSENT if value is None else value


def decode_call_arguments(args: msgspec.Raw | msgspec.UnsetType) -> Any:
    """Return the arguments of a call as JSON, ABSENT if there are none."""
    return ABSENT if isinstance(args, msgspec.UnsetType) else _replace_none(msgspec.json.decode(args))


def _list_call_targets(index: str) -> list[str]:
    return [f"tool_calls[{index}].{field}" for field in CALL]


def _find_suggestion(text: str, match: re.Match[str] | None) -> str | None:
    index = match[1] if match else "0"
    return find_nearest(text, [*PLAIN, *_list_call_targets(index)])
