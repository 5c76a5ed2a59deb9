"""The tap around real servers: what a client and a server see is what they would see without it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.conftest import RunToolgrade, ThirdParty
from tests.rogues import ROGUE, started_by_us

DESK = Path(__file__).parents[2] / "servers" / "desk.py"
CAT = [sys.executable, "-u", "-c", "import os, sys\nwhile d := os.read(0, 65536): os.write(1, d)"]
SLEEPER = [sys.executable, "-c", "import signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(600)"]
OPENING = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    '"clientInfo":{"name":"test","version":"1"}}}\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)


def tapped(command: Sequence[str], log: Path, name: str = "docs") -> list[str]:
    return [sys.executable, "-m", "toolgrade", "tap", "--log", str(log), name, "--", *command]


def read_log(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_bytes().split(b"\n") if line]


def messages(log: Path, sender: str | None = None) -> list[Any]:
    return [line["message"] for line in read_log(log) if sender in (None, line["dir"]) and not is_note(line["message"])]


def is_note(message: Any) -> bool:
    return '"method": "$/' in json.dumps(message)


def talk(argv: Sequence[str], data: bytes, **env: str) -> tuple[bytes, int]:
    """What a program answers to these bytes, and its exit code."""
    done = subprocess.run(argv, input=data, capture_output=True, timeout=120, env={**os.environ, **env}, check=False)
    return done.stdout, done.returncode


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n', id="crlf"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', id="no newline at the end"),
        pytest.param(b'{"jsonrpc":"2.0","id":"\xff\xfe","result":{}}\n\x00\x01\n\n\n', id="not UTF-8"),
        pytest.param(b"Welcome!\n\r\n{half\n[[[[" + b"[" * 100_000 + b"\n", id="not JSON, nested deep"),
        pytest.param(b'{"jsonrpc":"2.0","id":' + b"9" * 9000 + b"}\n", id="a number of 9,000 digits"),
        pytest.param(b'{"id":NaN}\n{"id":1e999}\n"\\ud800"\n', id="odd values"),
    ],
)
def test_bytes_pass_unchanged(data: bytes, tmp_path: Path) -> None:
    assert talk(tapped(CAT, tmp_path / "log"), data) == (data, 0)
    lines = read_log(tmp_path / "log")
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1]["message"] == {"jsonrpc": "2.0", "method": "$/tap/end", "params": {"exit_code": 0, "lost": 0}}


def test_a_message_of_100_mb_passes_and_its_length_and_hash_are_noted(tmp_path: Path) -> None:
    data = b'{"jsonrpc":"2.0","id":"big","result":{"text":"' + b"x" * 100_000_000 + b'"}}\n'
    assert talk(tapped(CAT, tmp_path / "log"), data) == (data, 0)
    sent, answered = messages(tmp_path / "log")
    assert sent == answered
    assert answered["id"] == "big"
    assert "a message of 100000049 bytes, sha256:" in answered["result"]["content"][0]["text"]
    assert (tmp_path / "log").stat().st_size < 5000


def test_ids_of_any_kind_and_batches_are_noted_a_message_a_line(tmp_path: Path) -> None:
    ids: list[Any] = [1, "1", 2.5, None, -7, "é", 10**30, True]
    batch = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in ids]
    data = "".join(json.dumps(part) + "\n" for part in batch) + json.dumps(batch) + "\n"
    assert talk(tapped(CAT, tmp_path / "log"), data.encode())[0] == data.encode()
    assert messages(tmp_path / "log", "client") == batch * 2
    assert messages(tmp_path / "log", "server") == batch * 2


def test_a_message_without_a_secret_stands_in_the_log_as_it_was_sent(tmp_path: Path) -> None:
    message = '{"b":1.10,"a":123456789012345678901234567890.5,"b":"\\u00e9 é","jsonrpc":"2.0"}'
    talk(tapped(CAT, tmp_path / "log"), message.encode() + b"\n")
    assert f'"message": {message}}}\n'.encode() in (tmp_path / "log").read_bytes()


def test_secrets_are_taken_out_of_the_log_and_not_out_of_what_passes(tmp_path: Path) -> None:
    data = b'{"id":1,"params":{"password":"hunter2-hunter2","text":"use canary-one, or canary-two"}}\nkey canary-one\n'
    argv = tapped(CAT, tmp_path / "log")
    argv.insert(4, "--secret=PLAIN")
    assert talk(argv, data, DOCS_TOKEN="canary-one", PLAIN="canary-two")[0] == data
    text = (tmp_path / "log").read_text()
    assert "[redacted]" in text
    assert not any(secret in text for secret in ("hunter2", "canary"))


SECRETS = [
    *(
        '"password": "hunter2hunter2"',
        '"apiKey": "hunter2hunter2"',
        '"X-Auth-Token": "x1"',
        '"Set-Cookie": "a=hunter2"',
    ),
    *('"t": "Authorization: Bearer hunter2hunter2"', '"t": "basic aHVudGVyMg=="', '"t": "cookie: a=hunter2hunter2"'),
    *('"url": "http://a/?key=hunter2h"', '"url": "http://a/?sig=hunter2h"', '"url": "http://a/?signature=hunter2h"'),
    *('"t": "sk-ant-hunter2hunter2hunter2"', '"t": "ghp_hunter2hunter2hunter2"', '"t": "xoxb-hunter2hunter2"'),
    *(
        '"t": "AKIAHUNTER2HUNTER2AB"',
        '"t": "AIzahunter2hunter2hunter2hunter2hunter2"',
        '"t": "glpat-hunter2hunter2hunt"',
    ),
    *(
        '"t": "hf_hunter2hunter2hunter2"',
        '"t": "eyJhunter2hu.hunter2hunter2.hunter2"',
        '"t": "github_pat_hunter2hunter2hunter2"',
    ),
    *(
        '"\\u0070assword": "hunter2hunter2"',
        '"t": "canary\\/one"',
        '"t": "\\u0063anary/one"',
        '"credentials": {"a": 1}',
    ),
]


@pytest.mark.parametrize("member", SECRETS)
def test_whatever_looks_like_a_secret_is_searched_for(member: str, tmp_path: Path) -> None:
    from toolgrade.runners.taps.message_log import MessageLog

    MessageLog(tmp_path / "log", "docs", ["canary/one"]).note_line("client", b"{%s}" % member.encode())
    assert "[redacted]" in (tmp_path / "log").read_text()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_lists_and_calls_through_a_tap_in_both_eras(mode: Literal["auto", "legacy"], tmp_path: Path) -> None:
    argv = tapped([sys.executable, str(DESK), "docs"], tmp_path / "log")

    async def run() -> str:
        with (tmp_path / "stderr").open("w") as errors:
            transport = stdio_client(StdioServerParameters(command=argv[0], args=argv[1:]), errlog=errors)
            async with Client(transport, mode=mode, read_timeout_seconds=30) as client:
                listed = await client.list_tools(cache_mode="bypass")
                assert [tool.name for tool in listed.tools] == ["search", "read_page"]
                for number in range(20):
                    await client.call_tool("search", {"query": str(number)})
                return client.protocol_version

    assert asyncio.run(run()) == ("2026-07-28" if mode == "auto" else "2025-11-25")
    asked = [message["params"]["arguments"] for message in messages(tmp_path / "log") if is_call(message)]
    assert asked == [{"query": str(number)} for number in range(20)]


def is_call(message: dict[str, Any]) -> bool:
    return message.get("method") == "tools/call"


def make_calls(tool: str, arguments: str, count: int) -> bytes:
    calls = (
        f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}\n'
        for number in range(1, count + 1)
    )
    return (OPENING + "".join(calls)).encode()


def ask_in_turn(argv: Sequence[str], data: bytes) -> list[bytes]:
    """Answers of a server that gets each request when the one before is answered."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers: list[bytes] = []
        for line in data.splitlines(keepends=True):
            process.stdin.write(line)
            process.stdin.flush()
            if b'"id":' in line:
                answers.append(process.stdout.readline())
        process.stdin.close()
        assert process.wait(20) == 0
    return answers


def check_equal_with_and_without(command: list[str], data: bytes, count: int, log: Path) -> None:
    assert ask_in_turn(tapped(command, log), data) == ask_in_turn(command, data)
    calls = [message for message in messages(log, "client") if is_call(message)]
    answers = [message["id"] for message in messages(log, "server") if "id" in message]
    assert [message["id"] for message in calls] == list(range(1, count + 1))
    assert answers == list(range(count + 1))


def test_ten_thousand_calls_are_the_same_bytes_with_and_without_a_tap(tmp_path: Path) -> None:
    data = make_calls("echo", '{"text":"é"}', 10_000)
    check_equal_with_and_without([sys.executable, str(ROGUE)], data, 10_000, tmp_path / "log")


def test_a_server_of_the_sdk_is_the_same_with_and_without_a_tap(tmp_path: Path) -> None:
    data = make_calls("search", '{"query":"mail"}', 500)
    check_equal_with_and_without([sys.executable, str(DESK), "docs"], data, 500, tmp_path / "log")


@pytest.mark.node
def test_a_server_on_node_is_the_same_with_and_without_a_tap(third_party: ThirdParty, tmp_path: Path) -> None:
    data = make_calls("echo", '{"message":"mail"}', 500)
    command = [third_party("mcp-server-everything"), "stdio"]
    answers, plain = ask_in_turn(tapped(command, tmp_path / "log"), data), ask_in_turn(command, data)
    assert sorted(answers) == sorted(plain)
    assert len([message for message in messages(tmp_path / "log", "client") if is_call(message)]) == 500


def test_several_taps_share_a_log_without_mixing_lines(tmp_path: Path) -> None:
    data = make_calls("echo", json.dumps({"text": "x" * 3000}).replace(" ", ""), 300)
    taps = [
        subprocess.Popen(
            tapped([sys.executable, str(ROGUE)], tmp_path / "log", f"server {number}"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        for number in range(4)
    ]
    for tap in taps:
        tap.communicate(data, timeout=60)
    by_tap: dict[str, list[int]] = {}
    for line in read_log(tmp_path / "log"):
        by_tap.setdefault(line["tap"], []).append(line["seq"])
    # initialize and its answer, the notification, 300 calls and their answers, the end
    assert by_tap == {f"server {number}": list(range(1, 605)) for number in range(4)}


def test_the_exit_code_is_that_of_the_server(tmp_path: Path) -> None:
    assert talk(tapped([sys.executable, "-c", "raise SystemExit(7)"], tmp_path / "log"), b"")[1] == 7
    killed = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    assert talk(tapped(killed, tmp_path / "log"), b"")[1] == 137
    assert read_log(tmp_path / "log")[-1]["message"]["params"]["exit_code"] == 137


def test_a_program_that_is_not_there_is_said(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("tap", "docs", "--", "/nowhere/server")
    assert done.code == 2
    assert "server `docs` could not be started: No such file or directory" in done.stderr


def test_a_name_without_a_command_is_bad_usage(run_toolgrade: RunToolgrade) -> None:
    assert run_toolgrade("tap", "docs").code == 2
    assert "give a name and, after --, the command of the server" in run_toolgrade("tap").stderr


@pytest.mark.parametrize("log", ["/dev/full", "/nowhere/log"])
def test_a_tap_that_cannot_log_passes_everything_on_and_says_so(log: str) -> None:
    data = make_calls("echo", "{}", 20)
    argv = tapped([sys.executable, str(ROGUE)], Path(log))
    done = subprocess.run(argv, input=data, capture_output=True, timeout=60, check=False)
    assert done.stdout == talk([sys.executable, str(ROGUE)], data)[0]
    assert done.returncode == 0
    assert b"toolgrade tap: 44 messages were passed on and not logged: " in done.stderr


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[int]]]:
    """Lists the processes that a test started; none may be left at its end."""
    monkeypatch.setenv("ROGUE_OF", str(os.getpid()))
    yield started_by_us
    wait_until(lambda: not started_by_us())


def start(command: list[str], log: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(tapped(command, log), stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.mark.parametrize("behaviours", [(), ("grandchild", "resession"), ("stubborn", "grandchild")])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_tap_is_killed(
    behaviours: tuple[str, ...], number: int, ours: Callable[[], list[int]], tmp_path: Path
) -> None:
    with start([sys.executable, str(ROGUE), *behaviours], tmp_path / "log") as tap:
        assert tap.stdin is not None
        assert tap.stdout is not None
        tap.stdin.write(OPENING.encode())
        tap.stdin.flush()
        assert tap.stdout.readline()
        assert len(ours()) >= 3
        tap.send_signal(number)
        if number == signal.SIGTERM and "stubborn" in behaviours:  # a client would go on to SIGKILL
            time.sleep(0.3)
            tap.kill()
        tap.stdout.close()
        tap.stdin.close()
        tap.wait(20)


def test_a_server_that_ignores_its_end_is_ended_when_the_client_is_gone(
    ours: Callable[[], list[int]], tmp_path: Path
) -> None:
    with start(SLEEPER, tmp_path / "log") as tap:
        assert tap.stdin is not None
        assert tap.stdout is not None
        wait_until(lambda: len(ours()) == 3)
        tap.stdin.close()
        tap.stdout.close()
        assert tap.wait(20) == 137


def test_a_client_that_is_killed_takes_tap_and_server_with_it(ours: Callable[[], list[int]], tmp_path: Path) -> None:
    program = "import subprocess, sys, time\nsubprocess.Popen(sys.argv[1:], stdin=-1, stdout=-1)\ntime.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", program, *tapped(SLEEPER, tmp_path / "log")]) as client:
        wait_until(lambda: len(ours()) == 4)
        client.kill()


@pytest.mark.parametrize("kept", range(6))
def test_the_log_is_whole_up_to_the_message_at_which_the_tap_is_killed(
    kept: int, ours: Callable[[], list[int]], tmp_path: Path
) -> None:
    data = make_calls("echo", "{}", kept).splitlines(keepends=True)
    with start([sys.executable, str(ROGUE)], tmp_path / "log") as tap:
        assert tap.stdin is not None
        assert tap.stdout is not None
        for line in data:
            tap.stdin.write(line)
            tap.stdin.flush()
            if b'"id":' in line:
                tap.stdout.readline()
        tap.kill()
    assert [m["id"] for m in messages(tmp_path / "log", "server")] == list(range(kept + 1))
    # A notification has no answer to wait for: the last message sent may not have arrived if it is one.
    assert kept + 1 + bool(kept) <= len(messages(tmp_path / "log", "client")) <= kept + 2


@pytest.mark.parametrize("behaviour", ["dies-at-start", "dies-in-call"])
def test_a_server_that_dies_ends_the_tap(behaviour: str, ours: Callable[[], list[int]], tmp_path: Path) -> None:
    data = make_calls("echo", "{}", 1)
    argv = tapped([sys.executable, str(ROGUE), behaviour], tmp_path / "log")
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tap:
        assert tap.stdin is not None
        tap.stdin.write(data)
        tap.stdin.flush()  # and the client does not close its side
        assert tap.wait(20) == (1 if behaviour == "dies-at-start" else 137)


def test_starting_a_tap_imports_nothing_heavy() -> None:
    code = "import sys, toolgrade.cli, toolgrade.runners.taps.stdio_tap; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"mcp", "pydantic", "msgspec", "asyncio", "httpx2", "yaml"} & set(loaded)
