"""Scoring traces: which cell a run belongs to, and the verdict of every gate of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from ..compiler.plan import Cell, Plan, PlannedTest, SuitePlan
from ..foundations.fault import BadInput
from ..foundations.suggestion import format_suggestion
from ..gates.equal_function_sets import EqualFunctionSetsBlock
from ..gates.expect import Expect, ExpectBlock
from ..gates.gate import Gate, GateTally, ScoringConditions, score_gate
from ..gates.gate_result import GateResult
from ..gates.registry import GATES
from ..gates.token_efficiency import TokenEfficiencyBlock
from ..gates.tool_correctness import ToolCorrectnessBlock
from ..gates.tool_selection import ToolClass
from ..gates.trace import Trace
from .cell_result import CellResult, TraceResult
from .report_trace import make_trace_result, redact_trace
from .spending import Spending
from .trace_file import RecordedRun, TraceFileEntry, explain_decode_error

MAX_PROBLEMS = 20
NO_TRACE = "no trace was given for this test"
_SCORED = ScoringConditions("score")

Run = Trace | Mapping[str, Any]
"""A run in Python: a Trace, or the same as a mapping with `tool_calls`."""

CleanTrace = Callable[[Trace], Trace]
"""A trace without what must not be shown of it."""


class CellScorer:
    """The tallies of one cell. A run is added and forgotten, unless `keep` gives what may be shown of its trace."""

    def __init__(
        self, suite: SuitePlan, test: PlannedTest, cell: Cell, conditions: ScoringConditions, keep: CleanTrace | None
    ) -> None:
        self._owner = (suite, test, cell)
        self._tallies: list[GateTally] = [gate.begin(conditions) for gate in test.gates]
        self._spending = Spending()
        self._traces = _KeptTraces(test.gates, keep) if keep else None
        pairs = list(zip(test.gates, self._tallies, strict=True))
        self._judges = [tally.add for gate, tally in pairs if GATES[gate.name].judges_single_runs]
        others = [tally.add for gate, tally in pairs if not GATES[gate.name].judges_single_runs]
        self._adders = [self._spending.add, *others, *([self._traces.add] if self._traces else [])]
        self.runs = self._runs_passed = 0

    def add(self, trace: Trace) -> None:
        self.runs += 1
        for add in self._adders:
            add(trace)
        is_passed = True
        for judge in self._judges:
            is_passed &= judge(trace)
        self._runs_passed += is_passed

    @property
    def runs_passed(self) -> int | None:
        """The runs that passed every gate that judges single runs; None without such a gate, or of a single run."""
        return self._runs_passed if self._judges and self.runs > 1 else None

    def make_cell_result(self) -> CellResult:
        suite, test, cell = self._owner
        if self.runs:
            gates = tuple(tally.compute_result() for tally in self._tallies)
        else:
            gates = tuple(GateResult(gate.name, "skipped", reason=NO_TRACE) for gate in test.gates)
        traces = None if self._traces is None else tuple(self._traces.shown)
        usage, cost = self._spending.usage, self._spending.cost
        return CellResult(
            suite, test, cell, self.runs, gates, traces, runs_passed=self.runs_passed, usage=usage, cost=cost
        )


class _KeptTraces:
    """Every run as a report may show it, with what became of its calls."""

    def __init__(self, gates: Iterable[Gate], keep: CleanTrace) -> None:
        self._classes = find_tool_classes(gates)
        self._keep = keep
        self.shown: list[TraceResult] = []

    def add(self, trace: Trace) -> None:
        self.shown.append(make_trace_result(self._classes, self._keep(trace), len(self.shown) + 1))


def find_tool_classes(gates: Iterable[Gate]) -> tuple[ToolClass, ...] | None:
    """Return the classes by which a test's calls are told apart: those of its first gate that has any."""
    return next((classes for gate in gates if (classes := gate.list_classes()) is not None), None)


class UnreadableRuns(BadInput):
    """Runs that cannot be scored; all are named, up to a bound, and nothing is reported as passed."""

    def __init__(self, problems: Sequence[str], total: int) -> None:
        more = [f"… and {total - len(problems)} more"] if total > len(problems) else []
        count = "one run" if total == 1 else f"{total:,} runs"
        super().__init__("\n".join([f"{count} could not be read; nothing was scored", *problems, *more]))
        self.problems = tuple(problems)


def score_traces(
    plan: Plan,
    runs: Iterable[TraceFileEntry],
    test: str | None = None,
    keep_traces: bool = False,
    needs_all_runs: bool = False,
) -> tuple[CellResult, ...]:
    """Return the results of recorded runs; `test` is the one meant by runs that name none.

    Raise `BadInput` if a run cannot be scored, or if a test has fewer than its `runs` and all of them are needed.
    """
    cells = _CellIndex(plan, test, redact_trace if keep_traces else None)
    problems: list[str] = []
    wrong = 0
    for read in runs:
        problem = read.problem if read.run is None else cells.add(read.run)
        if problem is not None:
            wrong += 1
            if len(problems) < MAX_PROBLEMS:
                problems.append(f"{read.place}: {problem}".replace("\n", "\\n"))
    if problems:
        raise UnreadableRuns(problems, wrong)
    if not any(scorer.runs for scorer in cells.scorers):
        raise BadInput("no trace was given", 'a trace is JSON: {"tool_calls": [{"name": …, "server": …}]}')
    results = tuple(_warn_of_missing_runs(scorer.make_cell_result()) for scorer in cells.scorers)
    if needs_all_runs:
        _require_all_runs(results)
    return results


def _warn_of_missing_runs(result: CellResult) -> CellResult:
    if not 0 < result.runs < result.test.runs:
        return result
    return msgspec.structs.replace(result, warnings=(*result.warnings, _format_run_count(result)))


def _require_all_runs(results: Iterable[CellResult]) -> None:
    """Raise `BadInput` if a test has fewer traces than its `runs`."""
    short = [result for result in results if result.runs < result.test.runs]
    if short:
        lines = [f"{result.test.name}: {_format_run_count(result)}" for result in short[:MAX_PROBLEMS]]
        more = [f"… and {len(short) - len(lines)} more"] if len(short) > len(lines) else []
        help_ = "give the missing traces, or score without --all-runs"
        raise BadInput("\n".join(["some tests have fewer traces than `runs`", *lines, *more]), help_)


def _format_run_count(result: CellResult) -> str:
    return f"{result.runs:,} of {result.test.runs:,} runs"


class _CellIndex:
    """The cells that runs may belong to; which one, is worked out once for each test and model that runs name."""

    def __init__(self, plan: Plan, test: str | None, keep: CleanTrace | None) -> None:
        names = [planned.name for suite in plan.suites for planned in suite.tests]
        if test is not None and test not in names:
            raise BadInput(f"no test is named `{test}`", format_suggestion(test, names))
        self._cells = {
            (suite.name, planned.name, cell.model): CellScorer(suite, planned, cell, _SCORED, keep)
            for suite in plan.suites
            for planned in suite.tests
            if test is None or planned.name == test
            for cell in planned.cells
        }
        self._found: dict[tuple[str | None, str | None], CellScorer] = {}

    @property
    def scorers(self) -> Iterable[CellScorer]:
        return self._cells.values()

    def add(self, run: RecordedRun) -> str | None:
        """Score a run, or say why it cannot be."""
        key = (run.test, run.model)
        scorer = self._found.get(key) or self._find_scorer(key)
        if isinstance(scorer, str):
            return scorer
        try:
            return scorer.add(run)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:  # args are decoded when they are asserted on
            return f"`args`: {explain_decode_error(error)}"

    def _find_scorer(self, key: tuple[str | None, str | None]) -> CellScorer | str:
        found = self._choose_scorer(*key)
        if isinstance(found, CellScorer):
            self._found[key] = found
        return found

    def _choose_scorer(self, test: str | None, model: str | None) -> CellScorer | str:
        """The cell of a test and a model, or why there is none."""
        names = list(dict.fromkeys(name for _, name, _ in self._cells))
        if test is None and len(names) > 1:
            return 'the suite has several tests: say which with `"test"` in the run, or --test NAME'
        name = names[0] if test is None else test
        if name not in names:
            hint = format_suggestion(name, names)
            return f"no test is named `{name}`{f'; {hint}' if hint else ''}"
        found = {key: scorer for key, scorer in self._cells.items() if key[1] == name}
        if len({suite for suite, _, _ in found}) > 1:
            return f"several suites have a test named `{name}`: score them one by one"
        if len(found) == 1:
            return next(iter(found.values()))
        models = [str(known) for _, _, known in found]
        chosen = next((scorer for (_, _, known), scorer in found.items() if known == model), None)
        return chosen or f'the test has several models: say which with `"model"`, one of {", ".join(models)}'


def score_selection(
    classes: Sequence[ToolClass | Mapping[str, Any]], runs: Iterable[Run], expect: Sequence[Any] = ()
) -> GateResult:
    """Precision, recall and F1 over classes of interchangeable tools: the gate `equal_function_sets`."""
    block = EqualFunctionSetsBlock.model_validate({"classes": _to_plain_classes(classes), "expect": list(expect)})
    return _score_runs(block.resolve(), runs, _SCORED)


def score_correctness(
    expected_tools: Sequence[str],
    runs: Iterable[Run],
    *,
    exact_match: bool = False,
    check_ordering: bool = False,
    **more: Any,
) -> GateResult:
    """The share of expected tools that were called, exactly or in order: the gate `tool_correctness`."""
    fields = {"expected_tools": list(expected_tools), "exact_match": exact_match, "check_ordering": check_ordering}
    return _score_runs(ToolCorrectnessBlock.model_validate({**fields, **more}).resolve(), runs, _SCORED)


def score_efficiency(
    classes: Sequence[ToolClass | Mapping[str, Any]],
    runs: Iterable[Run],
    *,
    tool_surface_tokens: int,
    cost: Decimal | str | None = None,
    expect: Sequence[Any] = (),
) -> GateResult:
    """What a catalog costs per correct selection: the gate `token_efficiency`.

    `cost` is what all runs cost together; without it, the costs on the traces are added up.
    """
    block = TokenEfficiencyBlock.model_validate({"classes": _to_plain_classes(classes), "expect": list(expect)})
    traces = [convert_to_trace(run) for run in runs]
    if cost is not None:
        shares = [Decimal(str(cost)), *[Decimal(0)] * (len(traces) - 1)]
        traces = [msgspec.structs.replace(trace, cost=share) for trace, share in zip(traces, shares, strict=True)]
    return _score_runs(block.resolve(), traces, ScoringConditions("live", tool_surface_tokens))


def check_trace(expect: Sequence[Any], runs: Iterable[Run]) -> GateResult:
    """Plain assertions on the trace of every run: the `expect:` of a test."""
    return _score_runs(Expect(ExpectBlock.model_validate(list(expect)).root), runs, _SCORED)


def convert_to_trace(run: Run) -> Trace:
    """A run as a Trace; a mapping is read exactly as from a file."""
    if isinstance(run, Trace):
        return run
    return msgspec.json.decode(msgspec.json.encode(run), type=Trace)


def _score_runs(gate: Gate, runs: Iterable[Run], conditions: ScoringConditions) -> GateResult:
    return score_gate(gate, (convert_to_trace(run) for run in runs), conditions)


def _to_plain_classes(classes: Sequence[ToolClass | Mapping[str, Any]]) -> list[Any]:
    """Classes as they stand in YAML; what is wrong with them is found there."""
    return [dict(entry) if isinstance(entry, Mapping) else msgspec.to_builtins(entry) for entry in classes]
