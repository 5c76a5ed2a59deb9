"""Scoring traces: which cell a run belongs to, and the verdict of every gate of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..compiler.plan import Cell, Plan, PlannedTest, SuitePlan
from ..foundations.fault import BadInput
from ..foundations.suggestion import format_suggestion
from ..gates.gate import Gate, GateTally, ScoringConditions
from ..gates.gate_result import GateResult
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
        takers = (self._spending, *self._tallies, self._traces)
        self._adders = [taker.add for taker in takers if taker is not None]
        self.runs = 0

    def add(self, trace: Trace) -> None:
        self.runs += 1
        for add in self._adders:
            add(trace)

    def make_cell_result(self) -> CellResult:
        suite, test, cell = self._owner
        if self.runs:
            gates = tuple(tally.compute_result() for tally in self._tallies)
        else:
            gates = tuple(GateResult(gate.name, "skipped", reason=NO_TRACE) for gate in test.gates)
        traces = None if self._traces is None else tuple(self._traces.shown)
        usage, cost = self._spending.usage, self._spending.cost
        return CellResult(suite, test, cell, self.runs, gates, traces, usage=usage, cost=cost)


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
    plan: Plan, runs: Iterable[TraceFileEntry], test: str | None = None, keep_traces: bool = False
) -> tuple[CellResult, ...]:
    """Score recorded runs against a plan; `test` is the one meant by runs that name none."""
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
    return tuple(scorer.make_cell_result() for scorer in cells.scorers)


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
