"""What was selected against what ran: by id, by arguments, by tool; and what only one side has."""

from typing import Any

import msgspec

from toolgrade.runners.catalogs.fingerprint import ServerListing
from toolgrade.runners.drivers.join import join_calls
from toolgrade.runners.taps.tap_record import ExecutedCall
from toolgrade.runners.trace_formats.imported_run import ImportedCall, ImportedRun

LISTINGS = {
    "docs": ServerListing("1", [{"name": "search"}, {"name": "read"}]),
    "mail_box": ServerListing("1", [{"name": "search"}]),
}


def selected(name: str, args: Any = None, **more: Any) -> ImportedCall:
    raw = msgspec.Raw(msgspec.json.encode(args or {}))
    return ImportedCall(name, args=raw, kind=more.pop("kind", "mcp"), **more)


def ran(server: str, name: str, turn: int, args: Any = None, call_id: str | None = None) -> ExecutedCall:
    return ExecutedCall(server, name, turn, args, call_id, status="ok", is_answered=True)


def briefly(calls: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(call.get("server"), call["name"], call["args"], call["status"], call["turn"]) for call in calls]


def test_calls_are_joined_by_id_before_anything_else() -> None:
    run = ImportedRun(
        (selected("mcp__docs__search", {"q": 1}, id="a"), selected("mcp__docs__search", {"q": 1}, id="b"))
    )
    joined = join_calls(
        run, [ran("docs", "search", 1, {"q": 2}, "b"), ran("docs", "search", 1, {"q": 3}, "a")], LISTINGS
    )
    assert briefly(joined.calls) == [("docs", "search", {"q": 3}, "ok", 1), ("docs", "search", {"q": 2}, "ok", 1)]
    assert joined.warnings == []


def test_parallel_calls_that_ran_in_another_order_are_joined_by_their_arguments() -> None:
    run = ImportedRun(
        (selected("search", {"q": 1}, server="docs", turn=2), selected("search", {"q": 2}, server="docs", turn=2))
    )
    joined = join_calls(run, [ran("docs", "search", 1, {"q": 2}), ran("docs", "search", 2, {"q": 1})], LISTINGS)
    assert briefly(joined.calls) == [("docs", "search", {"q": 1}, "ok", 2), ("docs", "search", {"q": 2}, "ok", 2)]


def test_a_server_with_an_underscore_is_told_from_another_with_the_same_tool() -> None:
    run = ImportedRun((selected("mcp_mail_box_search"), selected("docs_search")))
    joined = join_calls(run, [ran("docs", "search", 1, {}), ran("mail_box", "search", 2, {})], LISTINGS)
    assert [(call["server"], call["turn"]) for call in joined.calls] == [("mail_box", 2), ("docs", 1)]


def test_what_was_refused_or_does_not_exist_counts_as_selected() -> None:
    calls = (
        selected("search", {"q": 1}, server="docs", status="refused", turn=1),
        selected("search", {"q": 1}, server="docs", status="ok", turn=2),
        selected("made_up", server="docs", turn=3),
    )
    joined = join_calls(ImportedRun(calls), [ran("docs", "search", 1, {"q": 1})], LISTINGS)
    assert [call["status"] for call in joined.calls] == ["refused", "ok", "unknown_tool"]
    assert joined.warnings == []


def test_own_tools_are_counted_and_left_out() -> None:
    joined = join_calls(ImportedRun((selected("shell", kind="own"), selected("shell", kind="own"))), [], LISTINGS)
    assert (joined.calls, joined.own_tools) == ([], {"shell": 2})


def test_what_only_the_taps_saw_follows_and_is_said() -> None:
    run = ImportedRun((selected("read", server="docs", turn=4),))
    joined = join_calls(run, [ran("docs", "read", 1), ran("docs", "search", 2), ran("docs", "search", 3)], LISTINGS)
    assert [(call["name"], call["turn"]) for call in joined.calls] == [("read", 4), ("search", 4), ("search", 4)]
    assert joined.warnings == ["calls reached a server that the program's trace does not have: docs.search (2)"]
