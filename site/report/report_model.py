"""The report: results and nothing else, so that equal results are equal bytes."""

from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from ...compiler.plan import Plan, SuitePlan
from ...gates.gate import Mode
from ...gates.gate_result import Counts, GateResult
from ...gates.grade import letter_grade
from ...gates.trace import Usage
from ...runners.cell_result import CellResult, RecordedTools, Surface, TestStatus, TraceResult

SCHEMA = "toolgrade.report/1"
_GRADED = ("equal_function_sets", "token_efficiency")


class Selection(msgspec.Struct, frozen=True):
    """Counts pooled over tests, and what they make."""

    tp: int
    fp: int
    fn: int
    precision: int
    recall: int
    f1: int

    @classmethod
    def of(cls, counts: Counts) -> "Selection":
        return cls(counts.tp, counts.fp, counts.fn, counts.precision, counts.recall, counts.f1)


class TestReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """One test with one model."""

    name: str
    runs: int
    status: TestStatus
    gates: tuple[GateResult, ...]
    model: str | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    toolset: RecordedTools | UnsetType = UNSET
    surface: Surface | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    cost: str | UnsetType = UNSET
    retries: int | UnsetType = UNSET
    warnings: tuple[str, ...] = ()
    traces: tuple[TraceResult, ...] | UnsetType = UNSET


class SuiteReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """One suite."""

    name: str
    file: str
    tests: tuple[TestReport, ...]
    description: str | UnsetType = UNSET
    selection: Selection | UnsetType = UNSET
    grade: str | UnsetType = UNSET


class Summary(msgspec.Struct, frozen=True, omit_defaults=False):
    """All suites together."""

    tests: int
    passed: int
    failed: int
    errors: int
    skipped: int
    skipped_gates: int
    selection: Selection | UnsetType = UNSET
    grade: str | UnsetType = UNSET


class Report(msgspec.Struct, frozen=True):
    """Everything that report.json holds."""

    schema: str
    mode: Mode
    plan: str
    summary: Summary
    suites: tuple[SuiteReport, ...]


def make_report(plan: Plan, results: Sequence[CellResult], mode: Mode) -> Report:
    """The report on these results, in the order of the plan."""
    suites = tuple(_suite(suite, [result for result in results if result.suite is suite]) for suite in plan.suites)
    return _report(mode, plan.digest, suites)


def narrowed(report: Report, is_wanted: Callable[[SuiteReport, TestReport], bool]) -> Report:
    """The report that only these tests would have given, graded anew."""
    return _report(report.mode, report.plan, [_narrowed(suite, is_wanted) for suite in report.suites])


def graded_counts(gates: Iterable[GateResult]) -> Counts | None:
    """The counts that a test puts into a grade: of its selection gate, or of efficiency where that is the only one."""
    by_name = {gate.gate: gate.selection for gate in gates}
    return next((by_name[name] for name in _GRADED if name in by_name), None)


def _report(mode: Mode, plan: str, suites: Sequence[SuiteReport]) -> Report:
    filled = tuple(suite for suite in suites if suite.tests)
    return Report(SCHEMA, mode, plan, _summary([test for suite in filled for test in suite.tests]), filled)


def _narrowed(suite: SuiteReport, is_wanted: Callable[[SuiteReport, TestReport], bool]) -> SuiteReport:
    tests = tuple(test for test in suite.tests if is_wanted(suite, test))
    selection, grade = _pooled(tests)
    return msgspec.structs.replace(suite, tests=tests, selection=selection, grade=grade)


def _suite(suite: SuitePlan, results: Sequence[CellResult]) -> SuiteReport:
    tests = tuple(_test(result) for result in results)
    return SuiteReport(suite.name, suite.file, tests, suite.description or UNSET, *_pooled(tests))


def _test(result: CellResult) -> TestReport:
    return TestReport(
        name=result.test.name,
        runs=result.runs,
        status=result.status,
        gates=result.gates,
        model=result.cell.model or UNSET,
        prompt=result.test.prompt or UNSET,
        reason=result.error or UNSET,
        toolset=result.tools or UNSET,
        surface=result.surface or UNSET,
        usage=result.usage or UNSET,
        cost=result.cost or UNSET,
        retries=UNSET if result.retries is None else result.retries,
        warnings=result.warnings,
        traces=UNSET if result.traces is None else result.traces,
    )


def _summary(tests: Sequence[TestReport]) -> Summary:
    statuses = [test.status for test in tests]
    selection, grade = _pooled(tests)
    return Summary(
        tests=len(tests),
        passed=statuses.count("passed"),
        failed=statuses.count("failed"),
        errors=statuses.count("error"),
        skipped=statuses.count("skipped"),
        skipped_gates=sum(gate.status == "skipped" for test in tests for gate in test.gates),
        selection=selection,
        grade=grade,
    )


def _pooled(tests: Sequence[TestReport]) -> tuple[Selection | UnsetType, str | UnsetType]:
    """Grades come from counts added up, never from averages of grades."""
    counts = [found for test in tests if (found := graded_counts(test.gates)) is not None]
    if not counts:
        return UNSET, UNSET
    total = sum(counts, Counts())
    return Selection.of(total), letter_grade(total.f1)
