"""Fingerprints hold for whatever a server lists, and move only with what the model sees."""

import json
import math
import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.foundations.canonical_json import to_json
from toolgrade.runners.catalogs.fingerprint import ServerListing, Toolset, digest_rfc8785, encode_rfc8785, fingerprint

DATA = Path(__file__).parents[4] / "shared" / "data"
MAX_INT = 2**53 - 1
SEARCH: dict[str, Any] = {
    "name": "search",
    "description": "Search the docs.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "default": "a"}, "n": {"minimum": 0.5}}},
    "annotations": {"readOnlyHint": True},
}

# Encodable text, weighted towards what is sorted, escaped or marked in a way of its own.
TEXT = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from('\0\x1f\x7f"\\/\n\ud7ff\ue000\uffff𐀀😀é'))).map(
    str
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-MAX_INT, MAX_INT), st.floats(allow_nan=False, allow_infinity=False), TEXT
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT.filter(lambda key: key[:1] != "\0"), inner),
    max_leaves=12,
)
ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from("\0\ud800\udfff"))) | st.sampled_from(
    ["\0int", "\0\0int", "\0text", "\0key:1", "1", "\0text:eda080"]
)
ODD_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.integers(2**53, 2**80), st.floats(), ANY_TEXT)
ODD = st.recursive(
    ODD_SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=12,
)


def listed(*tools: Any, server: str = "docs", version: str | None = None) -> Toolset:
    return fingerprint({server: ServerListing(version, tools)})


def nested(levels: int, core: Any, *, in_lists: bool = False) -> Any:
    for _ in range(levels):
        core = [core] if in_lists else {"items": core}
    return core


def reverse_keys(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = cast(dict[Any, Any], value).items()
        return {key: reverse_keys(member) for key, member in reversed(pairs)}
    return [reverse_keys(member) for member in cast(list[Any], value)] if isinstance(value, list) else value


def restore(value: Any) -> Any:
    """The value that a canonical form stands for: that this is possible is what makes it unambiguous."""
    if isinstance(value, list):
        return [restore(member) for member in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value)
    match list(members.items()):
        case [("\0int", str(digits))]:
            return int(digits, 16)
        case [("\0float", str(text))]:
            return float(text)
        case [("\0text", str(text))]:
            return bytes.fromhex(text).decode("utf-8", "surrogatepass")
        case _:
            return {restore_key(key): restore(member) for key, member in members.items()}


def restore_key(key: str) -> Any:
    if key.startswith("\0key:"):
        return restore(json.loads(key[5:]))
    if key.startswith("\0text:"):
        return bytes.fromhex(key[6:]).decode("utf-8", "surrogatepass")
    return key.removeprefix("\0")


def shown(value: Any) -> str:
    """A form in which NaN equals itself, 1.0 equals 1 and the order of keys is lost."""
    if isinstance(value, dict):
        pairs = cast(dict[Any, Any], value).items()
        return f"{{{sorted((shown(key), shown(member)) for key, member in pairs)}}}"
    if isinstance(value, list):
        return f"[{[shown(member) for member in cast(list[Any], value)]}]"
    if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_INT:
        value = int(value)
    return ascii(value)


@given(JSON)
def test_canonical_form_is_that_of_rfc_8785(value: Any) -> None:
    assert encode_rfc8785(value) == rfc8785.dumps(value)


@given(JSON)
def test_deep_values_are_written_as_rfc_8785_writes_shallow_ones(value: Any) -> None:
    assert encode_rfc8785(nested(150, value, in_lists=True)) == b"[" * 150 + rfc8785.dumps(value) + b"]" * 150


@given(ODD)
def test_canonical_form_can_be_read_back_whatever_the_value(value: Any) -> None:
    assert shown(restore(json.loads(encode_rfc8785(value), parse_int=read_number))) == shown(value)


def read_number(digits: str) -> int | float:
    """Digits beyond 2^53-1 were a float: integers of that size have a form of their own."""
    return int(digits) if abs(int(digits)) <= MAX_INT else float(digits)


@given(ODD, ODD)
def test_two_values_share_a_form_only_if_they_are_equal(one: Any, other: Any) -> None:
    assert (encode_rfc8785(one) == encode_rfc8785(other)) == (shown(one) == shown(other))


@pytest.mark.parametrize(
    "values",
    [
        (2**53, str(2**53), {"\0int": "20000000000000"}, {"\0\0int": "20000000000000"}, 2**53 + 1, -(2**53)),
        (math.nan, math.inf, -math.inf, "nan", "NaN", None, {"\0float": "nan"}),
        ("\ud800", "\udfff", "\ud83d\ude00", "😀", "\\ud800", {"\0text": "eda080"}),
        ({1: 0}, {"1": 0}, {None: 0}, {"null": 0}, {True: 0}, {"\0key:1": 0}, {(1, 2): 0}),
        ({"\0": 0}, {"\0\0": 0}, {"": 0}, {"\ud800": 0}, {"\0text:eda080": 0}),
        (None, {}, [], "", 0, False, "null", "{}"),
        (10**5000, 10**5000 + 1),
    ],
)
def test_values_that_json_cannot_hold_stay_distinct(values: tuple[Any, ...]) -> None:
    assert len({encode_rfc8785(value) for value in values}) == len(values)


def test_numbers_that_rfc_8785_holds_equal_are_equal() -> None:
    assert encode_rfc8785([1.0, -0.0, 1e16]) == encode_rfc8785([1, 0, 1e16]) == b"[1,0,10000000000000000]"


@given(st.dictionaries(ANY_TEXT, ODD))
def test_order_of_keys_changes_nothing(schema: dict[Any, Any]) -> None:
    tool = {"name": "t", "inputSchema": schema}
    assert listed(tool) == listed(reverse_keys(tool))


@given(st.permutations(range(5)))
def test_order_of_tools_is_kept_and_leaves_the_fingerprint(order: list[int]) -> None:
    tools = [{**SEARCH, "name": f"t{n}"} for n in range(5)]
    moved = listed(*(tools[n] for n in order))
    assert moved.fingerprint == listed(*tools).fingerprint
    assert [tool.name for tool in moved.tools] == [f"t{n}" for n in order]


def test_order_of_servers_changes_nothing() -> None:
    listings = {name: ServerListing("1", [SEARCH]) for name in ("b", "a")}
    assert fingerprint(listings) == fingerprint(dict(reversed(listings.items())))
    assert [server.name for server in fingerprint(listings).servers] == ["a", "b"]


@pytest.mark.parametrize("field", ["name", "description", "inputSchema"])
@pytest.mark.parametrize("value", ["", "Search the docs. ", None, [], {}, {"type": "object"}, 2**53])
def test_what_the_model_sees_moves_the_fingerprint_and_one_hash(field: str, value: Any) -> None:
    before, after = listed(SEARCH), listed({**SEARCH, field: value})
    old, new = before.tools[0], after.tools[0]
    assert before.fingerprint != after.fingerprint
    assert old.fingerprint != new.fingerprint
    assert dict(old.fields.items() ^ new.fields.items()).keys() == {field}
    assert old.outside == new.outside


@pytest.mark.parametrize("field", ["title", "annotations", "outputSchema", "execution", "icons", "_meta"])
def test_what_is_outside_leaves_the_fingerprint_and_has_a_hash_of_its_own(field: Any) -> None:
    before, after = listed(SEARCH), listed({**SEARCH, field: {"x": 2**60}})
    assert before.fingerprint == after.fingerprint
    assert before.tools[0].fields == after.tools[0].fields
    assert after.tools[0].outside[field] == digest_rfc8785({"x": 2**60}) != before.tools[0].outside.get(field)


def test_unknown_fields_share_one_hash() -> None:
    one, other = listed({**SEARCH, "other": 1, "x-vendor": 2}), listed({**SEARCH, "other": 2, "x-vendor": 2})
    assert list(one.tools[0].outside) == ["annotations", "other"]
    assert one.fingerprint == other.fingerprint
    assert one.tools[0].outside != other.tools[0].outside


def test_server_version_is_kept_and_leaves_the_fingerprint() -> None:
    one, other = listed(SEARCH, version="1.0"), listed(SEARCH, version="1.1")
    assert one.fingerprint == other.fingerprint
    assert one.servers[0].version == "1.0"


def test_server_of_a_tool_moves_the_fingerprint() -> None:
    assert listed(SEARCH, server="a").fingerprint != listed(SEARCH, server="b").fingerprint


def test_same_tool_listed_twice_is_not_the_tool_listed_once() -> None:
    assert listed(SEARCH, SEARCH).fingerprint != listed(SEARCH).fingerprint


def test_absent_field_is_left_out_and_is_not_null() -> None:
    tools = [{"name": "t"}, {"name": "t", "description": None}, {"name": "t", "description": ""}, {}]
    prints = [listed(tool) for tool in tools]
    assert len({toolset.fingerprint for toolset in prints}) == len(tools)
    assert list(prints[0].tools[0].fields) == ["name"]
    assert prints[-1].tools[0].name == "(no name)"


@pytest.mark.parametrize("in_lists", [True, False])
def test_schema_of_100_000_levels_is_fingerprinted_in_linear_time(in_lists: bool) -> None:
    start = time.process_time()
    deep = [listed({"name": "t", "inputSchema": nested(100_000, core, in_lists=in_lists)}) for core in ("a", "b")]
    assert deep[0].fingerprint != deep[1].fingerprint
    assert time.process_time() - start < 5


def test_schema_one_level_deeper_is_another_schema() -> None:
    prints = {digest_rfc8785(nested(levels, {})) for levels in range(95, 110)}
    assert len(prints) == 15


@pytest.mark.parametrize("name", [5, None, True, 2**60, math.nan, ["a"], {"a": "\ud800"}, "\ud800", "a\0b", ""])
def test_odd_names_are_written_to_a_file_and_read_back(name: Any) -> None:
    toolset = listed({**SEARCH, "name": name, 1: "\ud800"}, version="\udfff")
    assert msgspec.json.decode(to_json(toolset), type=Toolset) == toolset


def test_name_that_is_not_text_is_not_the_text_of_it() -> None:
    number, text = listed({"name": 5}), listed({"name": "5"})
    assert number.fingerprint != text.fingerprint
    assert [number.tools[0].name, text.tools[0].name] == ["5 (not text)", "5"]


def test_lookalike_names_stay_distinct() -> None:
    names = [unicodedata.normalize(form, "café") for form in ("NFC", "NFD")]
    names += ["cafe", "cafe\u200b", "Cafe", "c\u0430fe"]
    assert len({listed({"name": name}).fingerprint for name in names}) == len(names)


def test_file_of_another_scheme_is_refused() -> None:
    document = to_json(listed(SEARCH)).replace(b"toolset/1", b"toolset/2")
    assert b'"scheme": "toolgrade.toolset/2"' in document
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(document, type=Toolset)


def test_fingerprint_of_this_scheme_never_moves() -> None:
    assert listed(SEARCH).fingerprint == "sha256:17a62167d4b7c39d8e395d4ee0d41e7fe66db221b1a98644ad332eacd875de40"


def test_hash_seed_changes_nothing() -> None:
    program = (
        "from toolgrade.runners.catalogs.fingerprint import *;"
        "tools = [{'name': 't', 'inputSchema': {c: {c: 1.0, 1: None} for c in 'zyxwv'}, 'x': 1, 'y': 2}];"
        "print(fingerprint({s: ServerListing(None, tools) for s in 'cab'}))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1


def test_ten_thousand_tools_take_seconds_at_most() -> None:
    properties = {f"p{n}": {"type": "string", "description": "x" * 100} for n in range(6)}
    tools = [{**SEARCH, "name": f"t{n}", "inputSchema": {"properties": properties}} for n in range(10_000)]
    start = time.process_time()
    assert len(listed(*tools).tools) == 10_000
    assert time.process_time() - start < 5  # 0.3 s on a quiet machine: benchmarks/fingerprint.py measures


@pytest.mark.skipif(not (DATA / "livemcp/tools.json").exists(), reason="the real catalogs are not here")
def test_every_tool_of_seventy_real_servers_is_fingerprinted() -> None:
    listings: dict[str, ServerListing] = {}
    for entry in json.loads((DATA / "livemcp/tools.json").read_bytes()):
        for name, server in entry["tools"].items():
            listings[f"{entry['name']}/{name}"] = ServerListing(server.get("version"), server["tools"])
    assert_distinct(listings, 527)


@pytest.mark.skipif(not (DATA / "etom/registry.json").exists(), reason="the real catalogs are not here")
def test_every_tool_of_a_large_registry_is_fingerprinted() -> None:
    words: dict[str, str] = {"tool_name": "name", "tool_description": "description", "input_schema": "inputSchema"}
    listings: dict[str, ServerListing] = {}
    for server in json.loads((DATA / "etom/registry.json").read_bytes())["servers"]:
        tools: list[dict[str, Any]] = [
            {words[key]: tool[key] for key in words if key in tool} for tool in server["tools"]
        ]
        listings[server["server_name"]] = ServerListing(None, tools)
    assert_distinct(listings, 2_375)


def assert_distinct(listings: dict[str, ServerListing], count: int) -> None:
    """As many tools as were listed, and as many fingerprints as there are tools that differ."""
    toolset = fingerprint(listings)
    texts = {
        json.dumps(
            [name, {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}], sort_keys=True
        )
        for name, listing in listings.items()
        for tool in listing.tools
    }
    assert len(toolset.tools) == count
    assert len({tool.fingerprint for tool in toolset.tools}) == len(texts)
    assert msgspec.json.decode(to_json(toolset), type=Toolset) == toolset
