"""The report: results only, without times or paths, so that equal results are equal bytes."""

from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from ...compiler.plan import Plan, SuitePlan
from ...gates.gate import Mode
from ...gates.gate_result import Counts, GateResult
from ...gates.grade import letter_grade
from ...gates.run_targets import compute_pass_k
from ...gates.trace import Usage
from ...runners.cell_result import CatalogSurface, CellResult, RecordedTools, TestStatus, TraceResult

SCHEMA = "toolgrade.report/1"
SEVERITY: dict[TestStatus, int] = {"passed": 0, "skipped": 1, "xfailed": 2, "xpassed": 3, "failed": 4, "error": 5}
"""How bad a status is: the one order of tables, annotations, pages and comparisons."""


class SelectionCounts(msgspec.Struct, frozen=True):
    """Counts pooled over tests, with precision, recall and F1."""

    tp: int
    fp: int
    fn: int
    precision: int
    recall: int
    f1: int

    @classmethod
    def from_counts(cls, counts: Counts) -> "SelectionCounts":
        """Return the counts with their percentages."""
        return cls(counts.tp, counts.fp, counts.fn, counts.precision, counts.recall, counts.f1)


BROKEN: tuple[TestStatus, ...] = ("error", "failed", "xpassed")
"""The statuses that make a run fail."""


class TestReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """One test with one model."""

    name: str
    runs: int
    status: TestStatus
    gates: tuple[GateResult, ...]
    model: str | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    xfail: str | UnsetType = UNSET
    runs_passed: int | UnsetType = UNSET
    toolset: RecordedTools | UnsetType = UNSET
    surface: CatalogSurface | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    cost: str | UnsetType = UNSET
    retries: int | UnsetType = UNSET
    warnings: tuple[str, ...] = ()
    traces: tuple[TraceResult, ...] | UnsetType = UNSET

    @property
    def is_broken(self) -> bool:
        """Whether the test makes a run fail: it failed, an error stopped it, or it passed against expectation."""
        return self.status in BROKEN


class SuiteReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The tests of one suite and its grade."""

    name: str
    file: str
    tests: tuple[TestReport, ...]
    description: str | UnsetType = UNSET
    selection: SelectionCounts | UnsetType = UNSET
    grade: str | UnsetType = UNSET
    pass_k: dict[str, str] | UnsetType = UNSET
    """How likely k runs of a test all pass, the mean over the tests of several runs; by k, with four decimals."""


class ReportSummary(msgspec.Struct, frozen=True, omit_defaults=False):
    """Totals over all suites."""

    tests: int
    passed: int
    failed: int
    errors: int
    skipped: int
    skipped_gates: int
    xfailed: int | UnsetType = UNSET
    xpassed: int | UnsetType = UNSET
    selection: SelectionCounts | UnsetType = UNSET
    grade: str | UnsetType = UNSET
    pass_k: dict[str, str] | UnsetType = UNSET

    @property
    def has_failed(self) -> bool:
        """Whether a test failed, or passed against expectation."""
        return bool(self.failed or self.xpassed)

    def list_counts(self) -> tuple[tuple[int, str], ...]:
        """Return how many tests stand how, in the words of a sentence."""
        return (
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.xpassed or 0, "xpassed"),
            (self.errors, "errors"),
            (self.xfailed or 0, "xfailed"),
            (self.skipped, "skipped"),
        )


class Report(msgspec.Struct, frozen=True):
    """The content of report.json."""

    schema: str
    mode: Mode
    plan: str
    summary: ReportSummary
    suites: tuple[SuiteReport, ...]


def make_report(plan: Plan, results: Sequence[CellResult], mode: Mode) -> Report:
    """Return the report on these results, in the order of the plan."""
    suites = tuple(
        _make_suite_report(suite, [result for result in results if result.suite is suite]) for suite in plan.suites
    )
    return _build_report(mode, plan.digest, suites)


def filter_report(report: Report, is_wanted: Callable[[SuiteReport, TestReport], bool]) -> Report:
    """Return the report on the tests that are wanted, with its counts and grades computed anew."""
    return _build_report(report.mode, report.plan, [_filter_suite(suite, is_wanted) for suite in report.suites])


def find_graded_counts(gates: Iterable[GateResult]) -> Counts | None:
    """Return the counts that a test puts into a grade: those of its first gate that counts selections, or None."""
    return next((gate.selection for gate in gates if gate.selection is not None), None)


def _build_report(mode: Mode, plan: str, suites: Sequence[SuiteReport]) -> Report:
    # A selection can leave a suite without tests; it would have a row and say nothing.
    filled = tuple(suite for suite in suites if suite.tests)
    return Report(SCHEMA, mode, plan, _make_report_summary([test for suite in filled for test in suite.tests]), filled)


def _filter_suite(suite: SuiteReport, is_wanted: Callable[[SuiteReport, TestReport], bool]) -> SuiteReport:
    tests = tuple(test for test in suite.tests if is_wanted(suite, test))
    selection, grade = _pool_counts(tests)
    return msgspec.structs.replace(
        suite, tests=tests, selection=selection, grade=grade, pass_k=_compute_pass_k_of(tests)
    )


def _make_suite_report(suite: SuitePlan, results: Sequence[CellResult]) -> SuiteReport:
    tests = tuple(_make_test_report(result) for result in results)
    pooled, pass_k = _pool_counts(tests), _compute_pass_k_of(tests)
    return SuiteReport(suite.name, suite.file, tests, suite.description or UNSET, *pooled, pass_k=pass_k)


def _make_test_report(result: CellResult) -> TestReport:
    return TestReport(
        name=result.test.name,
        runs=result.runs,
        status=result.status,
        gates=result.gates,
        model=result.cell.model or UNSET,
        prompt=result.test.prompt or UNSET,
        reason=result.error or UNSET,
        xfail=result.cell.xfail or UNSET,
        runs_passed=UNSET if result.runs_passed is None else result.runs_passed,
        toolset=result.tools or UNSET,
        surface=result.surface or UNSET,
        usage=result.usage or UNSET,
        cost=result.cost or UNSET,
        retries=UNSET if result.retries is None else result.retries,
        warnings=result.warnings,
        traces=UNSET if result.traces is None else result.traces,
    )


def _make_report_summary(tests: Sequence[TestReport]) -> ReportSummary:
    statuses = [test.status for test in tests]
    selection, grade = _pool_counts(tests)
    return ReportSummary(
        tests=len(tests),
        passed=statuses.count("passed"),
        failed=statuses.count("failed"),
        errors=statuses.count("error"),
        skipped=statuses.count("skipped"),
        skipped_gates=sum(gate.status == "skipped" for test in tests for gate in test.gates),
        xfailed=statuses.count("xfailed") or UNSET,
        xpassed=statuses.count("xpassed") or UNSET,
        selection=selection,
        grade=grade,
        pass_k=_compute_pass_k_of(tests),
    )


def _compute_pass_k_of(tests: Iterable[TestReport]) -> dict[str, str] | UnsetType:
    cells = [(test.runs_passed, test.runs) for test in tests if isinstance(test.runs_passed, int)]
    return compute_pass_k(cells) or UNSET


def _pool_counts(tests: Sequence[TestReport]) -> tuple[SelectionCounts | UnsetType, str | UnsetType]:
    """Return the sum of the tests' counts and the grade of that sum; both are unset if no test is graded."""
    counts = [found for test in tests if (found := find_graded_counts(test.gates)) is not None]
    if not counts:
        return UNSET, UNSET
    total = sum(counts, Counts())
    return SelectionCounts.from_counts(total), letter_grade(total.f1)
