"""The loop: an agent asks, tools are called, answers go back, until it has none to ask or its turns are used up."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..foundations.fault import Fault
from ..gates.trace import MALFORMED, Usage
from .agents.agent import Agent, AskedCall, OfferedTool, Task, ToolAnswer, Turn
from .catalogs.merged_catalog import MergedCatalog
from .servers.session import ServerCallResult

MAX_CALLS = 1000
UNKNOWN_TOOL = "unknown_tool"

CallTool = Callable[[OfferedTool, dict[str, Any]], Awaitable[ServerCallResult]]


@dataclass(frozen=True, slots=True)
class FinishedConversation:
    """What an agent did, in the shape a cassette takes."""

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
    """Run an agent on a task.

    Calls of one turn are carried out one after another, in the order they were asked for: two equal runs then find a
    server in the same state. The calls of the last turn are carried out too; nobody reads their answers.
    """
    conversation = agent.begin(task)
    turns: list[Turn] = []
    calls: list[dict[str, Any]] = []
    answers: Sequence[ToolAnswer] = ()
    while len(turns) < max_turns:
        turn = await conversation.turn(answers)
        turns.append(turn)
        if len(calls) + len(turn.calls) > MAX_CALLS:
            raise Fault(f"the agent asked for more than {MAX_CALLS:,} calls in one run")
        done = [await _execute_call(asked, offer, call_tool) for asked in turn.calls]
        calls += [{"turn": len(turns), **record} for record, _ in done]
        answers = [answer for _, answer in done]
        if not turn.calls:
            break
    return _make_finished_conversation(turns, calls)


async def _execute_call(
    asked: AskedCall, offer: MergedCatalog, call_tool: CallTool
) -> tuple[dict[str, Any], ToolAnswer]:
    """One call: what is recorded of it, and what the agent reads. What cannot be called is recorded as what it is."""
    tool = offer.find(asked.name)
    record: dict[str, Any] = {"name": asked.name} if tool is None else {"server": tool.server, "name": tool.tool}
    if asked.args is None:
        text = "the arguments are not a JSON object"
        raw = {} if asked.raw is None else {"args": asked.raw}
        return {**record, **raw, "status": MALFORMED}, ToolAnswer(asked.id, asked.name, text, True)
    record["args"] = dict(asked.args)
    if tool is None:
        return {**record, "status": UNKNOWN_TOOL}, ToolAnswer(asked.id, asked.name, "there is no such tool", True)
    result = await call_tool(tool, dict(asked.args))
    is_error = result.status not in ("ok", "empty")
    answer = ToolAnswer(asked.id, asked.name, result.text, is_error)
    return {**record, "status": result.status, "result": result.result}, answer


def _make_finished_conversation(turns: Sequence[Turn], calls: Sequence[dict[str, Any]]) -> FinishedConversation:
    """The last turn's text is the answer, unless it asked for calls: then the turns ran out before one."""
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
    """Tokens of all turns; a sum of which a part is not known is not known."""
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
