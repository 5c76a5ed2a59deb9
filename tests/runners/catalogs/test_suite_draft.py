"""Drafted suites compile, name no tool in a prompt, and leave alone what changes things."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgrade import compile_text
from toolgrade.compiler.plan import HttpServer, StdioServer
from toolgrade.runners.agents.agent import OfferedTool
from toolgrade.runners.catalogs.fingerprint import ServerListing
from toolgrade.runners.catalogs.suite_draft import draft_classes, draft_prompt, list_left_out_tools
from toolgrade.runners.catalogs.suite_draft_yaml import render_suite_draft

LIVEMCP = Path(__file__).parents[4] / "shared/data/livemcp/tools.json"
PATH: dict[str, Any] = {"type": "object", "properties": {"repo_path": {"type": "string"}}, "required": ["repo_path"]}


def listing(*tools: dict[str, Any]) -> ServerListing:
    return ServerListing("1", tools)


def tool(name: str, description: str | None, schema: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": schema or {"type": "object"}, **more}


@pytest.mark.parametrize(
    ("name", "description", "schema", "prompt"),
    [
        ("git_log", "Shows the commit logs", PATH, "Show the commit logs, with repo path `.`"),
        ("find", "Searches the shop. Then more.", {}, "Search the shop."),
        ("query_db", "Queries\n a database", {}, "Query a database."),
        ("get_news", "get_news: gives the news", {}, "new."),
        ("status", "Status of the tree", {}, "Status of the tree."),
        ("t", "Tells `it`\x1b[31m", {}, "Tell 'it' [31m."),
        (
            "now",
            "Tell the time",
            {
                "properties": {
                    "timezone": {"type": "string"},
                    "style": {"enum": ["short", "long"]},
                    "digits": {"type": "integer"},
                    "note": {"type": "string"},
                },
                "required": ["timezone", "style", "digits"],
            },
            "Tell the time, with timezone `Europe/Lisbon`, style `short`, digit 1",
        ),
    ],
)
def test_a_prompt_is_the_first_sentence_as_a_request(
    name: str, description: str, schema: dict[str, Any], prompt: str
) -> None:
    assert draft_prompt(OfferedTool(name, "s", name, description, schema)) == prompt


def test_tools_that_are_named_or_described_alike_are_one_class() -> None:
    drafts = draft_classes(
        {
            "git": listing(
                tool("git_log", "Shows the commit logs"), tool("git_status", "Shows the working tree status")
            ),
            "vcs": listing(tool("log", "Print the history of a repository")),
        },
        10,
    )
    assert [draft.members for draft in drafts] == [("git.git_log", "vcs.log"), ("git.git_status",)]
    assert [draft.name for draft in drafts] == ["log", "status"]
    assert all(draft.is_found for draft in drafts)


def test_what_seems_to_change_something_gets_no_prompt() -> None:
    server = listing(
        tool("delete_file", "Delete a file"),
        tool("delete_nothing", "Look at what could go", annotations={"readOnlyHint": True}),
        tool("look", "Look at a file", annotations={"readOnlyHint": False}),
        tool("silent", None),
    )
    assert [draft.members for draft in draft_classes({"s": server}, 10)] == [("s.delete_nothing",)]
    assert list_left_out_tools({"s": server}) == ("s.delete_file", "s.look")


def test_a_suite_says_what_a_text_search_picks_instead() -> None:
    server = listing(
        tool("a", "Show the list of open issues"), tool("list_issues", "Show the list of open issues here")
    )
    text = render_suite_draft(
        [HttpServer("s", "http://x.example/mcp", {"A": "${env:B}"})], draft_classes({"s": server}, 9), ["s.rm"]
    )
    assert "    # A text search picks s.list_issues for this prompt: reword it, or the descriptions.\n" in text
    assert "seems to change something: s.rm.\n" in text
    plan = compile_text(text).plan
    assert plan is not None
    assert plan.suites[0].servers == (HttpServer("s", "http://x.example/mcp", {"A": "${env:B}"}),)


TEXT = st.text(max_size=30) | st.sampled_from(
    ["a: b", "- x", "null", "{{", "#", "Ünï", "\u2028", "'", '"', "\\", "x\n\ny"]
)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), max_size=5))
@settings(max_examples=100)
def test_whatever_is_listed_the_suite_compiles(tools: list[tuple[str, str, str]]) -> None:
    listed = listing(
        *(tool(name, text, {"properties": {key: {"type": "string"}}, "required": [key]}) for name, text, key in tools)
    )
    drafts = draft_classes({"s": listed}, 10)
    compilation = compile_text(
        render_suite_draft([StdioServer("s", ("x",))], drafts, list_left_out_tools({"s": listed}))
    )
    assert compilation.errors == ()
    assert compilation.plan is not None
    assert len(compilation.plan.suites[0].tests) == len(drafts) + 1


@pytest.mark.skipif(not LIVEMCP.exists(), reason="the catalogs of LiveMCPBench are not here")
def test_the_drafts_for_70_real_servers_compile_and_name_no_tool() -> None:
    for entry in json.loads(LIVEMCP.read_text(encoding="utf-8")):
        for name, server in entry["tools"].items():
            listings = {name: ServerListing(None, server["tools"])}
            drafts = draft_classes(listings, 100)
            text = render_suite_draft([StdioServer(name, ("x",))], drafts, list_left_out_tools(listings))
            assert compile_text(text).diagnostics == ()
            for draft in drafts:
                assert not any(member.partition(".")[2] in draft.prompt for member in draft.members if "_" in member)
