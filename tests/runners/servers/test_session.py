"""Connections to servers that behave, and to servers that do not. After each, no process is left."""

import asyncio
import json
import os
import re
import resource
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.rogues import rogue, started_by_us
from toolgrade.compiler.plan import StdioServer
from toolgrade.foundations.fault import BadInput, ServerFault, ServerGone
from toolgrade.runners.servers.limits import ServerLimits
from toolgrade.runners.servers.process_tree import MARK
from toolgrade.runners.servers.session import ServerCallResult, Session, connect_server
from toolgrade.runners.servers.transports import LaunchContext

QUICK = ServerLimits(start_s=30, list_s=20, call_s=20, stop_s=0.5)


@asynccontextmanager
async def connected(
    server: StdioServer, limits: ServerLimits = QUICK, environment: Mapping[str, str] | None = None
) -> AsyncGenerator[Session]:
    """A connection after which nothing of the server may be alive."""
    try:
        async with connect_server(server, LaunchContext(environment or os.environ, Path()), limits) as session:
            yield session
    finally:
        assert started_by_us() == []


def run(test: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(test())


def call(server: StdioServer, limits: ServerLimits = QUICK, **args: Any) -> tuple[ServerCallResult, tuple[str, ...]]:
    """One call of `echo`, and the warnings after it."""

    async def test() -> tuple[ServerCallResult, tuple[str, ...]]:
        async with connected(server, limits) as session:
            return await session.call_tool("echo", args), session.list_warnings()

    return run(test)


def start(server: StdioServer, limits: ServerLimits = QUICK) -> None:
    async def test() -> None:
        async with connected(server, limits):
            pass

    run(test)


def test_a_listing_holds_what_the_server_sent_and_its_version() -> None:
    async def test() -> None:
        async with connected(rogue("pages")) as session:
            assert session.listing.version == "1.0"
            assert [tool["name"] for tool in session.listing.tools] == ["first", "echo"]
            assert session.listing.tools[1] == {
                "name": "echo",
                "description": "Say it back.",
                "inputSchema": {"type": "object"},
            }

    run(test)


def test_a_call_gives_its_result_and_the_text_of_it() -> None:
    result, warnings = call(rogue(), word="ja")
    assert result.status == "ok"
    assert json.loads(result.text) == {"tool": "echo", "word": "ja"}
    assert result.result == {"content": [{"type": "text", "text": result.text}]}
    assert warnings == ()


def test_calls_at_once_get_their_own_answers() -> None:
    async def test() -> None:
        async with connected(rogue("crosses", "repeats", "banner")) as session:
            results = await asyncio.gather(*(session.call_tool("echo", {"n": number}) for number in range(20)))
            assert [json.loads(result.text)["n"] for result in results] == list(range(20))

    run(test)


def test_what_is_raised_inside_the_block_comes_out_as_it_is() -> None:
    async def test() -> None:
        async with connected(rogue()):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(test)


def test_text_on_stdout_is_skipped_and_counted() -> None:
    result, warnings = call(rogue("banner"))
    assert result.status == "ok"
    assert warnings == ("server `rogue` writes lines to stdout that are not messages: skipped",)


def test_json_that_is_no_message_and_answers_to_nothing_are_ignored() -> None:
    result, warnings = call(rogue("no-rpc", "crosses", "repeats"))
    assert result.status == "ok"
    assert "for nobody" not in result.text
    assert any("lines to stdout that are not messages" in warning for warning in warnings)
    assert any("answers that nobody asked for" in warning for warning in warnings)


def test_invalid_utf8_on_stdout_is_skipped() -> None:
    result, warnings = call(rogue("bad-utf8"))
    assert result.status == "ok"
    assert len(warnings) == 1


def test_a_line_that_does_not_end_ends_the_server_in_bounded_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    limits = ServerLimits(stop_s=0.5, message_bytes=4_000_000, flood_bytes=200_000_000)
    with pytest.raises(ServerGone, match="bytes without an end of line"):
        start(rogue("flood-list"), limits)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


def test_a_result_too_long_to_keep_is_known_by_length_and_hash() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    limits = ServerLimits(stop_s=0.5, message_bytes=4_000_000)
    result, _ = call(rogue("huge-result", ROGUE_BYTES="200000000"), limits)
    assert result.status == "ok"
    assert "[not kept: a message of 2000000" in result.text
    assert "sha256:" in result.text
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


def test_a_long_result_is_cut_with_length_and_hash() -> None:
    result, _ = call(rogue("big-result"))
    assert result.status == "ok"
    assert "[cut: 5000000 bytes, sha256:" in result.text
    assert len(json.dumps(result.result)) < 20_000


def test_a_binary_result_is_cut_and_described() -> None:
    result, _ = call(rogue("blob"))
    assert result.text == "[image, image/png, 600000 characters]"
    assert len(json.dumps(result.result)) < 20_000


def test_a_flood_on_stderr_is_drained_and_its_end_kept() -> None:
    limits = ServerLimits(start_s=60, stop_s=0.5)
    with pytest.raises(ServerFault) as caught:
        start(rogue("stderr", "dies-at-start", ROGUE_BYTES="100000000"), limits)
    assert "ended with code 1 before it was ready" in str(caught.value)
    assert caught.value.details[-2:] == ("the last word", "no licence found")
    assert sum(map(len, caught.value.details)) <= 64 * 1024


@pytest.mark.parametrize("behaviour", ["never-answers", "slow-byte"])
def test_a_server_that_does_not_start_in_time_is_given_up(behaviour: str) -> None:
    began = time.monotonic()
    with pytest.raises(ServerFault, match="did not start within 1 s"):
        start(rogue(behaviour), ServerLimits(start_s=1, stop_s=0.2))
    assert time.monotonic() - began < 15


def test_a_command_that_does_not_exist_is_named() -> None:
    with pytest.raises(ServerFault, match="`rogue` could not be started: No such file"):
        start(StdioServer("rogue", ("no-such-program-here",)))


def test_a_call_without_an_answer_times_out_and_leaves_the_server() -> None:
    result, _ = call(rogue("hangs"), ServerLimits(call_s=0.5, stop_s=0.2))
    assert result == ServerCallResult("timeout", {"message": "no answer within 0.5 s"}, "no answer within 0.5 s")


def test_a_server_that_dies_in_a_call_is_gone() -> None:
    with pytest.raises(ServerGone, match="`rogue` was ended by signal 9"):
        call(rogue("dies-in-call"))


@pytest.mark.parametrize(
    "behaviours", [("stubborn",), ("grandchild",), ("resession",), ("stubborn", "resession", "grandchild")]
)
def test_nothing_of_a_server_is_left(behaviours: tuple[str, ...]) -> None:
    async def test() -> None:
        async with connected(rogue(*behaviours)) as session, asyncio.timeout(30):
            family = 1 + sum(word in behaviours for word in ("grandchild", "resession"))
            while len(started_by_us()) < family:  # a child shows its environment only once it is up
                await asyncio.sleep(0.05)
            assert session.pid in started_by_us()

    run(test)


def test_nothing_is_left_when_a_connection_is_cancelled() -> None:
    async def test() -> None:
        async def hold() -> None:
            async with connected(rogue("stubborn", "resession")):
                await asyncio.sleep(600)

        task = asyncio.create_task(hold())
        while not started_by_us():
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(test)


def test_ten_thousand_tools_are_listed() -> None:
    async def test() -> None:
        async with connected(rogue("many")) as session:
            assert len(session.listing.tools) == 10_000

    run(test)


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("circle", "lists its tools in a circle"),
        ("endless", "lists its tools on more than 30 pages"),
        ("not-a-list", "something that is not a list of tools"),
    ],
)
def test_a_listing_that_is_none_is_refused(behaviour: str, message: str) -> None:
    with pytest.raises(ServerFault, match=message):
        start(rogue(behaviour), ServerLimits(pages=30, stop_s=0.5))


def test_schemas_of_any_shape_are_listed_as_they_came() -> None:
    async def test() -> None:
        async with connected(rogue("odd-schemas")) as session:
            tools = {tool["name"]: tool for tool in session.listing.tools}
            assert tools["null"]["inputSchema"] is None
            assert tools["list"]["inputSchema"] == ["object"]
            assert tools["remote"]["inputSchema"]["$ref"] == "http://127.0.0.1:9/schema"
            assert "inputSchema" not in tools["missing"]
            assert tools["extra"]["x-vendor"] == {"kept": True}
            assert (await session.call_tool("null", {})).status == "ok"

    run(test)


def test_a_changed_list_is_noticed() -> None:
    async def test() -> None:
        async with connected(rogue("changes", "changes-announced")) as session:
            first = session.listing.tools[0]["description"]
            assert session.list_changes == 0
            await session.call_tool("echo", {})
            await session.call_tool("echo", {})
            assert session.list_changes >= 1
            assert (await session.list_tools()).tools[0]["description"] != first

    run(test)


@pytest.mark.parametrize(
    ("behaviour", "status", "text"),
    [
        ("tool-error", "error", "no such page"),
        ("rpc-error", "protocol_error", "the database is on fire"),
        ("empty", "empty", ""),
    ],
)
def test_failures_have_statuses_of_their_own(behaviour: str, status: str, text: str) -> None:
    result, _ = call(rogue(behaviour))
    assert (result.status, result.text) == (status, text)


def test_what_a_server_asks_of_us_is_denied_and_told() -> None:
    result, warnings = call(rogue("asks"))
    assert set(json.loads(result.text).values()) == {"error"}
    assert warnings == (
        "server `rogue` asked for elicitation/create: denied",
        "server `rogue` asked for roots/list: denied",
        "server `rogue` asked for sampling/createMessage: denied",
    )


def test_what_was_skipped_is_told_in_numbers() -> None:
    async def test() -> None:
        async with connected(rogue("banner")) as session:
            (note,) = session.list_notes()
            assert re.fullmatch(r"server `rogue`: \d+ lines on stdout skipped; the first: Welcome to rogue 1.0!", note)

    run(test)


def test_a_server_gets_only_the_variables_of_the_list_and_of_the_suite() -> None:
    async def test() -> None:
        environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "CANARY": "sing", "GIVEN": "taken"}
        server = rogue("environment", NAMED="as ${env:GIVEN}")
        async with connected(server, environment=environment) as session:
            seen = json.loads((await session.call_tool("echo", {})).text)
            assert {*seen} - {"LC_CTYPE"} == {
                "PATH",
                "HOME",
                "NAMED",
                "ROGUE_OF",
                MARK,
            }  # Python adds LC_CTYPE to itself
            assert seen["NAMED"] == "as taken"

    run(test)


def test_a_variable_that_is_not_set_is_the_users_mistake() -> None:
    with pytest.raises(BadInput, match="the environment variable NOT_SET_ANYWHERE is not set"):
        start(rogue(TOKEN="${env:NOT_SET_ANYWHERE}"))
