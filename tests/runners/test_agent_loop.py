"""The loop between an agent and its tools: what is called, what is recorded, and when it ends."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from tests.scripted import Script, asking
from toolgrade.foundations.fault import Fault
from toolgrade.gates.trace import Usage
from toolgrade.runners.agent_loop import FinishedConversation, run_conversation
from toolgrade.runners.agents.agent import AskedCall, OfferedTool, Task, Turn
from toolgrade.runners.catalogs.fingerprint import ServerListing
from toolgrade.runners.catalogs.merged_catalog import merge_catalogs
from toolgrade.runners.servers.session import ServerCallResult

OFFER = merge_catalogs({"docs": ServerListing(None, [{"name": "read"}, {"name": "fail"}, {"name": "say it"}])})
DONE = Turn(text="done")


def talk(script: Script, max_turns: int = 8) -> tuple[FinishedConversation, list[tuple[str, Any]]]:
    called: list[tuple[str, Any]] = []

    async def call(tool: OfferedTool, args: dict[str, Any]) -> ServerCallResult:
        called.append((tool.tool, args))
        status = "error" if tool.tool == "fail" else "ok"
        return ServerCallResult(status, {"said": tool.tool}, f"result of {tool.tool}")

    task = Task("do it", None, OFFER.tools)
    return asyncio.run(run_conversation(script, task, OFFER, call, max_turns)), called


def test_calls_are_made_in_order_and_their_results_go_back() -> None:
    script = Script(Turn((asking("read", a=1), asking("docs__say_it"))), Turn((asking("fail"),)), DONE)
    done, called = talk(script)
    assert called == [("read", {"a": 1}), ("say it", {}), ("fail", {})]
    assert [[(answer.text, answer.is_error) for answer in answers] for answers in script.read] == [
        [],
        [("result of read", False), ("result of say it", False)],
        [("result of fail", True)],
    ]
    assert done.tool_calls[1] == {
        "turn": 1,
        "server": "docs",
        "name": "say it",
        "args": {},
        "status": "ok",
        "result": {"said": "say it"},
    }
    assert [(call["turn"], call["status"]) for call in done.tool_calls] == [(1, "ok"), (1, "ok"), (2, "error")]
    assert (done.final_response, done.turns) == ("done", 3)


def test_a_tool_that_does_not_exist_is_recorded_and_never_called() -> None:
    done, called = talk(Script(Turn((asking("invent", q=1),)), DONE))
    assert called == []
    assert done.tool_calls == ({"turn": 1, "name": "invent", "args": {"q": 1}, "status": "unknown_tool"},)


def test_arguments_that_are_no_json_are_recorded_as_they_came() -> None:
    done, called = talk(Script(Turn((AskedCall("1", "read", None, '{"q": '),)), DONE))
    assert called == []
    assert done.tool_calls == ({"turn": 1, "server": "docs", "name": "read", "args": '{"q": ', "status": "malformed"},)


def test_the_last_turn_is_carried_out_and_leaves_no_answer() -> None:
    turn = Turn((asking("read"),), text="one moment")
    done, called = talk(Script(turn, turn, turn), max_turns=2)
    assert len(called) == 2
    assert (done.turns, done.final_response) == (2, None)


def test_usage_and_cost_are_added_up_and_unknown_where_a_part_is() -> None:
    known = Turn((asking("read"),), usage=Usage(10, 2), cost=Decimal("0.01"), retries=1, answered_by="m-1")
    done, _ = talk(Script(known, Turn(usage=Usage(5, None), cost=Decimal("0.02"), answered_by="m-1")))
    assert (done.usage, done.cost, done.retries) == (Usage(15, None), Decimal("0.03"), 1)
    assert done.answered_by == ("m-1",)
    done, _ = talk(Script(known, DONE))
    assert (done.usage, done.cost) == (None, None)


def test_an_agent_without_end_is_stopped() -> None:
    with pytest.raises(Fault, match="more than 1,000 calls"):
        talk(Script(Turn((asking("read"),) * 1001)))
