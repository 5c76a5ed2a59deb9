"""The diff as it is written: each test that is not as it was, and the comparison as a whole."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.gate import Mode
from ...runners.cell_result import TestStatus
from .change_causes import ChangeCause

SCHEMA = "toolgrade.diff/1"
Verdict = Literal[
    "regressed", "improved", "within_noise", "asked_differently", "added", "removed", "unchanged"
]  # fmt: skip
OverallVerdict = Literal["regressed", "improved", "within_noise", "unchanged"]
Identity = tuple[str, str, str]
"""Suite, test and model; a test without a model has an empty one."""


class ReportedOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of a test in one report."""

    status: TestStatus
    f1: int | UnsetType = UNSET
    runs: int | UnsetType = UNSET
    runs_passed: int | UnsetType = UNSET


class ExactResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The p-value of a fall or a rise as a fraction, and the smallest one that would have counted.

    `unit` says what is counted: hits of classes (or expected tools), or runs that passed.
    """

    p: str
    direction: Literal["fall", "rise"]
    unit: Literal["hits", "runs"]
    smallest: int | UnsetType = UNSET


class ChangedTest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A test that is not as it was."""

    verdict: Verdict
    suite: str
    test: str
    model: str | UnsetType = UNSET
    is_allowed: bool = msgspec.field(default=False, name="allowed")
    old: ReportedOutcome | UnsetType = UNSET
    new: ReportedOutcome | UnsetType = UNSET
    exact: ExactResult | UnsetType = UNSET
    causes: tuple[ChangeCause, ...] = ()


class ComparedReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the two reports as a whole."""

    mode: Mode
    plan: str
    tests: int
    grade: str | UnsetType = UNSET
    f1: int | UnsetType = UNSET


class ChangeCounts(msgspec.Struct, frozen=True):
    """The number of tests by verdict; regressions that were allowed are counted apart."""

    regressed: int
    allowed: int
    improved: int
    within_noise: int
    asked_differently: int
    added: int
    removed: int
    unchanged: int


class OverallResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The comparison as a whole: all tests that chance has a part in, taken together."""

    verdict: OverallVerdict
    tests: int
    p: str
    smallest: int | UnsetType = UNSET


class Diff(msgspec.Struct, frozen=True):
    """Everything that changed, worst first."""

    schema: str
    old: ComparedReport
    new: ComparedReport
    tally: ChangeCounts
    changes: tuple[ChangedTest, ...]
    overall: OverallResult
    alpha: str
    newly_failed: int
    """Tests that were asked differently, and went from passed to failed."""
    is_strict: bool = msgspec.field(name="strict")

    @property
    def has_regressed(self) -> bool:
        is_worse = bool(self.tally.regressed) or self.overall.verdict == "regressed"
        return is_worse or (self.is_strict and bool(self.newly_failed))
