"""Scoring traces: which cell a run belongs to, and the verdict of every gate of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from ..compiler.plan import Cell, Plan, PlannedTest, SuitePlan
from ..gates.equal_function_sets import EqualFunctionSets
from ..gates.expect import Expect, ExpectBlock
from ..gates.gate import Conditions, Gate, Tally, score
from ..gates.nearest import did_you_mean
from ..gates.registry import BLOCKS, AnyGate
from ..gates.result import GateResult
from ..gates.selection import ToolClass
from ..gates.token_efficiency import TokenEfficiency
from ..gates.trace import Trace
from .fault import BadInput
from .result import CellResult, TraceResult
from .shown import redacted_trace, shown_trace
from .spending import Spending
from .traces import ReadRun, RecordedRun, explain

MAX_PROBLEMS = 20
NO_TRACE = "no trace was given for this test"
_SCORED = Conditions("score")

Run = Trace | Mapping[str, Any]
"""A run in Python: a Trace, or the same as a mapping with `tool_calls`."""

Keep = Callable[[Trace], Trace]
"""A trace without what must not be shown of it."""


class CellScorer:
    """The tallies of one cell. A run is added and forgotten, unless `keep` gives what may be shown of its trace."""

    def __init__(
        self, suite: SuitePlan, test: PlannedTest, cell: Cell, conditions: Conditions, keep: Keep | None
    ) -> None:
        self._owner = (suite, test, cell)
        self._tallies: list[Tally] = [gate.begin(conditions) for gate in test.gates]
        self._classes = classes_of(test.gates)
        self._keep = keep
        self._traces: list[TraceResult] = []
        self._spending = Spending()
        self.runs = 0

    def add(self, trace: Trace) -> None:
        self.runs += 1
        self._spending.add(trace)
        for tally in self._tallies:
            tally.add(trace)
        if self._keep is not None:
            self._traces.append(shown_trace(self._classes, self._keep(trace), self.runs))

    def result(self) -> CellResult:
        suite, test, cell = self._owner
        if self.runs:
            gates = tuple(tally.result() for tally in self._tallies)
        else:
            gates = tuple(GateResult(gate.name, "skipped", reason=NO_TRACE) for gate in test.gates)
        traces = None if self._keep is None else tuple(self._traces)
        usage, cost = self._spending.usage, self._spending.cost
        return CellResult(suite, test, cell, self.runs, gates, traces, usage=usage, cost=cost)


def classes_of(gates: Iterable[AnyGate]) -> tuple[ToolClass, ...] | None:
    """The classes by which a test's calls are told apart, where a gate has any."""
    return next((gate.classes for gate in gates if isinstance(gate, EqualFunctionSets | TokenEfficiency)), None)


class UnreadableRuns(BadInput):
    """Runs that cannot be scored; all are named, up to a bound, and nothing is reported as passed."""

    def __init__(self, problems: Sequence[str], total: int) -> None:
        more = [f"… and {total - len(problems)} more"] if total > len(problems) else []
        count = "one run" if total == 1 else f"{total:,} runs"
        super().__init__("\n".join([f"{count} could not be read; nothing was scored", *problems, *more]))
        self.problems = tuple(problems)


def score_traces(
    plan: Plan, runs: Iterable[ReadRun], test: str | None = None, keep_traces: bool = False
) -> tuple[CellResult, ...]:
    """Score recorded runs against a plan; `test` is the one meant by runs that name none."""
    cells = _cells(plan, test, redacted_trace if keep_traces else None)
    problems: list[str] = []
    wrong = 0
    by_key: dict[tuple[str | None, str | None], CellScorer] = {}
    for read in runs:
        run, problem = read.run, read.problem
        if run is not None:
            key = (run.test, run.model)
            scorer = by_key.get(key)
            if scorer is None:
                scorer = _find(cells, run)
                if isinstance(scorer, str):
                    problem = scorer
                else:
                    by_key[key] = scorer
            if isinstance(scorer, CellScorer):
                try:
                    scorer.add(run)
                    continue
                except (msgspec.DecodeError, UnicodeDecodeError) as error:  # args are decoded when they are asserted on
                    problem = f"`args`: {explain(error)}"
        wrong += 1
        if len(problems) < MAX_PROBLEMS:
            problems.append(f"{read.place}: {problem}".replace("\n", "\\n"))
    if problems:
        raise UnreadableRuns(problems, wrong)
    if not any(scorer.runs for scorer in cells.values()):
        raise BadInput("no trace was given", 'a trace is JSON: {"tool_calls": [{"name": …, "server": …}]}')
    return tuple(scorer.result() for scorer in cells.values())


Cells = dict[tuple[str, str, str | None], CellScorer]


def _cells(plan: Plan, test: str | None, keep: Keep | None) -> Cells:
    names = [planned.name for suite in plan.suites for planned in suite.tests]
    if test is not None and test not in names:
        raise BadInput(f"no test is named `{test}`", did_you_mean(test, names))
    return {
        (suite.name, planned.name, cell.model): CellScorer(suite, planned, cell, _SCORED, keep)
        for suite in plan.suites
        for planned in suite.tests
        if test is None or planned.name == test
        for cell in planned.cells
    }


def _find(cells: Cells, run: RecordedRun) -> CellScorer | str:
    """The cell a run belongs to, or why there is none."""
    names = list(dict.fromkeys(name for _, name, _ in cells))
    if run.test is None and len(names) > 1:
        return 'the suite has several tests: say which with `"test"` in the run, or --test NAME'
    name = names[0] if run.test is None else run.test
    if name not in names:
        hint = did_you_mean(name, names)
        return f"no test is named `{name}`{f'; {hint}' if hint else ''}"
    found = {key: scorer for key, scorer in cells.items() if key[1] == name}
    if len({suite for suite, _, _ in found}) > 1:
        return f"several suites have a test named `{name}`: score them one by one"
    if len(found) == 1:
        return next(iter(found.values()))
    models = [str(model) for _, _, model in found]
    chosen = next((scorer for (_, _, model), scorer in found.items() if model == run.model), None)
    return chosen or f'the test has several models: say which with `"model"`, one of {", ".join(models)}'


def score_selection(
    classes: Sequence[ToolClass | Mapping[str, Any]], runs: Iterable[Run], expect: Sequence[Any] = ()
) -> GateResult:
    """Precision, recall and F1 over classes of interchangeable tools: the gate `equal_function_sets`."""
    block = BLOCKS["equal_function_sets"].model_validate({"classes": _plain(classes), "expect": list(expect)})
    return _score(block.resolve(), runs, _SCORED)


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
    return _score(BLOCKS["tool_correctness"].model_validate({**fields, **more}).resolve(), runs, _SCORED)


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
    block = BLOCKS["token_efficiency"].model_validate({"classes": _plain(classes), "expect": list(expect)})
    traces = [as_trace(run) for run in runs]
    if cost is not None:
        shares = [Decimal(str(cost)), *[Decimal(0)] * (len(traces) - 1)]
        traces = [msgspec.structs.replace(trace, cost=share) for trace, share in zip(traces, shares, strict=True)]
    return _score(block.resolve(), traces, Conditions("live", tool_surface_tokens))


def check_trace(expect: Sequence[Any], runs: Iterable[Run]) -> GateResult:
    """Plain assertions on the trace of every run: the `expect:` of a test."""
    from pydantic import TypeAdapter

    return _score(Expect(TypeAdapter(ExpectBlock).validate_python(list(expect))), runs, _SCORED)


def as_trace(run: Run) -> Trace:
    """A run as a Trace; a mapping is read exactly as from a file."""
    if isinstance(run, Trace):
        return run
    return msgspec.json.decode(msgspec.json.encode(run), type=Trace)


def _score(gate: Gate, runs: Iterable[Run], conditions: Conditions) -> GateResult:
    return score(gate, (as_trace(run) for run in runs), conditions)


def _plain(classes: Sequence[ToolClass | Mapping[str, Any]]) -> list[Any]:
    """Classes as they stand in YAML; what is wrong with them is found there."""
    return [dict(entry) if isinstance(entry, Mapping) else msgspec.to_builtins(entry) for entry in classes]
