"""Scoring traces: finding the cell that a run belongs to, and the verdicts of its gates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..compiler.plan import Plan
from ..foundations.fault import BadInput
from ..foundations.suggestion import format_suggestion
from ..gates.gate import Gate, GateTally, ScoringConditions
from ..gates.gate_result import GateResult
from ..gates.registry import GATES
from ..gates.tool_selection import ToolClass
from ..gates.trace import Trace
from .cell_result import CellResult, TraceResult
from .cell_selection import PlannedCell, iterate_cells
from .report_trace import make_trace_result, redact_trace
from .spending import Spending
from .trace_file import RecordedRun, TraceFileEntry, explain_decode_error

MAX_PROBLEMS = 20
NO_TRACE = "no trace was given for this test"
_SCORED = ScoringConditions("score")

Run = Trace | Mapping[str, Any]
"""A run in Python: a Trace, or a mapping with the same fields."""

CleanTrace = Callable[[Trace], Trace]
"""A function that returns a trace as a report may show it, without secrets."""


class CellScorer:
    """The tallies of one cell. Runs are added and not stored; with `clean`, traces are kept as it returns them."""

    def __init__(self, planned: PlannedCell, conditions: ScoringConditions, clean: CleanTrace | None) -> None:
        gates = planned.gates
        self._planned = planned
        self._tallies: list[GateTally] = [gate.begin(conditions) for gate in gates]
        self._spending = Spending()
        self._traces = _KeptTraces(gates, clean) if clean else None
        pairs = list(zip(gates, self._tallies, strict=True))
        # Bound once: a score of a million runs calls each of them a million times.
        self._judges = [tally.add for gate, tally in pairs if GATES[gate.name].judges_single_runs]
        others = [tally.add for gate, tally in pairs if not GATES[gate.name].judges_single_runs]
        self._adders = [self._spending.add, *others, *([self._traces.add] if self._traces else [])]
        self.runs = self._runs_passed = 0

    def add(self, trace: Trace) -> None:
        """Add one run. Raise `msgspec.DecodeError` if a gate needs arguments that are not JSON."""
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
        """Return the verdicts on all runs so far; without any, every gate is skipped."""
        test = self._planned.test
        if self.runs:
            gates = tuple(tally.compute_result() for tally in self._tallies)
        else:
            gates = tuple(GateResult(gate.name, "skipped", reason=NO_TRACE) for gate in self._planned.gates)
        traces = None if self._traces is None else tuple(self._traces.results)
        usage, cost = self._spending.usage, self._spending.cost
        return CellResult(
            self._planned.suite,
            test,
            self._planned.cell,
            self.runs,
            gates,
            traces,
            runs_passed=self.runs_passed,
            usage=usage,
            cost=cost,
        )


class _KeptTraces:
    """The runs as a report may show them, with the outcome of each call."""

    def __init__(self, gates: Iterable[Gate], clean: CleanTrace) -> None:
        self._classes = find_tool_classes(gates)
        self._clean = clean
        self.results: list[TraceResult] = []

    def add(self, trace: Trace) -> None:
        self.results.append(make_trace_result(self._classes, self._clean(trace), len(self.results) + 1))


def find_tool_classes(gates: Iterable[Gate]) -> tuple[ToolClass, ...] | None:
    """Return the classes by which a test's calls are told apart: those of its first gate that has any."""
    return next((classes for gate in gates if (classes := gate.list_classes()) is not None), None)


class UnreadableRuns(BadInput):
    """Runs that cannot be scored. They are listed, up to `MAX_PROBLEMS`, and nothing is scored."""

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
    """Return the results of recorded runs, one per cell; a run that names no test belongs to `test`.

    Raise `UnreadableRuns` if any run cannot be read or assigned, and `BadInput` if there is none, or if a test has
    fewer than its `runs` and all of them are needed.
    """
    cells = _CellIndex(plan, test, redact_trace if keep_traces else None)
    problems: list[str] = []
    # All are read before anything is refused: the author sees every problem at once.
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
    """The cells that runs may belong to, found once for each pair of test and model that the runs name."""

    def __init__(self, plan: Plan, test: str | None, clean: CleanTrace | None) -> None:
        names = [entry.name for suite in plan.suites for entry in suite.tests]
        if test is not None and test not in names:
            raise BadInput(f"no test is named `{test}`", format_suggestion(test, names))
        self._cells = {
            (planned.suite.name, planned.test.name, planned.cell.model): CellScorer(planned, _SCORED, clean)
            for planned in iterate_cells(plan)
            if test is None or planned.test.name == test
        }
        self._found: dict[tuple[str | None, str | None], CellScorer] = {}

    @property
    def scorers(self) -> Iterable[CellScorer]:
        return self._cells.values()

    def add(self, run: RecordedRun) -> str | None:
        """Score a run; return the reason if it cannot be scored."""
        key = (run.test, run.model)
        scorer = self._found.get(key) or self._find_scorer(key)
        if isinstance(scorer, str):
            return scorer
        try:
            return scorer.add(run)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            # Arguments stay undecoded until a gate asserts on them, so a wrong one is found only here.
            return f"`args`: {explain_decode_error(error)}"

    def _find_scorer(self, key: tuple[str | None, str | None]) -> CellScorer | str:
        found = self._choose_scorer(*key)
        if isinstance(found, CellScorer):
            self._found[key] = found
        return found

    def _choose_scorer(self, test: str | None, model: str | None) -> CellScorer | str:
        """Return the scorer of a test and a model, or the reason why there is none."""
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
