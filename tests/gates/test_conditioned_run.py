"""Classes with conditions: the conformance cases, and what holds for any runs."""

import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.gates.conditioned_run import is_args_path
from toolgrade.gates.gate_result import Counts, UnexpectedTool
from toolgrade.gates.tool_selection import (
    ConditionedTally,
    SelectionTally,
    ToolClass,
    list_call_outcomes,
    make_selection_tally,
)
from toolgrade.gates.trace import Call, Trace

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "conformance/conditions.json").read_text())
TOOLS = ("a", "b", "c", "d")


def decode(run: Any) -> Trace:
    return msgspec.json.decode(msgspec.json.encode(run), type=Trace)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_the_conformance_cases(case: dict[str, Any]) -> None:
    classes = [msgspec.convert(each, ToolClass) for each in case["classes"]]
    runs = [decode(run) for run in case["runs"]]
    tally = ConditionedTally(classes)
    for run in runs:
        tally.add(run)
    counts, expected = tally.counts, case["expected"]
    assert msgspec.structs.asdict(counts) == {key: expected[key] for key in ("tp", "fp", "fn")}
    assert (counts.precision, counts.recall, counts.f1) == tuple(expected[key] for key in ("precision", "recall", "f1"))
    assert [list_unexpected(classes, run) for run in runs] == expected["unexpected"]
    assert [list_missed(classes, run) for run in runs] == expected["missed"]


def list_unexpected(classes: list[ToolClass], run: Trace) -> list[dict[str, str]]:
    outcomes = (each for each in list_call_outcomes(classes, run) if each.outcome == "unexpected")
    return [{"id": each.id, "reason": each.reason or "no_class"} for each in outcomes]


def list_missed(classes: list[ToolClass], run: Trace) -> list[str]:
    tally = make_selection_tally(classes)
    tally.add(run)
    return [each.name for each in tally.make_class_results() if not each.hit_runs and not each.optional]


calls = st.builds(
    Call,
    st.sampled_from(TOOLS),
    status=st.sampled_from([None, "ok", "malformed", "unknown_tool"]),
    args=st.sampled_from([msgspec.UNSET, msgspec.Raw(b'{"page": 1}'), msgspec.Raw(b'{"page": 2}')]),
)
traces = st.lists(calls, max_size=8).map(lambda found: Trace(tuple(found)))
members = st.lists(st.sampled_from(TOOLS[:3]), min_size=1, max_size=3, unique=True).map(tuple)
plain = st.lists(members, max_size=4).map(
    lambda found: [ToolClass(f"class {index}", each) for index, each in enumerate(found)]
)


@st.composite
def conditioned(draw: st.DrawFn, *, has_order: bool = True) -> list[ToolClass]:
    found: list[ToolClass] = []
    for each in draw(plain):
        most = draw(st.none() | st.integers(1, 3)) if has_order else None
        args = draw(st.sampled_from([{}, {"page": {">=": 2}}]))
        names = [known.name for known in found]
        after = draw(st.lists(st.sampled_from(names), max_size=2, unique=True)) if has_order and names else []
        least = draw(st.integers(1, most or 3))
        found.append(ToolClass(each.name, each.members, draw(st.booleans()), least, most, tuple(after), args))
    return found


def count(classes: list[ToolClass], *runs: Trace) -> Counts:
    tally = ConditionedTally(classes)
    for run in runs:
        tally.add(run)
    return tally.counts


@given(plain, st.lists(traces, max_size=4))
def test_without_conditions_both_tallies_say_the_same(classes: list[ToolClass], runs: list[Trace]) -> None:
    fast, slow = SelectionTally(classes), ConditionedTally(classes)
    assert [fast.count_run(fast.add(run)) for run in runs] == [slow.count_run(slow.add(run)) for run in runs]
    assert fast.counts == slow.counts
    assert fast.make_class_results() == slow.make_class_results()
    assert fast.list_unexpected_tools() == slow.list_unexpected_tools()


@given(conditioned(), st.lists(traces, max_size=4))
def test_counts_are_the_sum_of_runs_and_percents_are_bounded(classes: list[ToolClass], runs: list[Trace]) -> None:
    whole = count(classes, *runs)
    assert sum((count(classes, run) for run in runs), Counts()) == whole
    assert all(0 <= value <= 100 for value in (whole.precision, whole.recall, whole.f1))
    required = sum(not each.optional for each in classes)
    assert whole.tp + whole.fn == required * len(runs)


@given(conditioned(has_order=False), traces, st.integers())
def test_the_order_of_calls_changes_nothing_without_after_and_max_calls(
    classes: list[ToolClass], run: Trace, seed: int
) -> None:
    shuffled = Random(seed).sample(run.tool_calls, len(run.tool_calls))
    assert count(classes, run) == count(classes, Trace(tuple(shuffled)))


@given(conditioned(), traces)
def test_an_optional_class_more_never_adds_an_error(classes: list[ToolClass], run: Trace) -> None:
    before = count(classes, run)
    after = count([*classes, ToolClass("extra", ("a", "d"), optional=True)], run)
    assert after.fp <= before.fp
    assert after.fn <= before.fn


@given(conditioned(), traces)
def test_the_outcomes_of_calls_agree_with_the_counts(classes: list[ToolClass], run: Trace) -> None:
    outcomes = list_call_outcomes(classes, run)
    unexpected = sum(each.outcome == "unexpected" for each in outcomes)
    assert unexpected == count([*classes, ToolClass("none", ("-",), min_calls=2)], run).fp
    known = {each.name for each in classes if not each.optional}
    reached = {name for each in outcomes for name in (each.classes or (each.class_,)) if name in known}
    assert len(reached) == count(classes, run).tp


def test_a_run_that_meets_every_condition_is_perfect() -> None:
    classes = [
        ToolClass("search", ("docs.search",), max_calls=1),
        ToolClass("fetch", ("docs.fetch",), min_calls=2, after=("search",), args={"page": {">=": 1}}),
        ToolClass("login", ("docs.login",), optional=True),
    ]
    calls = [Call("search", "docs"), *[Call("fetch", "docs", msgspec.Raw(b'{"page": 3}'))] * 2]
    assert count(classes, Trace(tuple(calls))) == Counts(2, 0, 0)


def test_calls_of_one_turn_are_not_after_each_other_wherever_they_stand() -> None:
    classes = [ToolClass("x", ("x",)), ToolClass("y", ("y",), after=("x",))]
    calls = (Call("y", turn=2), Call("x", turn=1))
    assert count(classes, Trace(calls)) == Counts(2, 0, 0)
    assert count(classes, Trace((Call("y"), Call("x")))) == Counts(1, 1, 1)


def test_the_reasons_of_unexpected_tools_are_counted() -> None:
    tally = make_selection_tally([ToolClass("x", ("x",), max_calls=1)])
    tally.add(Trace((Call("x"), Call("x"), Call("x"), Call("z"), Call("z", status="unknown_tool"))))
    assert tally.list_unexpected_tools() == (
        UnexpectedTool("x", 2, {"too_many": 2}),
        UnexpectedTool("z", 2, {"unknown_tool": 1}),
    )


@pytest.mark.parametrize("path", ["page", "filter.lang", "tags[0]", '["a.b"].c', ".page"])
def test_a_path_into_arguments(path: str) -> None:
    assert is_args_path(path)


@pytest.mark.parametrize("path", ["", "a..b", "a[", "[x]", 3])
def test_what_is_no_path_into_arguments(path: object) -> None:
    assert not is_args_path(path)
