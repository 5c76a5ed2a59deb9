"""Drift names what changed, and tells what the model sees from what it does not."""

import unicodedata
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.foundations.canonical_json import to_json
from toolgrade.runners.catalogs.drift import ToolChange, describe_tool_change, find_drift, is_drift
from toolgrade.runners.catalogs.fingerprint import ServerListing, Toolset, fingerprint

Tool = dict[str, Any]
SEARCH: Tool = {
    "name": "search",
    "description": "Search the docs.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "default": "a"}}},
    "annotations": {"readOnlyHint": True},
}
FETCH: Tool = {**SEARCH, "name": "fetch", "description": "Fetch a page."}

# Few names and few values: twins, renames and swaps come up often.
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "description": st.sampled_from(["", "one", "two", None]),
    "inputSchema": st.sampled_from([{}, {"type": "object"}, {"x": 1}, None]),
    "annotations": st.sampled_from([None, {"x": 1}]),
    "x-vendor": st.booleans(),
}
NAME: dict[str, st.SearchStrategy[Any]] = {"name": st.sampled_from(["a", "b", "c", 5, "5"])}
TOOLS: st.SearchStrategy[list[Tool]] = st.lists(st.fixed_dictionaries(NAME, optional=FIELDS), max_size=6)
LISTINGS = st.dictionaries(st.sampled_from(["docs", "git"]), TOOLS)

CASES: list[tuple[list[Tool], str, bool]] = [
    ([{**SEARCH, "description": "Search the docs.."}, FETCH], "docs.search: description changed", True),
    ([{**SEARCH, "inputSchema": {"type": "object"}}, FETCH], "docs.search: inputSchema changed", True),
    (
        [{**SEARCH, "description": "", "inputSchema": None}, FETCH],
        "docs.search: description and inputSchema changed",
        True,
    ),
    ([{**SEARCH, "name": "find"}, FETCH], "docs: search renamed to find", True),
    ([SEARCH, FETCH, {"name": "ping"}], "docs: ping added", True),
    ([FETCH], "docs: search removed", True),
    ([FETCH, SEARCH], "docs: the order of tools changed (the model sees the same set)", False),
    (
        [{**SEARCH, "annotations": None}, FETCH],
        "docs.search: annotations changed, outside what the model sees",
        False,
    ),
    (
        [{**SEARCH, "title": "S", "_meta": {}, "x": 1}, FETCH],
        "docs.search: _meta, other fields and title changed, outside what the model sees",
        False,
    ),
]


def toolset(**servers: list[Tool]) -> Toolset:
    return fingerprint({name: ServerListing(None, tools) for name, tools in servers.items()})


def lines(old: list[Tool], new: list[Tool]) -> list[str]:
    return [describe_tool_change(change) for change in find_drift(toolset(docs=old), toolset(docs=new))]


@given(LISTINGS)
def test_nothing_changed_between_a_toolset_and_itself(listings: dict[str, list[Tool]]) -> None:
    assert find_drift(toolset(**listings), toolset(**listings)) == ()


@given(LISTINGS, LISTINGS)
def test_drift_is_what_moves_the_fingerprint(old: dict[str, list[Tool]], new: dict[str, list[Tool]]) -> None:
    before, after = toolset(**old), toolset(**new)
    assert is_drift(find_drift(before, after)) == (before.fingerprint != after.fingerprint)
    assert (find_drift(before, after) == ()) == (before.tools == after.tools)


@given(LISTINGS, LISTINGS)
def test_what_is_added_one_way_is_removed_the_other(old: dict[str, list[Tool]], new: dict[str, list[Tool]]) -> None:
    there, back = find_drift(toolset(**old), toolset(**new)), find_drift(toolset(**new), toolset(**old))
    mirror = {"added": "removed", "removed": "added"}
    assert sorted(mirror.get(one.kind, one.kind) for one in there) == sorted(one.kind for one in back)


@given(TOOLS, st.randoms(use_true_random=False))
def test_permuted_tools_are_only_reordered(tools: list[Tool], random: Any) -> None:
    moved = list(tools)
    random.shuffle(moved)
    before, after = toolset(docs=tools), toolset(docs=moved)
    assert find_drift(before, after) == (() if before.tools == after.tools else (ToolChange("reordered", "docs"),))


@given(
    st.integers(0, 4),
    st.sampled_from(["description", "inputSchema", "annotations", "title"]),
    st.sampled_from(["", None, {}, [], "Search the docs. ", {"type": "object"}, 2**60]),
)
def test_any_edit_of_one_field_is_named(place: int, field: Any, value: Any) -> None:
    tools = [{**SEARCH, "name": f"t{n}"} for n in range(5)]
    edited = [{**tool, field: value} if n == place else tool for n, tool in enumerate(tools)]
    kind = "changed" if field in ("description", "inputSchema") else "outside"
    assert find_drift(toolset(docs=tools), toolset(docs=edited)) == (ToolChange(kind, "docs", f"t{place}", (field,)),)


@given(st.integers(0, 4), st.sampled_from(["description", "inputSchema", "annotations"]))
def test_a_field_left_out_is_named(place: int, field: Any) -> None:
    tools = [{**SEARCH, "name": f"t{n}"} for n in range(5)]
    edited = [{key: tool[key] for key in tool if n != place or key != field} for n, tool in enumerate(tools)]
    (change,) = find_drift(toolset(docs=tools), toolset(docs=edited))
    assert (change.tool, change.fields) == (f"t{place}", (field,))


@pytest.mark.parametrize(("new", "line", "seen"), CASES)
def test_each_kind_of_change_reads_as_a_line(new: list[Tool], line: str, seen: bool) -> None:
    changes = find_drift(toolset(docs=[SEARCH, FETCH]), toolset(docs=new))
    assert [describe_tool_change(change) for change in changes] == [line]
    assert is_drift(changes) == seen


def test_schema_default_is_drift_and_order_of_keys_is_none() -> None:
    schema = {"properties": {"q": {"default": "a", "type": "string"}}, "type": "object"}
    assert lines([SEARCH], [{**SEARCH, "inputSchema": schema}]) == []
    schema["properties"] = {"q": {"default": "b", "type": "string"}}
    assert lines([SEARCH], [{**SEARCH, "inputSchema": schema}]) == ["docs.search: inputSchema changed"]


def test_tool_that_moved_to_another_server_is_not_renamed() -> None:
    changes = find_drift(toolset(docs=[SEARCH], git=[]), toolset(docs=[], git=[{**SEARCH, "name": "find"}]))
    assert [describe_tool_change(change) for change in changes] == ["docs: search removed", "git: find added"]


@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"properties": {}, "type": "object"}])
def test_tools_without_description_and_parameters_are_not_renamed(schema: Any) -> None:
    old: Tool = {"name": "start", "description": "", "inputSchema": schema}
    assert lines([old], [{**old, "name": "stop"}]) == ["docs: start removed", "docs: stop added"]
    assert lines([{"name": "start"}], [{"name": "stop"}]) == ["docs: start removed", "docs: stop added"]


def test_ambiguous_renames_are_additions_and_removals() -> None:
    new = [{**SEARCH, "name": name} for name in ("find", "look")]
    assert lines([SEARCH], new) == ["docs: find added", "docs: look added", "docs: search removed"]


def test_renamed_tool_may_change_outside_and_in_place_too() -> None:
    found = lines([SEARCH, FETCH], [FETCH, {**SEARCH, "name": "find", "annotations": {}}])
    assert found == [
        "docs: search renamed to find",
        "docs.find: annotations changed, outside what the model sees",
        "docs: the order of tools changed (the model sees the same set)",
    ]


def test_of_two_tools_of_one_name_only_the_edited_one_changed() -> None:
    twin, edited = {**SEARCH, "description": "A"}, {**SEARCH, "description": "B"}
    assert lines([SEARCH, twin], [SEARCH, edited]) == ["docs.search: description changed"]
    assert lines([SEARCH, twin], [SEARCH]) == ["docs: search removed"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("search\u200b", "docs: search renamed to search\\u200b (one holds an invisible character)"),
        ("se\u0430rch", "docs: search renamed to se\u0430rch (one holds a letter of another script)"),
        ("Search", "docs: search renamed to Search (they differ in case)"),
        ("\x1b[2J\nsearch", "docs: search renamed to \\u001b[2J\\nsearch"),
        (5, "docs: search renamed to 5 (not text)"),
    ],
)
def test_renames_that_the_eye_would_miss_say_why(name: Any, line: str) -> None:
    assert lines([SEARCH], [{**SEARCH, "name": name}]) == [line]


def test_accent_encoded_otherwise_is_another_name() -> None:
    old, new = ({**SEARCH, "name": unicodedata.normalize(form, "café")} for form in ("NFC", "NFD"))
    (line,) = lines([old], [new])
    assert line.endswith("(they differ in how an accent is encoded)")


def test_changes_come_by_server_then_tool() -> None:
    old = toolset(git=[SEARCH, FETCH], docs=[SEARCH, FETCH])
    new = toolset(docs=[FETCH, {**SEARCH, "title": "S"}], git=[{"name": "ping"}])
    assert [describe_tool_change(change) for change in find_drift(old, new)] == [
        "docs.search: title changed, outside what the model sees",
        "docs: the order of tools changed (the model sees the same set)",
        "git: fetch removed",
        "git: ping added",
        "git: search removed",
    ]


@given(LISTINGS, LISTINGS)
def test_toolsets_and_changes_survive_a_file(old: dict[str, list[Tool]], new: dict[str, list[Tool]]) -> None:
    before = msgspec.json.decode(to_json(toolset(**old)), type=Toolset)
    changes = find_drift(before, toolset(**new))
    assert changes == find_drift(toolset(**old), toolset(**new))
    assert msgspec.json.decode(to_json(changes), type=tuple[ToolChange, ...]) == changes
