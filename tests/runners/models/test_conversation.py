"""Models over real HTTP: what is sent, what comes back, and what is made of every provider's shape."""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import pytest
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.mistral import MistralModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.mistral import MistralProvider
from pydantic_ai.providers.openai import OpenAIProvider

from tests.provider import (
    Provider,
    Reply,
    Request,
    chat,
    chat_usage,
    gemini,
    messages,
    mistral,
    plain,
    responses,
)
from toolgrade.compiler.plan import PlannedTest, Sampling, SuitePlan
from toolgrade.foundations.fault import Fault
from toolgrade.gates.trace import Usage
from toolgrade.runners.agents.agent import OfferedTool, Task, ToolAnswer, Turn
from toolgrade.runners.models.budget import Budget, OverBudget
from toolgrade.runners.models.conversation import ModelAgent, ModelConnection
from toolgrade.runners.models.model_pool import ModelPool
from toolgrade.runners.models.names import ModelName
from toolgrade.runners.models.prices import find_price
from toolgrade.runners.models.retries import RetryPolicy

# A schema that adapters like to rewrite: titles, defaults, $defs, no additionalProperties, an optional property.
SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Search",
    "type": "object",
    "properties": {
        "query": {"type": "string", "title": "Query", "minLength": 1, "default": "x"},
        "where": {"$ref": "#/$defs/Place"},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
    },
    "required": ["query"],
    "$defs": {"Place": {"type": "string", "enum": ["a", "b"], "format": "place"}},
}
TOOLS = (
    OfferedTool("web__search", "web", "search", "Search the web", SCHEMA),
    OfferedTool("web__fetch", "web", "fetch", None, {"type": "object", "properties": {}}),
)
TASK = Task("Find it.", "Be brief.", TOOLS)
CALLS: list[tuple[str, dict[str, Any]]] = [("web__search", {"query": "ü"}), ("web__fetch", {})]


class StoppedClock:
    """Waits are noted, not waited."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def jitter(self) -> float:
        return 1.0


Talk = Callable[[Provider, StoppedClock], Awaitable[None]]


def talk(scenario: Talk, *replies: Reply) -> None:
    """Run a scenario against a provider that answers this."""

    async def run() -> None:
        async with Provider(*replies) as provider:
            await asyncio.wait_for(scenario(provider, StoppedClock()), 60)

    asyncio.run(run())


def test_of(**fields: Any) -> PlannedTest:
    return PlannedTest("t", "t", (), (), 1, 8, ("web",), (), **fields)


test_of.__test__ = False  # pyright: ignore[reportFunctionMemberAccess]
SUITE = SuitePlan("s", "s", "s.yml", (), ())


async def converse(provider: Provider, clock: StoppedClock, model: str = "local-model", **fields: Any) -> Turn:
    """The first turn of a model at the provider's address."""
    models = ModelPool({}, clock=clock)
    agent = models.make_agent(model, SUITE, test_of(base_url=f"{provider.url}/v1", **fields))
    async with models:
        return await agent.begin(TASK).turn(())


def line_to(model: Model, clock: StoppedClock, budget: Budget | None = None) -> ModelConnection:
    name = ModelName("openai", "gpt-4o")
    return ModelConnection(
        "m",
        model,
        Sampling(),
        asyncio.Semaphore(4),
        budget or Budget(),
        find_price(name),
        RetryPolicy(attempts=4),
        clock,
    )


def openai_at(url: str) -> Model:
    """OpenAI itself, so that there is a price, at another address."""
    return OpenAIChatModel("gpt-4o", provider=OpenAIProvider(base_url=f"{url}/v1", api_key="k"))


MODELS: dict[str, tuple[Callable[[str], Model], Reply]] = {
    "chat list": (openai_at, chat(CALLS, model="gpt-4o", usage=chat_usage(10, 5))),
    "arguments as text": (
        openai_at,
        chat([("web__search", '{"query": "ü"}'), ("web__fetch", "")], model="gpt-4o", usage=chat_usage(10, 5)),
    ),
    "responses": (
        lambda url: OpenAIResponsesModel("gpt-5", provider=OpenAIProvider(base_url=f"{url}/v1", api_key="k")),
        responses(CALLS),
    ),
    "anthropic blocks": (
        lambda url: AnthropicModel("claude-haiku-5-5", provider=AnthropicProvider(base_url=url, api_key="k")),
        messages(CALLS, model="claude-haiku-5-5"),
    ),
    "gemini": (
        lambda url: GoogleModel("gemini-2.5-pro", provider=GoogleProvider(base_url=url, api_key="k")),
        gemini(CALLS),
    ),
    "mistral": (
        lambda url: MistralModel("mistral-large-latest", provider=MistralProvider(base_url=url, api_key="k")),
        mistral(CALLS),
    ),
}


@pytest.mark.parametrize("shape", MODELS)
def test_every_providers_shape_becomes_the_same_turn(shape: str) -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        make, _ = MODELS[shape]
        async with make(provider.url) as model:
            turn = await ModelAgent(line_to(model, clock)).begin(TASK).turn(())
        assert [(call.name, call.args, call.raw) for call in turn.calls] == [
            ("web__search", {"query": "ü"}, None),
            ("web__fetch", {}, None),
        ]
        assert (turn.text, turn.usage, turn.retries, turn.warnings) == (None, Usage(10, 5), 0, ())
        assert len({call.id for call in turn.calls}) == 2

    talk(scenario, MODELS[shape][1])


def test_arguments_of_parallel_calls_joined_by_newlines_are_calls_of_their_own() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        models = ModelPool({}, clock=clock)
        agent = models.make_agent("local-model", SUITE, test_of(base_url=f"{provider.url}/v1"))
        async with models:
            conversation = agent.begin(TASK)
            turn = await conversation.turn(())
            assert [(call.name, call.args) for call in turn.calls] == [
                ("web__search", {"query": "a"}),
                ("web__search", {"query": "b"}),
            ]
            await conversation.turn([ToolAnswer(call.id, call.name, "found", False) for call in turn.calls])
        sent = provider.requests[1].body["messages"]
        asked = [call["id"] for message in sent for call in message.get("tool_calls") or ()]
        assert asked == [message["tool_call_id"] for message in sent if message["role"] == "tool"]

    talk(scenario, chat([("web__search", '{"query": "a"}\n{"query": "b"}')]), chat(text="done"))


def sent_schema(request: Request) -> Any:
    """The first tool's schema as it went over the wire, wherever the protocol puts it."""
    tool = request.body["tools"][0]
    if "functionDeclarations" in tool:
        return tool["functionDeclarations"][0]["parameters_json_schema"]
    return tool.get("input_schema") or (tool.get("function") or tool)["parameters"]


@pytest.mark.parametrize("shape", MODELS)
def test_the_schema_goes_to_the_model_as_the_server_sent_it(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolgrade.runners.models import providers

    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        make, _ = MODELS[shape]

        def infer_model(name: str) -> Model:
            return make(provider.url)

        monkeypatch.setattr(providers, "infer_model", infer_model)
        _, model = providers.connect_model("gpt-5", None, None)
        async with model:
            await ModelAgent(line_to(model, clock)).begin(TASK).turn(())
        [request] = provider.requests
        assert sent_schema(request) == SCHEMA
        assert "strict" not in str(request.body["tools"]) or "'strict': False" in str(request.body["tools"])

    talk(scenario, MODELS[shape][1])


@pytest.mark.parametrize("model", ["local-model", "openai:local-model", "anthropic:local-model"])
def test_an_address_speaks_the_protocol_that_the_name_says(model: str) -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        turn = await converse(provider, clock, model)
        assert turn.text == "done"
        path = "/v1/messages" if model.startswith("anthropic") else "/v1/chat/completions"
        [request] = provider.requests
        assert (request.path.partition("?")[0], request.body["model"]) == (path, "local-model")

    talk(scenario, messages(text="done") if model.startswith("anthropic") else chat(text="done"))


def test_sampling_goes_over_the_wire_and_what_is_left_out_does_not() -> None:
    sampling = Sampling(temperature=0.0, seed=7, max_tokens=64, parallel_tool_calls=False)

    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        await converse(provider, clock, sampling=sampling)
        await converse(provider, clock)
        given, default = (request.body for request in provider.requests)
        keys = ("temperature", "seed", "max_tokens", "parallel_tool_calls")
        assert {key: given.get(key) for key in keys} == dict(zip(keys, (0.0, 7, 64, False), strict=True))
        assert {key: default[key] for key in keys if key in default} == {"max_tokens": 4096}

    talk(scenario, chat(text="done"))


def test_the_key_of_a_provider_is_never_sent_to_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-anthropic")

    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        await converse(provider, clock)
        with pytest.raises(Fault, match="LOCAL_KEY"):
            await converse(provider, clock, api_key_env="LOCAL_KEY")
        models = ModelPool({"LOCAL_KEY": "mine"}, clock=clock)
        agent = models.make_agent("m", SUITE, test_of(base_url=f"{provider.url}/v1", api_key_env="LOCAL_KEY"))
        async with models:
            await agent.begin(TASK).turn(())
        first, second = provider.requests
        assert "sk-of" not in str(first.headers)
        assert second.headers["authorization"] == "Bearer mine"

    talk(scenario, chat(text="done"))


def test_answers_of_tools_go_back_to_the_model_with_their_calls() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        models = ModelPool({}, clock=clock)
        agent = models.make_agent("anthropic:m", SUITE, test_of(base_url=provider.url))
        async with models:
            conversation = agent.begin(TASK)
            turn = await conversation.turn(())
            good, bad = turn.calls
            last = await conversation.turn(
                [ToolAnswer(good.id, good.name, "42", False), ToolAnswer(bad.id, bad.name, "no such tool", True)]
            )
        assert last.text == "It is 42."
        results = provider.requests[1].body["messages"][-1]["content"]
        assert [(part["tool_use_id"], part["content"], part["is_error"]) for part in results] == [
            ("toolu_0", [{"type": "text", "text": "42"}], False),
            ("toolu_1", [{"type": "text", "text": "no such tool"}], True),
        ]
        assert "Be brief." in str(provider.requests[1].body["system"])

    talk(scenario, messages(CALLS), messages(text="It is 42."))


# What goes wrong at a provider.


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
@pytest.mark.parametrize("model", ["local-model", "anthropic:local-model"])
def test_what_may_pass_is_tried_again_and_counted(status: int, model: str) -> None:
    done = messages(text="done") if model.startswith("anthropic") else chat(text="done")
    failure = plain({"error": {"type": "api_error", "message": "later"}}, status)

    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        turn = await converse(provider, clock, model)
        assert (turn.text, turn.retries, clock.waits) == ("done", 2, [1.0, 2.0])
        assert len(provider.requests) == 3

    talk(scenario, failure, failure, done)


def test_retry_after_is_kept_to() -> None:
    limited = plain({"error": {"message": "slow down"}}, 429, {"retry-after": "7"})

    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        turn = await converse(provider, clock)
        assert (turn.retries, clock.waits) == (1, [7.0])

    talk(scenario, limited, chat(text="done"))


def test_a_wait_that_is_too_long_is_not_waited() -> None:
    limited = plain({"error": {"message": "come back tomorrow"}}, 429, {"retry-after": "86400"})

    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        with pytest.raises(Fault, match="asks to wait 86400 s"):
            await converse(provider, clock)
        assert clock.waits == []

    talk(scenario, limited)


def test_patience_ends() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        with pytest.raises(Fault, match="answered 500; 6 attempts"):
            await converse(provider, clock)
        assert len(provider.requests) == 6
        assert clock.waits == [1.0, 2.0, 4.0, 8.0, 16.0]

    talk(scenario, plain({"error": {"message": "broken"}}, 500))


@pytest.mark.parametrize(
    ("status", "said"), [(401, "refused the key"), (404, "does not know this model"), (400, "answered 400: bad tool")]
)
def test_what_will_not_pass_is_not_tried_again(status: int, said: str) -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        with pytest.raises(Fault, match=said):
            await converse(provider, clock)
        assert (len(provider.requests), clock.waits) == (1, [])

    talk(scenario, plain({"error": {"message": "bad tool"}}, status))


def test_a_lost_connection_is_tried_again() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        turn = await converse(provider, clock)
        assert (turn.text, turn.retries) == ("done", 2)

    talk(scenario, Reply(cut=True, body=b""), chat(text="half a sent", cut=True), chat(text="done"))


def test_an_address_where_nobody_listens_is_a_fault_that_says_so() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        models = ModelPool({}, clock=clock)
        agent = models.make_agent("m", SUITE, test_of(base_url="http://127.0.0.1:9/v1"))
        async with models:
            with pytest.raises(Fault, match="6 attempts"):
                await agent.begin(TASK).turn(())

    talk(scenario, chat())


@pytest.mark.parametrize("model", ["local-model", "anthropic:local-model"])
def test_a_stream_cut_inside_a_call_is_a_malformed_call_with_what_came(model: str) -> None:
    calls = [("web__fetch", {"a": 1}), ("web__search", '{"query": "hal')]
    cut = messages(calls, cut=True) if model.startswith("anthropic") else chat(calls, cut=True)

    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        turn = await converse(provider, clock, model)
        whole, half = turn.calls
        assert (whole.args, whole.raw) == ({"a": 1}, None)
        assert (half.name, half.args, half.raw) == ("web__search", None, '{"query": "hal')
        assert turn.warnings == ("the answer broke off in the middle of a call",)
        assert len(provider.requests) == 1

    talk(scenario, cut)


@pytest.mark.parametrize("raw", ['{"query": "hal', "[1, 2]", '"text"', "NaN", "{'query': 1}", "null"])
def test_arguments_that_are_no_json_object_are_kept_as_they_came(raw: str) -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        models = ModelPool({}, clock=clock)
        agent = models.make_agent("anthropic:m", SUITE, test_of(base_url=provider.url))
        async with models:
            conversation = agent.begin(TASK)
            [call] = (await conversation.turn(())).calls
            assert (call.args, call.raw) == (None, raw)
            last = await conversation.turn([ToolAnswer(call.id, call.name, "not JSON", True)])
            assert last.text == "sorry"

    talk(scenario, messages([("web__search", raw)]), messages(text="sorry"))


def test_a_refusal_an_empty_answer_and_a_cut_answer_are_what_they_are() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        refused, filtered, empty, long = [await converse(provider, clock) for _ in range(4)]
        assert (refused.calls, refused.text, refused.warnings) == ((), "I won't.", ("the model refused to answer",))
        assert (filtered.calls, filtered.text, filtered.warnings) == ((), "", ("the model refused to answer",))
        assert (empty.calls, empty.text, empty.warnings) == ((), "", ())
        assert (long.text, long.warnings) == ("and so on", ("the answer was cut at `sampling.max_tokens`",))

    talk(
        scenario,
        chat(refusal="I won't.", finish="stop"),
        chat(finish="content_filter"),
        chat(),
        chat(text="and so on", finish="length"),
    )


def test_another_model_than_asked_is_a_warning() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        same, dated, other = [await converse(provider, clock, "gpt-4o") for _ in range(3)]
        assert (same.answered_by, same.warnings) == ("gpt-4o", ())
        assert (dated.answered_by, dated.warnings) == ("gpt-4o-2024-08-06", ())
        assert other.warnings == ("`gpt-4o` was asked, `gpt-3.5` answered",)

    talk(
        scenario,
        chat(text="a", model="gpt-4o"),
        chat(text="a", model="gpt-4o-2024-08-06"),
        chat(text="a", model="gpt-3.5"),
    )


# What it costs.


def test_cost_is_usage_times_price_exactly() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        async with openai_at(provider.url) as model:
            turn = await ModelAgent(line_to(model, clock)).begin(TASK).turn(())
        price = find_price(ModelName("openai", "gpt-4o"))
        assert price is not None
        assert turn.cost == price.compute_cost(1001, 7)
        assert turn.cost == Decimal(1001) * Decimal("2.5") / 10**6 + Decimal(7) * 10 / 10**6

    talk(scenario, chat(text="done", model="gpt-4o", usage=chat_usage(1001, 7)))


def test_without_usage_or_price_there_is_no_cost_rather_than_none_spent() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        unpriced = await converse(provider, clock, "gpt-4o")
        assert (unpriced.usage, unpriced.cost) == (Usage(10, 5), None)
        async with openai_at(provider.url) as model:
            unmeasured = await ModelAgent(line_to(model, clock)).begin(TASK).turn(())
        assert (unmeasured.usage, unmeasured.cost) == (None, None)

    talk(scenario, chat(text="done", usage=chat_usage(10, 5)), chat(text="done"))


def test_a_request_that_could_go_over_the_budget_is_not_sent() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        budget = Budget(Decimal("0.10"))
        async with openai_at(provider.url) as model:
            agent = ModelAgent(line_to(model, clock, budget))
            outcomes = await asyncio.gather(*(agent.begin(TASK).turn(()) for _ in range(20)), return_exceptions=True)
        done = [turn for turn in outcomes if isinstance(turn, Turn)]
        refused = [error for error in outcomes if isinstance(error, OverBudget)]
        assert len(done) == len(provider.requests)
        assert len(done) + len(refused) == 20
        assert refused
        assert budget.spent == sum(turn.cost or 0 for turn in done) <= Decimal("0.10")

    talk(scenario, chat(text="done", model="gpt-4o", usage=chat_usage(1000, 4096), delay_s=0.02))


def test_what_broke_off_is_charged_in_full_and_what_was_turned_away_is_not() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        budget = Budget(Decimal(1))
        async with openai_at(provider.url) as model:
            line = line_to(model, clock, budget)
            turn = await ModelAgent(line).begin(TASK).turn(())
        assert turn.retries == 2
        broken_off = budget.spent - (turn.cost or 0)
        assert broken_off > Decimal(4096 * 10) / 10**6

    limited = plain({"error": {"message": "slow down"}}, 429)
    talk(scenario, limited, chat(text="half", cut=True), chat(text="done", model="gpt-4o", usage=chat_usage(10, 5)))


def test_no_more_requests_are_under_way_than_a_provider_is_allowed() -> None:
    async def scenario(provider: Provider, clock: StoppedClock) -> None:
        async with openai_at(provider.url) as model:
            agent = ModelAgent(line_to(model, clock))
            await asyncio.gather(*(agent.begin(TASK).turn(()) for _ in range(12)))
        assert len(provider.requests) == 12
        assert provider.most_underway == 4

    talk(scenario, chat(text="done", delay_s=0.05))
