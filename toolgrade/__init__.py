"""toolgrade: a report card for an MCP agent's tool selection.

The names below are the public Python API; each is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compiler.canonical import to_json
    from .compiler.compile import Compilation, compile_text
    from .compiler.diagnostic import Diagnostic
    from .compiler.plan import Plan
    from .gates.grade import letter_grade
    from .gates.result import Counts, GateResult
    from .gates.trace import Call, Trace
    from .runners.fault import Fault
    from .runners.scoring import check_trace, score_correctness, score_efficiency, score_selection, score_traces
    from .runners.suites import compile_suites
    from .runners.traces import read_runs
    from .site.report import Report, make_report

__version__ = "0.1.0"

_HOMES = {
    "Call": "gates.trace",
    "Compilation": "compiler.compile",
    "Counts": "gates.result",
    "Diagnostic": "compiler.diagnostic",
    "Fault": "runners.fault",
    "GateResult": "gates.result",
    "Plan": "compiler.plan",
    "Report": "site.report",
    "Trace": "gates.trace",
    "check_trace": "runners.scoring",
    "compile_suites": "runners.suites",
    "compile_text": "compiler.compile",
    "letter_grade": "gates.grade",
    "make_report": "site.report",
    "read_runs": "runners.traces",
    "score_correctness": "runners.scoring",
    "score_efficiency": "runners.scoring",
    "score_selection": "runners.scoring",
    "score_traces": "runners.scoring",
    "to_json": "compiler.canonical",
}

__all__ = [
    "Call", "Compilation", "Counts", "Diagnostic", "Fault", "GateResult", "Plan", "Report", "Trace",
    "check_trace", "compile_suites", "compile_text", "letter_grade", "make_report", "read_runs",
    "score_correctness", "score_efficiency", "score_selection", "score_traces", "to_json",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'toolgrade' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
