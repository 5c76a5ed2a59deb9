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
from .model_turn import ModelAnswer, make_turn, split_joined_calls
from .prices import ModelPrice
from .provider_errors import translate_provider_error
from .retries import Clock, RetryPolicy, call_with_retries

BYTES_A_TOKEN = 2
"""Fewer than text has, so that a token count made from it is a bound rather than a guess."""

_FRAMING_TOKENS = 500
"""What a provider wraps around a conversation with tools."""


@dataclass(frozen=True, slots=True)
class ModelConnection:
    """How a model is reached, and what it is held to; conversations with one provider share its limit."""

    name: str
    model: Model
    sampling: Sampling
    limit: asyncio.Semaphore
    budget: Budget
    price: ModelPrice | None
    retry_policy: RetryPolicy
    clock: Clock

    def compute_max_cost(self, input_tokens: int) -> Decimal:
        """Return the most that a request can cost."""
        return NOTHING if self.price is None else self.price.compute_cost(input_tokens, self.sampling.max_tokens)


class ModelAgent:
    """A model that picks tools."""

    def __init__(self, line: ModelConnection) -> None:
        self._line = line

    def begin(self, task: Task) -> "ModelConversation":
        return ModelConversation(self._line, task)


class ModelConversation:
    """One run: what was said so far goes to the provider with every turn."""

    def __init__(self, line: ModelConnection, task: Task) -> None:
        self._line = line
        self._system_prompt = task.system_prompt
        self._messages: list[ModelMessage] = [
            ModelRequest.user_text_prompt(task.prompt, instructions=task.system_prompt)
        ]
        self._tools = [_make_tool_definition(tool) for tool in task.tools]
        self._tokens = compute_token_bound(task)

    async def turn(self, answers: Sequence[ToolAnswer]) -> Turn:
        if answers:
            parts = [_make_tool_return(answer) for answer in answers]
            self._messages.append(ModelRequest(parts=parts, instructions=self._system_prompt))
            self._tokens += sum(_compute_text_token_bound(answer.text) for answer in answers)
        async with self._line.limit:
            answer, retries = await call_with_retries(self._try_request, self._line.retry_policy, self._line.clock)
        answer = split_joined_calls(answer)
        self._messages.append(answer.response)
        turn = make_turn(answer, self._line.model.model_name, retries)
        self._tokens += (turn.usage and turn.usage.output_tokens) or self._line.sampling.max_tokens
        return turn

    async def _try_request(self) -> ModelAnswer:
        with self._line.budget.reserve(self._line.compute_max_cost(self._tokens)) as reservation:
            try:
                return await self._send_request(reservation)
            except ContentFilterError:
                refused = ModelResponse(parts=[], finish_reason="content_filter")
                return ModelAnswer(refused)
            except AgentRunError as error:
                raise translate_provider_error(error, self._line.name) from error

    async def _send_request(self, reservation: Reservation) -> ModelAnswer:
        """Read a response to its end. What breaks off after a call began is kept: it says what was picked."""
        parameters = ModelRequestParameters(function_tools=self._tools)
        settings = _make_model_settings(self._line.sampling)
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
                return ModelAnswer(response, broke_off=True)
            answer = ModelAnswer(stream.get())
        cost = make_turn(answer, self._line.model.model_name, 0).cost
        reservation.settle(cost)
        return answer


def compute_token_bound(task: Task) -> int:
    """No fewer tokens than the first request of a task has."""
    tools = [{"name": tool.name, "description": tool.description, "schema": tool.schema} for tool in task.tools]
    texts = (task.prompt, task.system_prompt or "", json.dumps(tools, default=dict, ensure_ascii=False))
    return _FRAMING_TOKENS + sum(_compute_text_token_bound(text) for text in texts)


def _compute_text_token_bound(text: str) -> int:
    return len(text.encode(errors="surrogatepass")) // BYTES_A_TOKEN + 1


def _make_tool_definition(tool: OfferedTool) -> ToolDefinition:
    """Return the tool as the server sent it: unless `strict` is off, an adapter may rewrite the schema."""
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema), strict=False
    )


def _make_tool_return(answer: ToolAnswer) -> ToolReturnPart:
    outcome = "failed" if answer.is_error else "success"
    return ToolReturnPart(answer.name, answer.text, tool_call_id=answer.id, outcome=outcome)


def _make_model_settings(sampling: Sampling) -> ModelSettings:
    """Return the settings of a request. What a suite leaves out is left to the provider."""
    settings = ModelSettings(max_tokens=sampling.max_tokens, max_retries=0)
    if sampling.temperature is not None:
        settings["temperature"] = sampling.temperature
    if sampling.seed is not None:
        settings["seed"] = sampling.seed
    if sampling.parallel_tool_calls is not None:
        settings["parallel_tool_calls"] = sampling.parallel_tool_calls
    return settings
