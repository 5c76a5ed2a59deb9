"""The runs of a test as people read them: the classes that each run reached and missed, and its other calls."""

from collections import Counter
from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from ...gates.gate_result import ClassResult, Counts, GateResult
from ...runners.cell_result import ScoredCall, TraceResult
from .report_model import TestReport


@dataclass(frozen=True, slots=True)
class Run:
    """One run; `reached` maps each class to the tool that reached it first."""

    number: int
    calls: tuple[ScoredCall, ...]
    reached: dict[str, str]
    missed: tuple[ClassResult, ...]
    unexpected: tuple[str, ...]
    counts: Counts | None
    answer: str | None
    turns: int | None

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the tools that were called, in order."""
        return tuple(call.id for call in self.calls)


def find_class_gate(test: TestReport) -> GateResult | None:
    """Return the gate by whose classes calls are told apart: the first that has any, or None."""
    return next((gate for gate in test.gates if not isinstance(gate.classes, UnsetType)), None)


def list_test_classes(test: TestReport) -> tuple[ClassResult, ...]:
    """Return the classes of the gate that a trace is read by; empty if no gate has classes."""
    gate = find_class_gate(test)
    return (gate.classes or ()) if gate else ()


def make_test_runs(test: TestReport) -> tuple[Run, ...]:
    """Return every run whose trace is in the report."""
    gate = find_class_gate(test)
    return tuple(_make_run(trace, list_test_classes(test), gate is not None) for trace in test.traces or ())


def count_calls_when_missed(test: TestReport) -> dict[str, Counter[str]]:
    """Return for each class the unexpected tools that were called in runs that missed it."""
    found: dict[str, Counter[str]] = {}
    for run in make_test_runs(test):
        for missed in run.missed:
            found.setdefault(missed.name, Counter()).update(run.unexpected)
    return found


def _make_run(trace: TraceResult, classes: tuple[ClassResult, ...], is_scored: bool) -> Run:
    reached: dict[str, str] = {}
    for call in trace.tool_calls:
        for name in _list_call_classes(call):
            # The first call stays: later ones of the class only repeat it.
            reached.setdefault(name, call.id)
    required = tuple(found for found in classes if not found.optional)
    missed = tuple(found for found in required if found.name not in reached)
    unexpected = tuple(call.id for call in trace.tool_calls if call.outcome == "unexpected")
    return Run(
        number=trace.run,
        calls=trace.tool_calls,
        reached=reached,
        missed=missed,
        unexpected=unexpected,
        counts=Counts(len(required) - len(missed), len(unexpected), len(missed)) if is_scored else None,
        answer=None if trace.final_response is UNSET else trace.final_response or "",
        turns=trace.turns or None,
    )


def _list_call_classes(call: ScoredCall) -> tuple[str, ...]:
    several = call.classes or ()
    return several or ((call.class_,) if isinstance(call.class_, str) else ())
