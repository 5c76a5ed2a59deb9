"""Listings and calls, read from a log while it is written."""

import json
from pathlib import Path
from typing import Any

import pytest

from toolgrade.runners.taps.tap_record import TapLogReader, TapRecord


class Log:
    def __init__(self, path: Path) -> None:
        self.path, self.seq = path, 0

    def add(self, sender: str, message: Any, tap: str = "docs", pid: int = 1) -> None:
        self.seq += 1
        line = {"tap": tap, "pid": pid, "seq": self.seq, "dir": sender, "message": message}
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def exchange(self, number: Any, method: str, params: dict[str, Any], **answer: Any) -> None:
        self.add("client", {"id": number, "method": method, "params": params})
        self.add("server", {"id": number, **answer})

    def read(self) -> TapRecord:
        return TapLogReader(self.path).read_on()


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path / "tap.jsonl")


def test_a_log_that_is_not_there_yet_is_empty(log: Log) -> None:
    assert log.read() == TapRecord()


def test_pages_are_put_together_and_ids_of_any_kind_are_matched(log: Log) -> None:
    log.exchange(None, "initialize", {}, result={"serverInfo": {"name": "d", "version": "2"}})
    log.exchange("a", "tools/list", {}, result={"tools": [{"name": "one"}], "nextCursor": "2"})
    assert log.read().listings == {}
    log.exchange(2.5, "tools/list", {"cursor": "2"}, result={"tools": [{"name": "two"}]})
    listing = log.read().listings["docs"]
    assert (listing.version, [tool["name"] for tool in listing.tools]) == ("2", ["one", "two"])


def test_the_same_id_in_both_directions_is_two_requests(log: Log) -> None:
    log.add("client", {"id": 1, "method": "tools/call", "params": {"name": "ask"}})
    log.add("server", {"id": 1, "method": "elicitation/create", "params": {}})
    log.add("client", {"id": 1, "result": {"action": "accept"}})
    assert log.read().calls[0].status == "no_answer"
    log.add("server", {"id": 1, "result": {"content": [{"type": "text", "text": "ok"}]}})
    assert log.read().calls[0].status == "ok"


def test_a_listing_after_list_changed_is_kept_apart(log: Log) -> None:
    log.exchange(1, "tools/list", {}, result={"tools": [{"name": "one"}]})
    log.add("server", {"method": "notifications/tools/list_changed"})
    log.exchange(2, "tools/list", {}, result={"tools": [{"name": "two"}]})
    record = log.read()
    assert [tool["name"] for tool in record.listings["docs"].tools] == ["one"]
    assert [tool["name"] for tool in record.later_listings["docs"].tools] == ["two"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"result": {"content": [], "isError": False}}, "empty"),
        ({"result": {"content": [{"type": "text", "text": "x"}], "isError": True}}, "error"),
        ({"error": {"code": -32603, "message": "on fire"}}, "protocol_error"),
        ({"result": "odd"}, "empty"),
    ],
)
def test_what_became_of_a_call_has_the_words_of_our_own_loop(log: Log, answer: dict[str, Any], status: str) -> None:
    log.exchange(1, "tools/call", {"name": "x", "_meta": {"callId": "c1"}}, **answer)
    [call] = log.read().calls
    assert (call.status, call.call_id) == (status, "c1")


def test_calls_that_were_under_way_at_once_are_of_one_turn(log: Log) -> None:
    log.add("client", {"id": 1, "method": "tools/call", "params": {"name": "a"}})
    log.add("client", {"id": 2, "method": "tools/call", "params": {"name": "b"}})
    log.add("server", {"id": 2, "result": {}})
    log.add("server", {"id": 1, "result": {}})
    log.exchange(3, "tools/call", {"name": "c"}, result={})
    assert [call.turn for call in log.read().calls] == [1, 1, 2]


def test_lost_and_broken_lines_are_counted(log: Log) -> None:
    log.add("client", {"id": 1, "method": "ping"})
    log.seq += 3
    log.add("client", {"id": 2, "method": "ping"})
    with log.path.open("a") as file:
        file.write('{"tap": "do\n')
    log.add("server", {"method": "$/tap/end", "params": {"exit_code": 0, "lost": 2}})
    assert log.read().lost == 3 + 1 + 2


def test_a_line_that_is_being_written_is_read_when_it_is_whole(log: Log) -> None:
    log.exchange(1, "tools/call", {"name": "a"}, result={})
    data = log.path.read_bytes()
    log.path.write_bytes(data[:-10])
    reader = TapLogReader(log.path)
    assert reader.read_on().calls[0].is_answered is False
    log.path.write_bytes(data)
    assert reader.read_on().calls[0].is_answered is True
