"""Measures scoring alone, ours against two rivals, on the same random traces: ratios within one run.

It needs the rivals in an environment of their own: `make bench-rivals`. Their input (test cases, span trees) is
built before the clock starts. A rival has two rows if it has two ways in: the call a user makes for one trace, and
the bare arithmetic below that call, which gives no verdict and no reason.
"""

import asyncio
import contextlib
import gc
import importlib
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from toolgrade.gates.equal_function_sets import EqualFunctionSets
from toolgrade.gates.gate import Gate, ScoringConditions, score_gate
from toolgrade.gates.tool_correctness import ToolCorrectness, make_default_expectation
from toolgrade.gates.tool_selection import ToolClass
from toolgrade.gates.trace import Call, Trace

TRACES, CALLS, CHUNK, ROUNDS = 100_000, 5, 10_000, 3
CONDITIONS = ScoringConditions("score")
SERVERS = ("brave", "google", "http", "shell")
NAMES = ("search", "get", "exec")
EXPECTED = ["brave.search", "http.get", "shell.exec"]
CLASSES = (
    ToolClass("search", ("brave.search", "google.search")),
    ToolClass("fetch", ("http.get", "google.get")),
    ToolClass("run", ("shell.exec",)),
)

Prepare = Callable[[list[Trace]], Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Row:
    """One way to score; `prepare` takes a chunk of traces and returns the function to be timed."""

    label: str
    prepare: Prepare


def pooled(gate: Gate) -> Prepare:
    """Return one verdict on all traces, as the runs of one cell."""
    return lambda traces: lambda: score_gate(gate, traces, CONDITIONS)


def one_by_one(gate: Gate) -> Prepare:
    """Return a whole verdict for each trace: begin, add, result."""
    return lambda traces: lambda: [score_gate(gate, (trace,), CONDITIONS) for trace in traces]


def eval_ai_library(**mode: bool) -> Iterator[Row]:
    """Yield the rows of eval-ai-library."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # its import fetches a price list otherwise
    metrics: Any = importlib.import_module("eval_lib.agent_metrics.tools_correctness_metric.tool_correctness")
    schemas: Any = importlib.import_module("eval_lib.testcases_schema")
    metric = metrics.ToolCorrectnessMetric(**mode)

    def evaluate(traces: list[Trace]) -> Callable[[], object]:
        facts = {"input": "-", "actual_output": "-", "expected_tools": EXPECTED}
        cases = [schemas.EvalTestCase(tools_called=names_of(trace), **facts) for trace in traces]

        async def loop() -> None:
            for case in cases:
                await metric.evaluate(case)

        def quietly() -> None:  # it prints every result
            with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):  # noqa: PTH123
                asyncio.run(loop())

        return quietly

    def calculate(traces: list[Trace]) -> Callable[[], object]:
        called = [names_of(trace) for trace in traces]

        def loop() -> None:
            metric.expected_tools = EXPECTED
            for names in called:
                metric.tools_called = names
                metric.calculate_score()

        return loop

    yield Row("eval-ai-library, ToolCorrectnessMetric.evaluate", evaluate)
    yield Row("eval-ai-library, .calculate_score alone", calculate)


def pydantic_evals(evaluator: str, **options: Any) -> Iterator[Row]:
    """Yield the row of pydantic-evals."""
    evaluators: Any = importlib.import_module("pydantic_evals.evaluators")
    otel: Any = importlib.import_module("pydantic_evals.otel.span_tree")
    judge = getattr(evaluators, evaluator)(EXPECTED, **options)
    start = datetime(2025, 1, 1, tzinfo=UTC)

    def context(trace: Trace) -> Any:
        tree = otel.SpanTree()
        times = [start + timedelta(seconds=second) for second in range(len(trace.tool_calls) + 1)]
        spans = [
            otel.SpanNode(
                name=f"execute_tool {name}",
                trace_id=1,
                span_id=place + 1,
                parent_span_id=None,
                start_timestamp=times[place],
                end_timestamp=times[place + 1],
                attributes={"gen_ai.tool.name": name},
            )
            for place, name in enumerate(names_of(trace))
        ]
        tree.add_spans(spans)
        nothing = dict.fromkeys(("name", "inputs", "metadata", "expected_output", "output"))
        return evaluators.EvaluatorContext(**nothing, duration=0.0, _span_tree=tree, attributes={}, metrics={})

    def evaluate(traces: list[Trace]) -> Callable[[], object]:
        contexts = [context(trace) for trace in traces]
        return lambda: [judge.evaluate(one) for one in contexts]

    yield Row(f"pydantic-evals, {evaluator}.evaluate", evaluate)


def names_of(trace: Trace) -> list[str]:
    """Return the ids of the tools that a trace calls."""
    return [call.id for call in trace.tool_calls]


def random_traces() -> Iterator[list[Trace]]:
    """Yield the same traces on every call, in chunks, because span trees of all of them would fill the memory."""
    chance = random.Random(20250101)
    for _ in range(TRACES // CHUNK):
        yield [
            Trace(tuple(Call(chance.choice(NAMES), chance.choice(SERVERS), status="ok") for _ in range(CALLS)))
            for _ in range(CHUNK)
        ]


def measure(rows: list[Row]) -> list[float]:
    """Return the microseconds a trace of each row: the fastest of several rounds, in which the rows take turns."""
    seconds = [0.0] * len(rows)
    for traces in random_traces():
        timed = [row.prepare(traces) for row in rows]
        gc.collect()
        # A collection would be charged to whichever row happens to run.
        gc.disable()
        rounds = [[seconds_of(run) for run in timed] for _ in range(ROUNDS)]
        gc.enable()
        best = [min(turns) for turns in zip(*rounds, strict=True)]
        seconds = [total + fastest for total, fastest in zip(seconds, best, strict=True)]
    return [1e6 * total / TRACES for total in seconds]


def seconds_of(run: Callable[[], object]) -> float:
    """Return the wall time of one call."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def rivals_of(exact_match: bool, check_ordering: bool) -> Iterator[Row]:
    """Yield the nearest counterpart of each rival; name those that cannot be imported."""
    if check_ordering:
        evaluator, options = "TrajectoryMatch", {"order": "exact" if exact_match else "in_order"}
    else:
        evaluator, options = "ToolCorrectness", {"allow_extra": not exact_match}
    sources = {
        "eval-ai-library": lambda: eval_ai_library(exact_match=exact_match, check_ordering=check_ordering),
        "pydantic-evals": lambda: pydantic_evals(evaluator, **options),
    }
    for library, rows in sources.items():
        try:
            yield from rows()
        except ImportError as error:
            print(f"  {library} is left out, it cannot be imported: {error}")


def compare(title: str, gate: Gate, exact_match: bool = False, check_ordering: bool = False) -> None:
    """Print a table of our rows and the rivals'."""
    print(title)
    ours = [
        Row("toolgrade, all traces as runs of one gate", pooled(gate)),
        Row("toolgrade, a verdict for each trace", one_by_one(gate)),
    ]
    rows = [*ours, *rivals_of(exact_match, check_ordering)]
    times = measure(rows)
    for row, microseconds in zip(rows, times, strict=True):
        print(f"  {row.label:<52}{microseconds / times[0]:8.2f} x   ({microseconds:.2f} µs a trace)")


def main() -> None:
    """Print the tables of both gates."""
    print(f"{TRACES:,} traces of {CALLS} calls; time relative to the first row of each table, more is slower\n")
    compare(
        "equal_function_sets (3 classes), against the rivals' share of 3 expected tools", EqualFunctionSets(CLASSES)
    )
    for exact_match, check_ordering, title in (
        (False, False, "share of the expected tools"),
        (True, False, "exact match (lists in eval-ai-library, multisets in pydantic-evals, sets here)"),
        (False, True, "longest common subsequence"),
        (True, True, "exact list"),
    ):
        expect = (make_default_expectation(0.5),)
        gate = ToolCorrectness(tuple(EXPECTED), expect, exact_match, check_ordering)
        compare(f"\ntool_correctness: {title}", gate, exact_match, check_ordering)


if __name__ == "__main__":
    main()
