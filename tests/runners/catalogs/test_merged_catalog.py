"""The merged catalog: names that providers take, mapped back, whatever servers call their tools."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolgrade.runners.catalogs.fingerprint import ServerListing
from toolgrade.runners.catalogs.merged_catalog import MergedCatalog, merge_catalogs


def offer(**servers: list[Any]) -> MergedCatalog:
    return merge_catalogs(
        {server: ServerListing("1", [_tool(tool) for tool in tools]) for server, tools in servers.items()}
    )


def _tool(tool: Any) -> dict[str, Any]:
    return {"name": tool, "inputSchema": {"type": "object"}} if isinstance(tool, str) else tool


def names(found: MergedCatalog) -> dict[str, str]:
    return {f"{tool.server}.{tool.tool}": tool.name for tool in found.tools}


def test_a_safe_name_of_its_own_is_kept() -> None:
    assert names(offer(time=["now"], web=["fetch-url"])) == {"time.now": "now", "web.fetch-url": "fetch-url"}


def test_a_name_that_two_servers_have_gets_its_server_before_it() -> None:
    found = offer(brave=["web_search"], google=["web_search", "images"])
    assert names(found) == {
        "brave.web_search": "brave__web_search",
        "google.web_search": "google__web_search",
        "google.images": "images",
    }


def test_an_unsafe_name_is_made_safe() -> None:
    assert names(offer(docs=["get page"])) == {"docs.get page": "docs__get_page"}


def test_names_that_collide_once_made_safe_are_told_apart_in_any_order() -> None:
    found = offer(docs=["get.page", "get page"])
    assert len(set(names(found).values())) == 2
    assert names(found) == names(offer(docs=["get page", "get.page"]))


def test_a_long_name_is_cut_and_stays_distinct() -> None:
    found = offer(docs=["a" * 100, "a" * 101])
    assert all(len(name) <= 64 for name in names(found).values())
    assert len(set(names(found).values())) == 2


def test_every_offered_name_leads_back_to_its_tool() -> None:
    found = offer(a=["x", "y.z"], b=["x"])
    assert [found.find(tool.name) for tool in found.tools] == list(found.tools)
    assert found.find("nobody") is None


def test_tools_that_cannot_be_called_are_left_out_with_a_word() -> None:
    found = offer(docs=[{"inputSchema": {}}, {"name": 7}, "read", "read"])
    assert names(found) == {"docs.read": "read"}
    assert found.warnings == (
        "server `docs` lists a tool without a name: it is not offered",
        "server `docs` lists a tool without a name: it is not offered",
        "server `docs` lists `read` twice: the first is offered",
    )


def test_a_schema_that_is_no_object_is_offered_as_an_empty_one() -> None:
    found = offer(docs=[{"name": "read", "inputSchema": None, "description": ["no text"]}])
    assert (found.tools[0].schema, found.tools[0].description) == ({"type": "object"}, None)
    assert found.warnings == ("`docs.read` has no object as its inputSchema: it is offered without parameters",)


@given(st.dictionaries(st.text(max_size=70), st.lists(st.text(min_size=1, max_size=70), max_size=5), max_size=4))
def test_names_are_safe_distinct_and_lead_back(servers: dict[str, list[str]]) -> None:
    found = merge_catalogs(
        {name: ServerListing(None, [{"name": tool} for tool in tools]) for name, tools in servers.items()}
    )
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool.name) for tool in found.tools)
    assert [found.find(tool.name) for tool in found.tools] == list(found.tools)
    assert {(tool.server, tool.tool) for tool in found.tools} == {(s, t) for s, tools in servers.items() for t in tools}
