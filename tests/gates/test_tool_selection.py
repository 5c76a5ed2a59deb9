"""Counting over classes: exact percentages, and what became of each call."""

import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from toolgrade.gates.class_block import Classes
from toolgrade.gates.gate_result import Counts, UnexpectedTool
from toolgrade.gates.tool_selection import CallOutcome, SelectionTally, ToolClass, list_call_outcomes
from toolgrade.gates.trace import Call, Trace

SEARCH = ToolClass("search", ("brave.web_search", "google.search"))
FETCH = ToolClass("fetch", ("http.get",))
COUNTS = st.builds(Counts, *[st.integers(0, 10**6)] * 3)


def floored(share: Fraction) -> int:
    return int(share * 100)


def harmonic_mean(a: Fraction, b: Fraction) -> Fraction:
    return 2 / (1 / a + 1 / b) if a and b else Fraction(0)


def test_all_triples_up_to_39_equal_exact_rational_arithmetic() -> None:
    for tp in range(40):
        for fp in range(40):
            for fn in range(40):
                precision = Fraction(tp, tp + fp) if tp + fp else Fraction(0)
                recall = Fraction(tp, tp + fn) if tp + fn else Fraction(0)
                if tp == fp == fn == 0:
                    precision = recall = Fraction(1)
                f1 = harmonic_mean(precision, recall)
                counts = Counts(tp, fp, fn)
                actual = (counts.precision, counts.recall, counts.f1)
                assert actual == (floored(precision), floored(recall), floored(f1)), counts


@given(COUNTS)
def test_f1_is_100_exactly_when_nothing_is_wrong(counts: Counts) -> None:
    assert (counts.f1 == 100) == (counts.fp == counts.fn == 0)


@given(st.lists(COUNTS, max_size=6))
def test_pooling_is_the_sum_of_each_count(parts: list[Counts]) -> None:
    pooled = sum(parts, Counts())
    assert (pooled.tp, pooled.fp, pooled.fn) == (
        sum(part.tp for part in parts),
        sum(part.fp for part in parts),
        sum(part.fn for part in parts),
    )


def test_a_call_is_a_hit_then_a_repeat_or_unexpected() -> None:
    search, other, shell = Call("web_search", "brave"), Call("search", "google"), Call("exec", "shell")
    found = list_call_outcomes((SEARCH, FETCH), Trace((search, other, search, shell)))
    assert found == (
        CallOutcome("brave.web_search", outcome="hit", class_="search"),
        CallOutcome("google.search", outcome="repeat", class_="search"),
        CallOutcome("brave.web_search", outcome="repeat", class_="search"),
        CallOutcome("shell.exec", outcome="unexpected"),
    )


def test_a_malformed_call_is_unexpected_and_leaves_the_class_to_the_next_one() -> None:
    malformed, well = Call("get", "http", status="malformed"), Call("get", "http", status="error")
    found = list_call_outcomes((FETCH,), Trace((malformed, well)))
    assert [(one.status, one.outcome) for one in found] == [("malformed", "unexpected"), ("error", "hit")]


def test_a_call_of_two_classes_names_both_and_the_one_it_reached_first() -> None:
    both = (ToolClass("a", ("x", "y")), ToolClass("b", ("x",)))
    first, second, third = list_call_outcomes(both, Trace((Call("y"), Call("x"), Call("x"))))
    assert first == CallOutcome("y", outcome="hit", class_="a")
    assert second == CallOutcome("x", outcome="hit", class_="b", classes=("a", "b"))
    assert third == CallOutcome("x", outcome="repeat", class_="a", classes=("a", "b"))


def test_without_classes_a_call_has_no_outcome() -> None:
    assert list_call_outcomes(None, Trace((Call("x", "s", status="ok"),))) == (CallOutcome("s.x", "ok"),)


@given(st.lists(st.sampled_from(["brave.web_search", "google.search", "http.get", "shell.exec", "x.y"]), max_size=8))
def test_outcomes_and_counts_agree(ids: list[str]) -> None:
    trace = Trace(tuple(Call(name, server) for server, _, name in (one.partition(".") for one in ids)))
    tally = SelectionTally((SEARCH, FETCH))
    tally.add(trace)
    found = [one.outcome for one in list_call_outcomes((SEARCH, FETCH), trace)]
    assert (tally.counts.tp, tally.counts.fp) == (found.count("hit"), found.count("unexpected"))
    assert tally.counts.tp + tally.counts.fn == 2


def test_two_spellings_of_one_id_in_a_run_reach_their_class_in_one_run() -> None:
    tally = SelectionTally((ToolClass("deep", ("a.b.c",)),))
    tally.add(Trace((Call("b.c", "a"), Call("c", "a.b"))))
    tally.add(Trace((Call("c", "a.b"),)))
    (deep,) = tally.make_class_results()
    assert (deep.hit_runs, deep.runs, deep.matched_by) == (2, 2, {"a.b.c": 2})


def test_an_empty_server_is_no_server() -> None:
    tally = SelectionTally((ToolClass("s", ("search",)),))
    tally.add(Trace((Call("search", ""), Call("search"))))
    assert tally.make_class_results()[0].matched_by == {"search": 1}


def test_unexpected_tools_come_by_number_of_calls_then_by_name() -> None:
    tally = SelectionTally(())
    tally.add(Trace((Call("b"), Call("a"), Call("c"), Call("c"))))
    assert tally.list_unexpected_tools() == (UnexpectedTool("c", 2), UnexpectedTool("a", 1), UnexpectedTool("b", 1))


def test_memory_does_not_grow_with_the_number_of_runs() -> None:
    tally = SelectionTally((SEARCH, FETCH))
    sizes = list[int]()
    for first in (0, 2000):
        for status in range(first, first + 2000):
            tally.add(Trace((Call("get", "http", status=f"{status}"), Call("exec", "shell", status=f"{status}"))))
        sizes.append(len(pickle.dumps(tally)))
    assert sizes[1] - sizes[0] < 100


def findings(classes: object) -> list[tuple[tuple[int | str, ...], str]]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter[Any](Classes).validate_python(classes)
    return [(line["loc"], line["msg"]) for line in caught.value.errors()]


def test_a_class_name_given_twice_is_found_at_the_second_and_names_the_first() -> None:
    one = {"name": "search", "members": ["a"]}
    (found,) = findings([one, {"name": "fetch", "members": ["b"]}, one])
    assert found[0] == (2, "name")
    assert "`search` is already in this gate" in found[1]


def test_a_member_listed_twice_is_found_at_the_second() -> None:
    ((where, message),) = findings([{"name": "search", "members": ["a", "b", "a"]}])
    assert where == (0, "members", 2)
    assert "`a` is listed twice" in message


@pytest.mark.parametrize(
    ("block", "where"),
    [
        ({"name": "a"}, (0, "members")),
        ({"members": ["a"]}, (0, "name")),
        ({"name": "a", "members": []}, (0, "members")),
        ({"name": " ", "members": ["a"]}, (0, "name")),
        ({"name": "a", "members": [""]}, (0, "members", 0)),
        ({"name": 14, "members": ["a"]}, (0, "name")),
        ({"name": "a", "members": [14]}, (0, "members", 0)),
        ({"name": "a", "members": "a"}, (0, "members")),
        ({"name": "a", "members": ["a"], "membres": []}, (0, "membres")),
    ],
)
def test_a_wrong_class_is_found_where_it_is_wrong(block: object, where: tuple[int | str, ...]) -> None:
    assert [found[0] for found in findings([block])] == [where]


def test_everything_wrong_with_the_classes_is_found_at_once() -> None:
    classes: list[dict[str, object]] = [
        {"name": "a", "members": []},
        {"name": "a", "members": ["x", "x"]},
        {"name": "b"},
    ]
    found = findings(classes)
    assert {where for where, _ in found} == {(0, "members"), (1, "name"), (1, "members", 1), (2, "members")}
