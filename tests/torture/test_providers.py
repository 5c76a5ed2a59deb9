"""Malformed answers of providers, over real HTTP: each is a turn or the error of its cell, and nothing else."""

import asyncio
import gzip
import resource
from typing import Any

import pytest

from tests.provider import Provider, Reply, chat, chat_usage
from tests.runners.models.test_conversation import SUITE, TASK, StoppedClock, test_of
from tests.torture.odd_replies import CHAT, iterate_odd_replies, iterate_unfinished_replies, render_events
from tests.torture.odd_values import replace_at
from toolgrade.foundations.fault import Fault
from toolgrade.runners.agents.agent import Turn
from toolgrade.runners.models.model_pool import ModelPool

pytestmark = pytest.mark.filterwarnings("ignore")  # libraries warn of what they cannot read
MODELS = {"chat": "local-model", "anthropic": "anthropic:local-model"}


async def _answer(protocol: str, replies: list[Reply]) -> list[Turn | Fault]:
    """What each reply gives; anything but a turn or a fault is raised."""
    found: list[Turn | Fault] = []
    async with Provider() as provider:
        models = ModelPool({}, clock=StoppedClock())
        agent = models.make_agent(MODELS[protocol], SUITE, test_of(base_url=f"{provider.url}/v1"))
        async with models:
            for reply in replies:
                provider.answer_with(reply)
                try:
                    found.append(await asyncio.wait_for(agent.begin(TASK).turn(()), 30))
                except Fault as fault:
                    found.append(fault)
    return found


def answers(protocol: str, *replies: Reply) -> list[Turn | Fault]:
    return asyncio.run(_answer(protocol, list(replies)))


@pytest.mark.parametrize("protocol", MODELS)
def test_every_malformed_reply_is_a_turn_or_a_fault(protocol: str) -> None:
    odd = [reply for _, reply in iterate_odd_replies(protocol)]
    assert len(odd) > 800
    for found in answers(protocol, *odd):
        if isinstance(found, Turn) and found.usage is not None:
            assert all(
                type(count) is int and 0 <= count < 2**53
                for count in (found.usage.input_tokens, found.usage.output_tokens)
            )


@pytest.mark.parametrize("protocol", MODELS)
def test_a_stream_without_its_stop_event_has_a_malformed_call_that_is_not_carried_out(protocol: str) -> None:
    replies = [reply for _, reply in iterate_unfinished_replies(protocol)]
    for found in answers(protocol, *replies):
        assert isinstance(found, Turn), found
        (call,) = found.calls
        assert (call.name, call.args) == ("web__search", None)
        assert "the answer broke off in the middle of a call" in found.warnings


@pytest.mark.parametrize("protocol", MODELS)
def test_an_answer_that_ends_before_a_call_and_without_its_stop_event_is_no_answer(protocol: str) -> None:
    events: Any = {"chat": CHAT[:1]}.get(protocol)
    reply = render_events(protocol, events, is_done=False) if events else next(iter(_text_alone()))
    (found,) = answers(protocol, reply)
    assert isinstance(found, Fault)


def _text_alone() -> list[Reply]:
    from tests.torture.odd_replies import MESSAGES

    return [render_events("anthropic", MESSAGES[:3], is_done=False)]


@pytest.mark.parametrize("count", [1.5, -1, 10**40, "ten", [1]])
def test_usage_that_is_no_count_is_absent_with_a_warning(count: object) -> None:
    last = replace_at(CHAT[3], ("usage", "prompt_tokens"), count)
    (found,) = answers("chat", render_events("chat", [*CHAT[:3], last]))
    assert isinstance(found, Turn)
    assert found.usage is None
    assert found.cost is None
    assert "the provider's usage is no count of tokens: usage and cost are absent" in found.warnings
    (whole,) = answers("chat", chat(text="hi", usage=chat_usage(10, 5)))
    assert isinstance(whole, Turn)
    assert whole.warnings == ()


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip", "deflate", "br"])
@pytest.mark.parametrize("protocol", MODELS)
def test_a_compressed_answer_of_a_provider_is_refused_unread(protocol: str, encoding: str) -> None:
    bomb = gzip.compress(gzip.compress(b"0" * 50_000_000))
    chunk = f"{len(bomb):x}\r\n".encode() + bomb + b"\r\n"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (found,) = answers(protocol, Reply(chunk, headers={"content-encoding": encoding}))
    assert isinstance(found, Fault)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000
