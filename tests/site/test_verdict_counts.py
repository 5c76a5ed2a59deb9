"""What the pages count as a failing gate."""

import pytest

from toolgrade.gates.gate_result import GateResult
from toolgrade.runners.cell_result import TestStatus as Status
from toolgrade.site.history.commit_summary import VerdictCounts
from toolgrade.site.report.report_model import TestReport as Reported


@pytest.mark.parametrize(
    ("status", "gates", "counted"),
    [
        ("passed", ("passed", "passed"), (2, 0)),
        ("failed", ("passed", "failed"), (2, 1)),
        ("xfailed", ("passed", "failed"), (1, 0)),
        ("xpassed", ("passed", "passed"), (2, 1)),
        ("skipped", ("skipped",), (0, 0)),
    ],
)
def test_a_failure_that_was_expected_fails_no_gate(
    status: Status, gates: tuple[str, ...], counted: tuple[int, int]
) -> None:
    results = tuple(GateResult("expect", gate) for gate in gates)  # pyright: ignore[reportArgumentType]
    found = VerdictCounts.from_test(Reported("t", 1, status, results))
    assert (found.gates, found.failing) == counted
