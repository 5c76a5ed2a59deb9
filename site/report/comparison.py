"""What changed between two reports: which tests got better or worse, and what made them so."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ...foundations.canonical_json import digest
from ...foundations.fault import BadInput
from ...foundations.suggestion import did_you_mean
from ...gates.gate import Mode
from ...gates.gate_result import AssertionResult, GateResult
from ...runners.cell_result import TestStatus
from .report_model import Report, Selection, TestReport, graded_counts

SCHEMA = "toolgrade.diff/1"
Verdict = Literal["regressed", "improved", "unchanged", "added", "removed"]
CauseKind = Literal[
    "class_missed", "class_reached", "class_added", "class_removed",
    "tool_uncalled", "tool_called", "tool_added", "tool_removed",
    "unexpected_more", "unexpected_fewer",
    "assertion_failed", "assertion_held", "assertion_added", "assertion_removed",
    "gate_skipped", "gate_ran", "gate_added", "gate_removed",
    "test_stopped", "test_ran",
]  # fmt: skip
Identity = tuple[str, str, str]
"""Suite, test and model; a test without a model has an empty one."""

_BADNESS: dict[TestStatus, int] = {"passed": 0, "skipped": 1, "failed": 2, "error": 3}
_ORDER: tuple[Verdict, ...] = ("regressed", "removed", "added", "improved")
_GOOD = (
    "class_reached", "tool_called", "unexpected_fewer", "assertion_held", "assertion_removed", "gate_ran", "test_ran",
)  # fmt: skip


class Share(msgspec.Struct, frozen=True):
    """How often something was so (runs that missed a class, calls of a tool), in how many runs."""

    count: int
    runs: int

    def exceeds(self, other: "Share") -> bool:
        return self.count * max(other.runs, 1) > other.count * max(self.runs, 1)


class Cause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is not as it was; `name` is of the class, the tool, the target, the gate or the test."""

    kind: CauseKind
    gate: str | UnsetType
    name: str
    old: Share | UnsetType = UNSET
    new: Share | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a test stood in one report."""

    status: TestStatus
    f1: int | UnsetType = UNSET


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """A test that is not as it was."""

    verdict: Verdict
    suite: str
    test: str
    model: str | UnsetType = UNSET
    is_allowed: bool = msgspec.field(default=False, name="allowed")
    old: Standing | UnsetType = UNSET
    new: Standing | UnsetType = UNSET
    causes: tuple[Cause, ...] = ()


class Side(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the two reports as a whole."""

    mode: Mode
    plan: str
    tests: int
    grade: str | UnsetType = UNSET
    f1: int | UnsetType = UNSET


class Tally(msgspec.Struct, frozen=True):
    """How many tests; regressions that were allowed are counted apart."""

    regressed: int
    allowed: int
    improved: int
    added: int
    removed: int
    unchanged: int


class Diff(msgspec.Struct, frozen=True):
    """Everything that changed, worst first."""

    schema: str
    old: Side
    new: Side
    tally: Tally
    changes: tuple[Change, ...]


def diff(old: Report, new: Report, allowed: Iterable[str] = ()) -> Diff:
    """Compare two reports; `allowed` names the tests that may regress."""
    before, after = tests_of(old), tests_of(new)
    names = _check_allowed(allowed, [*before, *after])
    pairs = [_change(key, before.get(key), after.get(key), names) for key in {**before, **after}]
    changes = sorted((change for change in pairs if change.verdict != "unchanged"), key=_worst_first)
    return Diff(SCHEMA, _side(old), _side(new), _tally(pairs), tuple(changes))


def spellings(key: Identity) -> tuple[str, ...]:
    """What a test can be called: `test`, `suite/test`, `suite/test@model`."""
    suite, test, model = key
    return (test, f"{suite}/{test}", *([f"{suite}/{test}@{model}"] if model else []))


def _check_allowed(allowed: Iterable[str], keys: Iterable[Identity]) -> frozenset[str]:
    names = frozenset(allowed)
    known = dict.fromkeys(chain.from_iterable(spellings(key) for key in keys))
    for name in sorted(names - known.keys()):
        help_ = did_you_mean(name, known) or "a test is named `test`, `suite/test` or `suite/test@model`"
        raise BadInput(f"--allow `{name}`: no such test in either report", help_)
    return names


def tests_of(report: Report) -> dict[Identity, TestReport]:
    """The tests of a report by what they are known by."""
    return {(suite.name, test.name, test.model or ""): test for suite in report.suites for test in suite.tests}


def _side(report: Report) -> Side:
    found = report.summary
    f1 = found.selection.f1 if isinstance(found.selection, Selection) else UNSET
    return Side(report.mode, report.plan, found.tests, found.grade, f1)


def _tally(changes: list[Change]) -> Tally:
    verdicts = [change.verdict for change in changes]
    allowed = sum(change.is_allowed for change in changes)
    counts = {verdict: verdicts.count(verdict) for verdict in ("improved", "added", "removed", "unchanged")}
    return Tally(regressed=verdicts.count("regressed") - allowed, allowed=allowed, **counts)


def _worst_first(change: Change) -> tuple[object, ...]:
    """Regressions, those not allowed first; then by status, by how far F1 fell, and by name."""
    (new, new_f1), (old, old_f1) = _rank(change.new), _rank(change.old)
    rank = (_ORDER.index(change.verdict), change.is_allowed, -new, old, new_f1 - old_f1)
    return (*rank, change.suite, change.test, change.model or "")


def _rank(side: Standing | UnsetType) -> tuple[int, int]:
    if isinstance(side, UnsetType):
        return 0, 0
    return _BADNESS[side.status], side.f1 or 0


def _change(key: Identity, old: TestReport | None, new: TestReport | None, allowed: frozenset[str]) -> Change:
    before, after = _standing(old), _standing(new)
    verdict = _verdict(before, after)
    causes = tuple(_causes(old, new)) if old and new and verdict != "unchanged" else ()
    return Change(
        verdict=verdict,
        suite=key[0],
        test=key[1],
        model=key[2] or UNSET,
        is_allowed=verdict == "regressed" and not allowed.isdisjoint(spellings(key)),
        old=before,
        new=after,
        causes=tuple(sorted(causes, key=lambda cause: (cause.kind in _GOOD) == (verdict == "regressed"))),
    )


def _standing(test: TestReport | None) -> Standing | UnsetType:
    if test is None:
        return UNSET
    counts = graded_counts(test.gates)
    return Standing(test.status, counts.f1 if counts else UNSET)


def _verdict(old: Standing | UnsetType, new: Standing | UnsetType) -> Verdict:
    """Status decides; where it is the same, F1 does."""
    if isinstance(old, UnsetType):
        return "added"
    if isinstance(new, UnsetType):
        return "removed"
    worse = _BADNESS[new.status] - _BADNESS[old.status]
    if not worse and isinstance(old.f1, int) and isinstance(new.f1, int):
        worse = old.f1 - new.f1
    return "regressed" if worse > 0 else "improved" if worse else "unchanged"


def _causes(old: TestReport, new: TestReport) -> Iterator[Cause]:
    if "error" in (old.status, new.status):  # its gates, if it has any, say nothing
        if old.status != new.status:
            kind: CauseKind = "test_stopped" if new.status == "error" else "test_ran"
            yield Cause(kind, UNSET, new.name, reason=new.reason)
        return
    before, after = ({gate.gate: gate for gate in test.gates} for test in (old, new))
    for name in {**after, **before}:
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            yield Cause("gate_removed" if now is None else "gate_added", name, name)
        elif "skipped" in (was.status, now.status):
            if was.status != now.status:
                is_skipped = now.status == "skipped"
                yield Cause("gate_skipped" if is_skipped else "gate_ran", name, name, reason=now.reason)
            continue
        empty = GateResult(name, "passed")
        yield from _gate_causes(was or empty, now or empty, (old.runs, new.runs))


def _gate_causes(was: GateResult, now: GateResult, runs: tuple[int, int]) -> Iterator[Cause]:
    if was.classes is not UNSET and now.classes is not UNSET:
        yield from _shares(now.gate, _misses(was), _misses(now), _CLASS)
    if was.expected_tools is not UNSET and now.expected_tools is not UNSET:
        yield from _shares(now.gate, _uncalled(was), _uncalled(now), _TOOL)
    calls = [_unexpected(gate, count) for gate, count in zip((was, now), runs, strict=True)]
    for name in {**calls[1], **calls[0]}:
        old, new = (found.get(name, Share(0, count)) for found, count in zip(calls, runs, strict=True))
        if new.exceeds(old) or old.exceeds(new):
            yield Cause("unexpected_more" if new.exceeds(old) else "unexpected_fewer", now.gate, name, old, new)
    yield from _assertion_causes(was, now)


_CLASS: tuple[CauseKind, ...] = ("class_missed", "class_reached", "class_added", "class_removed")
_TOOL: tuple[CauseKind, ...] = ("tool_uncalled", "tool_called", "tool_added", "tool_removed")


def _shares(
    gate: str, before: Mapping[str, Share], after: Mapping[str, Share], kinds: tuple[CauseKind, ...]
) -> Iterator[Cause]:
    more, fewer, added, removed = kinds
    for name in {**after, **before}:
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield Cause(removed if new is None else added, gate, name, old or UNSET, new or UNSET)
        elif new.exceeds(old) or old.exceeds(new):
            yield Cause(more if new.exceeds(old) else fewer, gate, name, old, new)


def _misses(gate: GateResult) -> dict[str, Share]:
    return {found.name: Share(found.runs - found.hit_runs, found.runs) for found in gate.classes or ()}


def _uncalled(gate: GateResult) -> dict[str, Share]:
    return {found.tool: Share(found.runs - found.hit_runs, found.runs) for found in gate.expected_tools or ()}


def _unexpected(gate: GateResult, runs: int) -> dict[str, Share]:
    return {found.tool: Share(found.calls, runs) for found in gate.unexpected_tools or ()}


def _assertion_causes(was: GateResult, now: GateResult) -> Iterator[Cause]:
    """An assertion is known by its target and matcher: a threshold that moved is another assertion."""
    before, after = ({_key(found): found for found in gate.assertions or ()} for gate in (was, now))
    for key in {**after, **before}:
        old, new = before.get(key), after.get(key)
        if new and new.status == "failed" and (old is None or old.status == "passed"):
            yield Cause("assertion_failed" if old else "assertion_added", now.gate, new.target, reason=new.reason)
        elif old and old.status == "failed" and (new is None or new.status == "passed"):
            kind: CauseKind = "assertion_held" if new else "assertion_removed"
            yield Cause(kind, now.gate, old.target, reason=old.reason)


def _key(assertion: AssertionResult) -> tuple[str, str]:
    return assertion.target, digest(assertion.matcher)
