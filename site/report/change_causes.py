"""Finds the causes of a change: what the runs of a test did differently, and what is asked differently of it."""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ...foundations.canonical_json import digest_json
from ...gates.gate_result import AssertionResult, ClassResult, GateResult
from ...runners.cell_result import TestStatus
from .report_model import TestReport
from .status_reasons import REASON_WORDS

CauseKind = Literal[
    "class_missed", "class_reached", "class_added", "class_removed", "class_changed",
    "tool_uncalled", "tool_called", "tool_added", "tool_removed",
    "unexpected_more", "unexpected_fewer",
    "assertion_failed", "assertion_held", "assertion_added", "assertion_removed",
    "gate_skipped", "gate_ran", "gate_added", "gate_removed",
    "prompt_changed", "xfail_added", "xfail_removed", "xfail_changed", "tools_changed",
    "test_stopped", "test_ran", "test_skipped", "test_unskipped",
]  # fmt: skip
QUESTION_KINDS: tuple[CauseKind, ...] = (
    "prompt_changed", "class_added", "class_removed", "class_changed", "tool_added", "tool_removed",
    "assertion_added", "assertion_removed", "gate_added", "gate_removed",
    "xfail_added", "xfail_removed", "xfail_changed", "test_skipped", "test_unskipped",
)  # fmt: skip
"""Causes that say the test was asked differently."""


_GOOD = (
    "class_reached",
    "tool_called",
    "unexpected_fewer",
    "assertion_held",
    "assertion_removed",
    "gate_ran",
    "test_ran",
)


class Frequency(msgspec.Struct, frozen=True):
    """A count (of runs that missed a class, of calls of a tool), and the number of runs it is out of."""

    count: int
    runs: int

    def is_more_frequent_than(self, other: "Frequency") -> bool:
        # Cross-multiplied: two shares are compared without a division. A side without runs counts as one.
        return self.count * max(other.runs, 1) > other.count * max(self.runs, 1)


class ChangeCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is not as it was; `name` is of the class, the tool, the target, the gate or the test."""

    kind: CauseKind
    gate: str | UnsetType
    name: str
    old: Frequency | UnsetType = UNSET
    new: Frequency | UnsetType = UNSET
    reason: str | UnsetType = UNSET


def find_change_causes(old: TestReport, new: TestReport) -> Iterator[ChangeCause]:
    """Yield everything that differs between two reports of one test, the question first."""
    yield from _find_test_causes(old, new)
    if "error" in (old.status, new.status):  # its gates, if it has any, say nothing
        return
    before, after = ({gate.gate: gate for gate in test.gates} for test in (old, new))
    for name in {**after, **before}:
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            yield ChangeCause("gate_removed" if now is None else "gate_added", name, name)
        elif "skipped" in (was.status, now.status):
            if was.status != now.status:
                is_skipped = now.status == "skipped"
                yield ChangeCause("gate_skipped" if is_skipped else "gate_ran", name, name, reason=now.reason)
            continue
        empty = GateResult(name, "passed")
        yield from _find_gate_causes(was or empty, now or empty, (old.runs, new.runs))


def is_question_cause(cause: ChangeCause) -> bool:
    """Return whether a cause says that the test was asked differently."""
    return cause.kind in QUESTION_KINDS


def make_cause_rank(cause: ChangeCause, verdict: str) -> tuple[bool, bool]:
    """Return where a cause stands: those of the verdict's direction first, what is asked differently before them."""
    is_question = is_question_cause(cause)
    return (
        not is_question if verdict == "asked_differently" else False,
        (cause.kind in _GOOD) == (verdict == "regressed"),
    )


def _find_test_causes(old: TestReport, new: TestReport) -> Iterator[ChangeCause]:
    """Yield what differs about the test as a whole."""
    steps: tuple[tuple[TestStatus, CauseKind, CauseKind], ...] = (
        ("error", "test_stopped", "test_ran"),
        ("skipped", "test_skipped", "test_unskipped"),
    )
    for status, came, went in steps:
        if (old.status == status) != (new.status == status):
            yield ChangeCause(came if new.status == status else went, UNSET, new.name, reason=new.reason)
    if old.prompt != new.prompt:
        yield ChangeCause("prompt_changed", UNSET, new.name)
    if old.xfail != new.xfail:
        kind: CauseKind = "xfail_added" if not old.xfail else "xfail_changed" if new.xfail else "xfail_removed"
        yield ChangeCause(kind, UNSET, new.name, reason=new.xfail)
    # Without a toolset on both sides nothing is known of what the agent was offered.
    if old.toolset and new.toolset and old.toolset.fingerprint != new.toolset.fingerprint:
        yield ChangeCause("tools_changed", UNSET, new.name)


def _find_gate_causes(was: GateResult, now: GateResult, runs: tuple[int, int]) -> Iterator[ChangeCause]:
    if was.classes is not UNSET and now.classes is not UNSET:
        yield from _find_changed_classes(was, now)
        yield from _compare_frequencies(now.gate, _count_class_misses(was), _count_class_misses(now), _CLASS)
    if was.expected_tools is not UNSET and now.expected_tools is not UNSET:
        yield from _compare_frequencies(now.gate, _count_uncalled_tools(was), _count_uncalled_tools(now), _TOOL)
    # A report lists only tools that were called: a side that does not name one called it 0 times.
    calls = [_count_unexpected_calls(gate, count) for gate, count in zip((was, now), runs, strict=True)]
    for name in {**calls[1], **calls[0]}:
        old, new = (found.get(name, Frequency(0, count)) for found, count in zip(calls, runs, strict=True))
        if new.is_more_frequent_than(old) or old.is_more_frequent_than(new):
            kind: CauseKind = "unexpected_more" if new.is_more_frequent_than(old) else "unexpected_fewer"
            yield ChangeCause(kind, now.gate, name, old, new, _list_unexpected_reasons(now, name))
    yield from _find_assertion_causes(was, now)


_CLASS: tuple[CauseKind, ...] = ("class_missed", "class_reached", "class_added", "class_removed")
_TOOL: tuple[CauseKind, ...] = ("tool_uncalled", "tool_called", "tool_added", "tool_removed")


def _compare_frequencies(
    gate: str, before: Mapping[str, Frequency], after: Mapping[str, Frequency], kinds: tuple[CauseKind, ...]
) -> Iterator[ChangeCause]:
    more, fewer, added, removed = kinds
    for name in {**after, **before}:
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield ChangeCause(removed if new is None else added, gate, name, old or UNSET, new or UNSET)
        elif new.is_more_frequent_than(old) or old.is_more_frequent_than(new):
            yield ChangeCause(more if new.is_more_frequent_than(old) else fewer, gate, name, old, new)


def _list_unexpected_reasons(gate: GateResult, tool: str) -> str | UnsetType:
    """Return why calls of a tool were unexpected, in the words of the report, if not for being of no class."""
    found = next((each.reasons for each in gate.unexpected_tools or () if each.tool == tool), UNSET)
    return ", ".join(REASON_WORDS.get(name, name) for name in sorted(found)) if found else UNSET


def _find_changed_classes(was: GateResult, now: GateResult) -> Iterator[ChangeCause]:
    """Yield the classes whose members or conditions are others than before."""
    before = {found.name: _get_class_question(found) for found in was.classes or ()}
    for found in now.classes or ():
        if before.get(found.name, _get_class_question(found)) != _get_class_question(found):
            yield ChangeCause("class_changed", now.gate, found.name)


def _get_class_question(found: ClassResult) -> ClassResult:
    """Return a class without its results."""
    # Sorted, as the order of the members asks nothing else of the test.
    return msgspec.structs.replace(found, members=tuple(sorted(found.members)), hit_runs=0, runs=0, matched_by={})


def _count_class_misses(gate: GateResult) -> dict[str, Frequency]:
    return {
        found.name: Frequency(0 if found.optional else found.runs - found.hit_runs, found.runs)
        for found in gate.classes or ()
    }


def _count_uncalled_tools(gate: GateResult) -> dict[str, Frequency]:
    return {found.tool: Frequency(found.runs - found.hit_runs, found.runs) for found in gate.expected_tools or ()}


def _count_unexpected_calls(gate: GateResult, runs: int) -> dict[str, Frequency]:
    return {found.tool: Frequency(found.calls, runs) for found in gate.unexpected_tools or ()}


def _find_assertion_causes(was: GateResult, now: GateResult) -> Iterator[ChangeCause]:
    """Compare assertions by target and matcher: a threshold that moved is another assertion."""
    before, after = ({_make_assertion_key(found): found for found in gate.assertions or ()} for gate in (was, now))
    for key in {**after, **before}:
        old, new = before.get(key), after.get(key)
        if old is None or new is None:
            known = new or before[key]
            yield ChangeCause(
                "assertion_removed" if new is None else "assertion_added", now.gate, known.target, reason=known.reason
            )
        elif old.status != new.status:
            kind: CauseKind = "assertion_failed" if new.status == "failed" else "assertion_held"
            yield ChangeCause(kind, now.gate, new.target, reason=new.reason if new.status == "failed" else old.reason)


def _make_assertion_key(assertion: AssertionResult) -> tuple[str, str]:
    # A matcher is a dict and cannot be a key; its digest does not depend on the order of its operators.
    return assertion.target, digest_json(assertion.matcher)
