"""The verdict of a gate, in the structure in which report.json holds it."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

Status = Literal["passed", "failed", "skipped"]
Display = int | float | str
"""A value as the report shows it: counts as integers, ratios with at most four decimals, dollars as text."""


class Counts(msgspec.Struct, frozen=True):
    """True positives, false positives and false negatives, summed over runs."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> int:
        return self._compute_percent(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> int:
        return self._compute_percent(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> int:
        return self._compute_percent(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def _compute_percent(self, part: int, whole: int) -> int:
        """Return a floored percentage; 100 if nothing was wanted and nothing was called."""
        if not (self.tp or self.fp or self.fn):
            return 100
        # Floored, so that a share just below a threshold never meets it.
        return 100 * part // whole if whole else 0


class AssertionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One expectation with the value that it met; over several runs, the value of the first run that broke it."""

    target: str
    matcher: dict[str, Any]
    status: Literal["passed", "failed"]
    actual: Any = UNSET
    reason: str | UnsetType = UNSET
    run: int | UnsetType = UNSET
    held_runs: int | UnsetType = UNSET
    runs: int | UnsetType = UNSET
    in_runs: int | float | UnsetType = UNSET


class ClassResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One class: in how many runs it was reached, and in how many each member reached it."""

    name: str
    members: tuple[str, ...]
    hit_runs: int
    runs: int
    matched_by: dict[str, int]
    optional: bool = False
    min_calls: int = 1
    max_calls: int | None = None
    after: tuple[str, ...] = ()
    args: dict[str, dict[str, Any]] = {}


class MissedClass(msgspec.Struct, frozen=True):
    """A class that some runs did not reach."""

    name: str
    runs: int


class UnexpectedTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool that was called and counted for no class; `reasons` says why, if that is not that it is of none."""

    tool: str
    calls: int
    reasons: dict[str, int] | UnsetType = UNSET


class ExpectedTool(msgspec.Struct, frozen=True):
    """A tool that was expected, and in how many runs it was called."""

    tool: str
    hit_runs: int
    runs: int


class ForbiddenTool(msgspec.Struct, frozen=True):
    """A forbidden tool that was called: how often, and in which runs."""

    tool: str
    calls: int
    runs: tuple[int, ...]


class GateResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """A gate's verdict. A field that does not apply to the gate, or was not measured, is left out."""

    gate: str
    status: Status
    reason: str | UnsetType = UNSET
    grade: str | UnsetType = UNSET
    counts: dict[str, int] | UnsetType = UNSET
    values: dict[str, Display] | UnsetType = UNSET
    runs_passed: int | UnsetType = UNSET
    classes: tuple[ClassResult, ...] | UnsetType = UNSET
    missed_classes: tuple[MissedClass, ...] | UnsetType = UNSET
    expected_tools: tuple[ExpectedTool, ...] | UnsetType = UNSET
    unexpected_tools: tuple[UnexpectedTool, ...] | UnsetType = UNSET
    forbidden_tools: tuple[ForbiddenTool, ...] | UnsetType = UNSET
    assertions: tuple[AssertionResult, ...] | UnsetType = UNSET

    @property
    def selection(self) -> Counts | None:
        """Return the counts that go into a grade, or None if the gate counts something else."""
        if isinstance(self.counts, UnsetType) or "tp" not in self.counts:
            return None
        return Counts(**self.counts)
