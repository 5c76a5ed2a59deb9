"""Names are read against the servers of a test and what they list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runners.trace_formats.traces import SERVERS
from toolgrade.runners.trace_formats.imported_run import ImportedCall, ImportedRun
from toolgrade.runners.trace_formats.resolved_run import NameResolver
from toolgrade.runners.trace_formats.tool_names import AmbiguousName, KnownServers, resolve_name, strip_server


def _resolve(name: str, servers: KnownServers, *, may_be_bare: bool = True) -> str | None:
    found = resolve_name(name, servers, may_be_bare=may_be_bare)
    return None if found is None else f"{found.server}.{found.name}"


def _servers(**tools: set[str] | None) -> KnownServers:
    return KnownServers({server: None if listed is None else frozenset(listed) for server, listed in tools.items()})


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("mcp__docs__search", "docs.search"),
        ("mcp_docs_search", "docs.search"),
        ("mcp_docs__search", "docs.search"),
        ("docs__search", "docs.search"),
        ("docs_search", "docs.search"),
        ("docs.search", "docs.search"),
        ("docs/search", "docs.search"),
        ("mcp.docs.search", "docs.search"),
        ("mcp_mail_box_send_message", "mail_box.send_message"),
        ("mail_box_search", "mail_box.search"),
        ("fetch", "docs.fetch"),
        ("send_message", "mail_box.send_message"),
        ("mcp__docs__count_pages", "docs.count_pages"),  # made up by the model: the server is still told
        ("shell", None),
        ("docs__", None),
    ],
)
def test_every_spelling_of_a_name_is_read(name: str, tool: str | None) -> None:
    assert _resolve(name, SERVERS) == tool


def test_the_longest_server_name_wins() -> None:
    servers = _servers(mail=None, mail_box=None)
    assert _resolve("mcp__mail_box__search", servers) == "mail_box.search"
    assert _resolve("mail_box_search", servers) == "mail_box.search"


def test_a_reading_that_a_catalog_rules_out_is_dropped() -> None:
    servers = _servers(mail={"box_search"}, mail_box={"send"})
    assert _resolve("mail_box_search", servers) == "mail.box_search"


def test_a_whole_name_that_is_listed_beats_a_prefix_that_nothing_confirms() -> None:
    assert _resolve("docs_search", _servers(docs=None, wiki={"docs_search"})) == "wiki.docs_search"


def test_two_confirmed_readings_are_ambiguous() -> None:
    with pytest.raises(AmbiguousName, match="`docs` or `wiki`"):
        _resolve("docs_search", _servers(docs={"search"}, wiki={"docs_search"}))


def test_a_bare_name_gets_the_only_server() -> None:
    assert _resolve("search", _servers(docs=None)) == "docs.search"


def test_a_bare_name_that_any_server_may_have_is_an_error() -> None:
    with pytest.raises(AmbiguousName, match="`docs` or `mail_box`"):
        _resolve("search", _servers(docs=None, mail_box=None))


def test_a_name_with_its_prefix_is_never_read_as_bare() -> None:
    assert _resolve("bash", _servers(docs=None), may_be_bare=False) is None


def test_a_letter_that_a_program_replaced_is_found_in_the_catalog() -> None:
    assert _resolve("mcp__docs__pages_list", _servers(docs={"pages.list"})) == "docs.pages.list"
    assert _resolve("mcp__my_docs__search", KnownServers({"my docs": None})) == "my docs.search"


def test_the_user_decides_first() -> None:
    servers = KnownServers({"docs": None, "mail_box": None}, {"search": "docs", "mcp__x__find": "mail_box"})
    assert _resolve("search", servers) == "docs.search"
    assert _resolve("mcp__x__find", servers) == "mail_box.mcp__x__find"


def test_members_play_no_part_and_what_is_declared_is_kept() -> None:
    run = ImportedRun((ImportedCall("Bash", kind="own"), ImportedCall("Read", kind="own"), ImportedCall("search")))
    servers = KnownServers({"docs": None})
    assert [c.id for c in NameResolver(servers).resolve(run).trace.tool_calls] == ["docs.search"]
    kept = NameResolver(servers, {"Bash"}).resolve(run)
    assert [c.id for c in kept.trace.tool_calls] == ["Bash", "docs.search"]
    assert kept.left_out == {"Read": 1}


def test_our_own_format_is_taken_as_it_is_written() -> None:
    run = ImportedRun((ImportedCall("docs__search", kind="written"), ImportedCall("fetch", "docs", kind="written")))
    assert [c.id for c in NameResolver(SERVERS).resolve(run).trace.tool_calls] == ["docs__search", "docs.fetch"]
    resolved = NameResolver(SERVERS, resolve_written=True).resolve(run)
    assert [c.id for c in resolved.trace.tool_calls] == ["docs.search", "docs.fetch"]
    assert resolved.renamed == {"docs__search": "docs.search"}


_NAMES = st.from_regex(r"[a-z]{1,6}(_[a-z]{1,6})?", fullmatch=True)


@given(st.dictionaries(_NAMES, st.frozensets(_NAMES, min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_two_underscores_always_lead_back_to_the_server_and_the_tool(
    listed: dict[str, frozenset[str]], data: st.DataObject
) -> None:
    server = data.draw(st.sampled_from(sorted(listed)))
    tool = data.draw(st.sampled_from(sorted(listed[server])))
    found = resolve_name(f"mcp__{server}__{tool}", KnownServers(listed), may_be_bare=False)
    assert found is not None
    assert (found.server, found.name) == (server, tool)


def test_the_servers_part_is_taken_off_a_flat_name() -> None:
    assert strip_server("mcp_docs__search", "docs") == "search"
    assert strip_server("search", "docs") == "search"
