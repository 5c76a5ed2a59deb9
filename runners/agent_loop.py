"""The agent loop: the agent asks for calls, the tools are called, the answers go back, up to the test's `max_turns`."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..foundations.fault import Fault
from ..gates.trace import MALFORMED, UNKNOWN_TOOL, Usage
from .agents.agent import Agent, AskedCall, OfferedTool, Task, ToolAnswer, Turn
from .catalogs.merged_catalog import MergedCatalog
from .servers.session import ServerCallResult

# An agent that repeats itself would fill the memory and the cassette long before its turns are used up.
MAX_CALLS = 1000

CallTool = Callable[[OfferedTool, dict[str, Any]], Awaitable[ServerCallResult]]


@dataclass(frozen=True, slots=True)
class FinishedConversation:
    """The calls and the answer of an agent, in the shape that a cassette stores."""

    tool_calls: tuple[dict[str, Any], ...]
    final_response: str | None
    turns: int
    usage: Usage | None
    cost: Decimal | None
    retries: int
    answered_by: tuple[str, ...]
    warnings: tuple[str, ...] = ()


async def run_conversation(
    agent: Agent, task: Task, offer: MergedCatalog, call_tool: CallTool, max_turns: int
) -> FinishedConversation:
    """Run an agent on a task and return what it did. Raise `Fault` if it asks for more than `MAX_CALLS` calls."""
    conversation = agent.begin(task)
    turns: list[Turn] = []
    calls: list[dict[str, Any]] = []
    answers: Sequence[ToolAnswer] = ()
    while len(turns) < max_turns:
        turn = await conversation.turn(answers)
        turns.append(turn)
        if len(calls) + len(turn.calls) > MAX_CALLS:
            raise Fault(f"the agent asked for more than {MAX_CALLS:,} calls in one run")
        # One after another, never at once: two equal runs then find the server in the same state. The calls of the last
        # turn are made too, as a trace without them would be scored as if the agent had not selected these tools.
        done = [await _execute_call(asked, offer, call_tool) for asked in turn.calls]
        calls += [{"turn": len(turns), **record} for record, _ in done]
        answers = [answer for _, answer in done]
        if not turn.calls:
            break
    return _make_finished_conversation(turns, calls)


async def _execute_call(
    asked: AskedCall, offer: MergedCatalog, call_tool: CallTool
) -> tuple[dict[str, Any], ToolAnswer]:
    """Make one call; return its record and what the agent reads. A call that cannot be made has its own status."""
    tool = offer.find(asked.name)
    record: dict[str, Any] = {"name": asked.name} if tool is None else {"server": tool.server, "name": tool.tool}
    if asked.args is None:
        text = "the arguments are not a JSON object"
        raw = {} if asked.raw is None else {"args": asked.raw}
        return {**record, **raw, "status": MALFORMED}, ToolAnswer(asked.id, asked.name, text, True)
    record["args"] = dict(asked.args)
    # A wrong name is the model's mistake: it is answered like a failed call, and the model may correct itself.
    if tool is None:
        return {**record, "status": UNKNOWN_TOOL}, ToolAnswer(asked.id, asked.name, "there is no such tool", True)
    result = await call_tool(tool, dict(asked.args))
    is_error = result.status not in ("ok", "empty")
    answer = ToolAnswer(asked.id, asked.name, result.text, is_error)
    return {**record, "status": result.status, "result": result.result}, answer


def _make_finished_conversation(turns: Sequence[Turn], calls: Sequence[dict[str, Any]]) -> FinishedConversation:
    """Return the turns as one conversation. There is no answer if the last turn still asked for calls."""
    last = turns[-1]
    return FinishedConversation(
        tool_calls=tuple(calls),
        final_response=None if last.calls else last.text,
        turns=len(turns),
        usage=_sum_usage(turns),
        cost=_sum_cost(turns),
        retries=sum(turn.retries for turn in turns),
        answered_by=tuple(dict.fromkeys(turn.answered_by for turn in turns if turn.answered_by)),
        warnings=tuple(dict.fromkeys(text for turn in turns for text in turn.warnings)),
    )


def _sum_usage(turns: Sequence[Turn]) -> Usage | None:
    """Return the tokens of all turns, or None if those of any turn are unknown."""
    known = [turn.usage for turn in turns if turn.usage is not None]
    if len(known) < len(turns):
        return None
    return Usage(
        _sum_or_none([usage.input_tokens for usage in known]), _sum_or_none([usage.output_tokens for usage in known])
    )


def _sum_or_none(numbers: Sequence[int | None]) -> int | None:
    return None if None in numbers else sum(number for number in numbers if number is not None)


def _sum_cost(turns: Sequence[Turn]) -> Decimal | None:
    known = [turn.cost for turn in turns if turn.cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(turns) else None
