"""Ids that no server lists, or that two servers do, are named."""

import toolgrade
from toolgrade.compiler.plan import PlannedTest
from toolgrade.runners.catalogs.named_tools import ListedTools

SUITE = """\
tests:
  - name: t
    equal_function_sets: {{classes: [{{name: c, members: [{0}]}}]}}
    tool_correctness: {{expected_tools: [{0}]}}
"""


def planned(members: str) -> PlannedTest:
    plan = toolgrade.compile_text(SUITE.format(members)).plan
    assert plan is not None
    return plan.suites[0].tests[0]


TOOLS = [("brave", "search"), ("google", "search"), ("http", "get"), ("a.b", "c")]


def test_a_member_that_a_server_lists_is_nothing_to_warn_of() -> None:
    for member in ("http.get", "get", "brave.search", "a.b.c"):
        assert ListedTools(TOOLS).find_warnings(planned(member)) == ()


def test_a_member_that_no_server_lists_is_named_with_the_nearest() -> None:
    assert ListedTools(TOOLS).find_warnings(planned("http.gett")) == (
        "class `c`: no server lists `http.gett`; did you mean `http.get`?",
        "expected_tools: no server lists `http.gett`; did you mean `http.get`?",
    )
    assert ListedTools(()).find_warnings(planned("zzz"))[0] == "class `c`: no server lists `zzz`"


def test_a_bare_id_that_two_servers_list_names_both() -> None:
    first, _ = ListedTools(TOOLS).find_warnings(planned("search"))
    assert first == "class `c`: `search` is a tool of `brave` and `google`; a call to any of them counts"
