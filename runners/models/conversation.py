"""A model as an agent: one conversation with its provider, a request a turn."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError, ContentFilterError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from ...compiler.plan import Sampling
from ...foundations.fault import Fault
from ..agents.agent import OfferedTool, Task, ToolAnswer, Turn
from .budget import NOTHING, Budget, Reservation
from .model_turn import ModelAnswer, make_turn, split_joined_calls
from .prices import ModelPrice
from .provider_errors import make_unreadable_fault, translate_provider_error
from .retries import Clock, RetryPolicy, TransientError, call_with_retries

BYTES_A_TOKEN = 2
"""Fewer bytes than a token of text has, so that a count made from it is an upper bound."""

_FRAMING_TOKENS = 500
"""The tokens that a provider adds around a conversation with tools."""


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
    """One run: all messages so far go to the provider with every turn."""

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
        # Retries keep the place: else all that wait would hit a provider that just asked for patience.
        async with self._line.limit:
            answer, retries = await call_with_retries(self._try_request, self._line.retry_policy, self._line.clock)
        self._messages.append(answer.response)
        turn = make_turn(answer, self._line.model.model_name, retries)
        # Without usage the longest answer is assumed, so that the bound stays a bound.
        self._tokens += (turn.usage and turn.usage.output_tokens) or self._line.sampling.max_tokens
        return turn

    async def _try_request(self) -> ModelAnswer:
        with self._line.budget.reserve(self._line.compute_max_cost(self._tokens)) as reservation:
            try:
                return await self._send_request(reservation)
            except ContentFilterError:
                # A refusal is a result of the model, not a failure of the world: the run ends with no call.
                unknown = RequestUsage(unmeasured_requests=1)
                return ModelAnswer(ModelResponse(parts=[], usage=unknown, finish_reason="content_filter"))
            except AgentRunError as error:
                raise translate_provider_error(error, self._line.name) from error
            except (Fault, TransientError):
                raise
            except Exception as error:  # SDKs take a malformed answer as it comes, and fail on it anywhere
                raise make_unreadable_fault(error, self._line.name) from error

    async def _send_request(self, reservation: Reservation) -> ModelAnswer:
        """Read a response to its end. What breaks off after a call began is kept: it says what was picked."""
        parameters = ModelRequestParameters(function_tools=self._tools)
        settings = _make_model_settings(self._line.sampling)
        async with model_request_stream(
            self._line.model, self._messages, model_settings=settings, model_request_parameters=parameters
        ) as stream:
            # From here on the provider may charge: if the stream breaks, the whole reservation counts as spent.
            reservation.settle(None)
            try:
                # The events are not looked at: reading them is what fills `stream.get()`.
                async for _event in stream:
                    pass
            except AgentRunError:
                answer = ModelAnswer(stream.get(), broke_off=True)
                if not answer.has_calls:
                    raise
            else:
                answer = self._check_end(stream.get())
        answer = split_joined_calls(answer)
        reservation.settle(make_turn(answer, self._line.model.model_name, 0).cost)
        return answer

    def _check_end(self, response: ModelResponse) -> ModelAnswer:
        """Return the answer; raise `TransientError` if it ended without its stop event and before a call."""
        answer = ModelAnswer(response, broke_off=response.finish_reason is None or response.state != "complete")
        if answer.broke_off and not answer.has_calls:
            raise TransientError(f"{self._line.name}: the answer ended before it was whole")
        return answer


def compute_token_bound(task: Task) -> int:
    """Return an upper bound of the tokens in the first request of a task."""
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
    # Without the SDK's own retries: ours are counted, bounded and paid from the budget.
    settings = ModelSettings(max_tokens=sampling.max_tokens, max_retries=0)
    if sampling.temperature is not None:
        settings["temperature"] = sampling.temperature
    if sampling.seed is not None:
        settings["seed"] = sampling.seed
    if sampling.parallel_tool_calls is not None:
        settings["parallel_tool_calls"] = sampling.parallel_tool_calls
    return settings
