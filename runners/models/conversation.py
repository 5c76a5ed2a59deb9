"""A model as an agent: one conversation with its provider, a request a turn."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError, ContentFilterError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from ...compiler.plan import Sampling
from ..agents.agent import OfferedTool, Task, ToolAnswer, Turn
from .budget import NOTHING, Budget, Reservation
from .model_turn import Answer, tidied, turn_of
from .prices import Price
from .provider_errors import translated
from .retries import Clock, Patience, persist

BYTES_A_TOKEN = 2
"""Fewer than text has, so that a token count made from it is a bound rather than a guess."""

_FRAMING_TOKENS = 500
"""What a provider wraps around a conversation with tools."""


@dataclass(frozen=True, slots=True)
class Line:
    """How a model is reached, and what it is held to; conversations with one provider share its limit."""

    name: str
    model: Model
    sampling: Sampling
    limit: asyncio.Semaphore
    budget: Budget
    price: Price | None
    patience: Patience
    clock: Clock

    def bound(self, input_tokens: int) -> Decimal:
        """The most that a request can cost."""
        return NOTHING if self.price is None else self.price.of(input_tokens, self.sampling.max_tokens)


class ModelAgent:
    """A model that picks tools."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def begin(self, task: Task) -> "ModelConversation":
        return ModelConversation(self._line, task)


class ModelConversation:
    """One run: what was said so far goes to the provider with every turn."""

    def __init__(self, line: Line, task: Task) -> None:
        self._line = line
        self._system_prompt = task.system_prompt
        self._messages: list[ModelMessage] = [
            ModelRequest.user_text_prompt(task.prompt, instructions=task.system_prompt)
        ]
        self._tools = [_definition(tool) for tool in task.tools]
        self._tokens = token_bound(task)

    async def turn(self, answers: Sequence[ToolAnswer]) -> Turn:
        if answers:
            parts = [_return(answer) for answer in answers]
            self._messages.append(ModelRequest(parts=parts, instructions=self._system_prompt))
            self._tokens += sum(_tokens(answer.text) for answer in answers)
        async with self._line.limit:
            answer, retries = await persist(self._attempt, self._line.patience, self._line.clock)
        answer = tidied(answer)
        self._messages.append(answer.response)
        turn = turn_of(answer, self._line.model.model_name, retries)
        self._tokens += (turn.usage and turn.usage.output_tokens) or self._line.sampling.max_tokens
        return turn

    async def _attempt(self) -> Answer:
        with self._line.budget.reserve(self._line.bound(self._tokens)) as reservation:
            try:
                return await self._request(reservation)
            except ContentFilterError:
                refused = ModelResponse(parts=[], finish_reason="content_filter")
                return Answer(refused)
            except AgentRunError as error:
                raise translated(error, self._line.name) from error

    async def _request(self, reservation: Reservation) -> Answer:
        """Read a response to its end. What breaks off after a call began is kept: it says what was picked."""
        parameters = ModelRequestParameters(function_tools=self._tools)
        settings = _settings(self._line.sampling)
        async with model_request_stream(
            self._line.model, self._messages, model_settings=settings, model_request_parameters=parameters
        ) as stream:
            reservation.settle(None)
            try:
                async for _event in stream:
                    pass
            except AgentRunError:
                response = stream.get()
                if not any(isinstance(part, ToolCallPart) for part in response.parts):
                    raise
                return Answer(response, broke_off=True)
            answer = Answer(stream.get())
        cost = turn_of(answer, self._line.model.model_name, 0).cost
        reservation.settle(cost)
        return answer


def token_bound(task: Task) -> int:
    """No fewer tokens than the first request of a task has."""
    tools = [{"name": tool.name, "description": tool.description, "schema": tool.schema} for tool in task.tools]
    texts = (task.prompt, task.system_prompt or "", json.dumps(tools, default=dict, ensure_ascii=False))
    return _FRAMING_TOKENS + sum(_tokens(text) for text in texts)


def _tokens(text: str) -> int:
    return len(text.encode(errors="surrogatepass")) // BYTES_A_TOKEN + 1


def _definition(tool: OfferedTool) -> ToolDefinition:
    """The tool as the server sent it: unless `strict` is off, an adapter may rewrite the schema."""
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema), strict=False
    )


def _return(answer: ToolAnswer) -> ToolReturnPart:
    outcome = "failed" if answer.is_error else "success"
    return ToolReturnPart(answer.name, answer.text, tool_call_id=answer.id, outcome=outcome)


def _settings(sampling: Sampling) -> ModelSettings:
    """What is left out is left to the provider; the SDK's own retries are off, as ours are counted."""
    settings = ModelSettings(max_tokens=sampling.max_tokens, max_retries=0)
    if sampling.temperature is not None:
        settings["temperature"] = sampling.temperature
    if sampling.seed is not None:
        settings["seed"] = sampling.seed
    if sampling.parallel_tool_calls is not None:
        settings["parallel_tool_calls"] = sampling.parallel_tool_calls
    return settings
