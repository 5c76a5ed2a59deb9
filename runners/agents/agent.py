"""The protocol of an agent: it is given a task with the tools it may call, and answers turn by turn.

The loop calls the tools; an agent only asks. So a model, the lexical baseline and a test's script look the same to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from ...gates.trace import Usage


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as the agent sees it: `name` is safe for a provider, `server` and `tool` say what it stands for."""

    name: str
    server: str
    tool: str
    description: str | None
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """A prompt, and the tools that may be called for it."""

    prompt: str
    system_prompt: str | None
    tools: tuple[OfferedTool, ...]


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call the agent asks for; `args` is None if they are not a JSON object, and `raw` is then their text."""

    id: str
    name: str
    args: Mapping[str, Any] | None
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to a call, as the agent reads it."""

    id: str
    name: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the agent; without calls it is the last. What is not known is None, never 0."""

    calls: tuple[AskedCall, ...] = ()
    text: str | None = None
    usage: Usage | None = None
    cost: Decimal | None = None
    answered_by: str | None = None
    retries: int = 0
    warnings: tuple[str, ...] = ()


class Conversation(Protocol):
    """One run of an agent; the first turn is asked for with no answers."""

    async def turn(self, answers: Sequence[ToolAnswer]) -> Turn:
        """Return the next turn, given the answers to the calls of the one before."""
        ...


class Agent(Protocol):
    """Something that picks tools."""

    def begin(self, task: Task) -> Conversation:
        """Return a new conversation about a task."""
        ...
