"""Reads a value for each run of a test off two reports, for the exact test to compare."""

from typing import Literal

from msgspec import UnsetType

from ...gates.gate_result import GateResult
from .exact_test import RunValues
from .report_model import TestReport
from .test_runs import find_class_gate, make_test_runs


def list_run_values(old: TestReport, new: TestReport) -> tuple[RunValues, ...]:
    """Return the statistics that both reports have of the runs of a test; the last sees the most of what it asks.

    TP - FP, if the test has classes; and whether the run passed, if it asks for more than classes, or if no other
    statistic is to be had. Nothing, if a report does not say how its single runs went.
    """
    is_by_tools = _asks_for_tools_alone(old) and _asks_for_tools_alone(new)
    graded = _pair_runs(*map(_read_matches if is_by_tools else _read_selections, (old, new)), unit="hits")
    if graded and (is_by_tools or not _asks_for_more(new)):
        return (graded,)
    passes = _pair_runs(*map(_read_passes, (old, new)), unit="runs")
    return tuple(values for values in (graded, passes) if values)


def _pair_runs(
    old: tuple[int, ...] | None, new: tuple[int, ...] | None, *, unit: Literal["hits", "runs"]
) -> RunValues | None:
    return None if old is None or new is None else RunValues(old, new, unit)


def _read_selections(test: TestReport) -> tuple[int, ...] | None:
    """Return TP - FP of each run: from the traces in the report, or from the counts of a single run."""
    gate = find_class_gate(test)
    counts = gate.selection if gate else None
    if counts is None:
        return None
    if test.runs == 1:
        return (counts.tp - counts.fp,)
    runs = make_test_runs(test)
    values = tuple(run.counts.tp - run.counts.fp for run in runs if run.counts)
    # Traces are believed only if they are complete and add up to the counts of the gate.
    return values if len(values) == test.runs and sum(values) == counts.tp - counts.fp else None


def _read_matches(test: TestReport) -> tuple[int, ...] | None:
    """Return how many expected tools a single run called."""
    (gate,) = _list_judged_gates(test)
    return (gate.counts["matched"],) if test.runs == 1 and gate.counts and "matched" in gate.counts else None


def _read_passes(test: TestReport) -> tuple[int, ...] | None:
    """Return 1 for each run that passed and 0 for the others; in which order does not matter."""
    if test.runs == 1 and test.status in ("passed", "failed", "xfailed", "xpassed"):
        return (int(test.status in ("passed", "xpassed")),)
    if not isinstance(test.runs_passed, int):
        return None
    # The test permutes the runs, so their order is free and the number of passes is enough.
    return (1,) * test.runs_passed + (0,) * (test.runs - test.runs_passed)


def _asks_for_tools_alone(test: TestReport) -> bool:
    """Return whether the test has one gate, and that gate counts how many expected tools were matched."""
    gates = _list_judged_gates(test)
    return len(gates) == 1 and not isinstance(gates[0].counts, UnsetType) and "matched" in gates[0].counts


def _asks_for_more(test: TestReport) -> bool:
    """Return whether a gate judges by anything but classes: TP - FP says nothing of it."""
    return any(isinstance(gate.classes, UnsetType) for gate in _list_judged_gates(test))


def _list_judged_gates(test: TestReport) -> list[GateResult]:
    return [gate for gate in test.gates if gate.status != "skipped"]
