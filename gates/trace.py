"""The trace of a run: the calls of an agent in order, and its answer.

These values come by the million and hold no cycles: `gc=False` spares the collector of garbage the walk over them.
"""

from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

Text = Annotated[str, msgspec.Meta(min_length=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]

MAX_COST = Decimal(10**12)
MAX_PLACES = 40

MALFORMED = "malformed"
"""The status of a call whose arguments could not be read: it never selects a tool."""

UNKNOWN_TOOL = "unknown_tool"
"""The status of a call of a tool that no server has: the agent made the tool up. It counts like any call."""


def format_tool_id(server: str | None, name: str) -> str:
    """Return the id of a tool: `server.tool`, or the bare name if no server is known."""
    return f"{server}.{name}" if server else name


class Call(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One tool call; `args` stay undecoded JSON until an assertion asks for them."""

    name: Text
    server: str | None = None
    args: msgspec.Raw | UnsetType = UNSET
    status: str | None = None
    turn: Count | None = None

    @property
    def id(self) -> str:
        return format_tool_id(self.server, self.name)


class Usage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Tokens as the provider counted them."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None


class Trace(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One run. `tool_calls` must be there: an empty list says that no tool was called."""

    tool_calls: tuple[Call, ...]
    final_response: str | None = None
    turns: Count | None = None
    usage: Usage | None = None
    cost: Decimal | None = None

    def __post_init__(self) -> None:
        if self.cost is not None and not _is_dollars(self.cost):
            raise ValueError("`cost` must be dollars, zero or more")


def _is_dollars(cost: Decimal) -> bool:
    """Return whether a cost is within bounds: 1e999999999 is a few bytes to write and a gigabyte to compute with."""
    # Infinity and NaN have letters for an exponent.
    exponent = cost.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -MAX_PLACES and 0 <= cost < MAX_COST
