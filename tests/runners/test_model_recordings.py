"""A real model in both protocols, as it answered on loopback: `make model-server`, then `--record-mode=rewrite`."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolgrade.compiler.plan import PlannedTest, Sampling, SuitePlan
from toolgrade.gates.trace import Usage
from toolgrade.runners.agents.agent import Conversation, OfferedTool, Task, ToolAnswer
from toolgrade.runners.models.model_pool import ModelPool

pytestmark = [pytest.mark.vcr, pytest.mark.block_network]

ADDRESS = "http://127.0.0.1:8137/v1"
PROTOCOLS = ("openai:smollm2", "anthropic:smollm2")
KEPT_HEADERS = ("content-type",)
VARYING = (
    (re.compile(r'"(?:chatcmpl-)?[A-Za-z0-9]{32}"'), '"an-id"'),
    (re.compile(r'"created":\d+'), '"created":1'),
    (re.compile(r',"timings":\{[^}]*\}'), ""),
)


def tool(name: str, description: str, parameter: str) -> OfferedTool:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return OfferedTool(f"desk__{name}", "desk", name, description, schema)


TOOLS = (
    tool("get_current_time", "Get current time in a specific timezone", "timezone"),
    tool("read_file", "Read the contents of a file", "path"),
    tool("fetch", "Fetch a web page", "url"),
    tool("calculate", "Evaluate an arithmetic expression", "expression"),
)


def settled(text: str) -> str:
    """An exchange without what differs between two equal ones."""
    for pattern, constant in VARYING:
        text = pattern.sub(constant, text)
    return text


def settle_request(request: Any) -> Any:
    request.headers = {key: value for key, value in request.headers.items() if key.lower() in KEPT_HEADERS}
    request.body = settled(request.body.decode()).encode()
    return request


def settle_response(response: Any) -> Any:
    headers = response["headers"]
    response["headers"] = {key: value for key, value in headers.items() if key.lower() in KEPT_HEADERS}
    body = response["body"]
    text = body["string"]
    body["string"] = settled(text.decode()).encode() if isinstance(text, bytes) else settled(text)
    return response


@pytest.fixture
def vcr_config() -> dict[str, Any]:
    return {
        "serializer": "json",
        "match_on": ["method", "scheme", "host", "port", "path", "body"],
        "before_record_request": settle_request,
        "before_record_response": settle_response,
    }


@pytest.fixture(scope="module")
def vcr_cassette_dir() -> str:
    return str(Path(__file__).parents[1] / "golden/http")


@pytest.fixture(autouse=True)
def every_exchange_is_played(vcr: Any, record_mode: str) -> Iterator[None]:
    yield
    assert record_mode != "none" or vcr.all_played, "recorded exchanges were left over"


def talk(model: str, prompt: str, scenario: Callable[[Conversation], Awaitable[None]], max_tokens: int = 64) -> None:
    sampling = Sampling(temperature=0.0, seed=1, max_tokens=max_tokens)
    test = PlannedTest("t", "t", (), (), 1, 8, (), (), base_url=ADDRESS, sampling=sampling)

    async def run() -> None:
        models = ModelPool({})
        agent = models.make_agent(model, SuitePlan("s", "s", "s.yml", (), ()), test)
        async with models:
            await scenario(agent.begin(Task(prompt, None, TOOLS)))

    asyncio.run(run())


@pytest.mark.parametrize("model", PROTOCOLS)
def test_a_real_model_calls_a_tool_and_reads_the_answer(model: str) -> None:
    async def scenario(conversation: Conversation) -> None:
        turn = await conversation.turn(())
        [call] = turn.calls
        assert (call.name, call.args, call.raw) == ("desk__get_current_time", {"timezone": "timezone"}, None)
        assert (turn.usage, turn.cost, turn.answered_by, turn.warnings) == (Usage(295, 36), None, "smollm2", ())
        again = await conversation.turn([ToolAnswer(call.id, call.name, "12:30", False)])
        assert again.usage is not None

    talk(model, "What time is it in Paris?", scenario)


@pytest.mark.parametrize("model", PROTOCOLS)
def test_a_real_model_that_picks_no_tool_has_answered(model: str) -> None:
    async def scenario(conversation: Conversation) -> None:
        turn = await conversation.turn(())
        assert turn.calls == ()
        assert turn.text

    talk(model, "What is 12 times 7?", scenario)


@pytest.mark.parametrize("model", PROTOCOLS)
def test_a_call_that_the_limit_cuts_is_malformed(model: str) -> None:
    async def scenario(conversation: Conversation) -> None:
        turn = await conversation.turn(())
        assert "the answer was cut at `sampling.max_tokens`" in turn.warnings
        assert all(call.args is None for call in turn.calls)

    talk(model, "What time is it in Paris?", scenario, max_tokens=24)
