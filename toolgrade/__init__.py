"""toolgrade: a report card for an MCP agent's tool selection.

The names below are the public Python API; each is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import read_traces, replay, score_runs
    from .compiler.compilation import Compilation, compile_text
    from .compiler.diagnostic import Diagnostic
    from .compiler.plan import Plan
    from .foundations.canonical_json import to_json
    from .foundations.fault import BadInput, Fault
    from .gate_scoring import check_trace, score_correctness, score_efficiency, score_selection
    from .gates.gate_result import Counts, GateResult
    from .gates.grade import letter_grade
    from .gates.trace import Call, Trace
    from .live import run_live
    from .runners.cassettes.recorder import Recorder
    from .runners.catalogs.fingerprint import Toolset, fingerprint
    from .runners.cell_selection import Selection
    from .runners.scoring import score_traces
    from .runners.suite_files import NotCompiled, compile_suites, load_plan
    from .runners.trace_file import read_runs
    from .runners.trace_formats.imported_run import ImportedRun
    from .site.build import build_site
    from .site.history.folder_history import FolderHistory
    from .site.history.git_history import GitHistory
    from .site.report.comparison import diff
    from .site.report.comparison_model import Diff
    from .site.report.report_file import load_report, read_report
    from .site.report.report_model import Report, make_report

__version__ = "0.1.0"

_HOMES = {
    "BadInput": "foundations.fault",
    "Call": "gates.trace",
    "Compilation": "compiler.compilation",
    "Counts": "gates.gate_result",
    "Diagnostic": "compiler.diagnostic",
    "Diff": "site.report.comparison_model",
    "Fault": "foundations.fault",
    "FolderHistory": "site.history.folder_history",
    "GateResult": "gates.gate_result",
    "GitHistory": "site.history.git_history",
    "ImportedRun": "runners.trace_formats.imported_run",
    "NotCompiled": "runners.suite_files",
    "Plan": "compiler.plan",
    "Recorder": "runners.cassettes.recorder",
    "Report": "site.report.report_model",
    "Selection": "runners.cell_selection",
    "Toolset": "runners.catalogs.fingerprint",
    "Trace": "gates.trace",
    "build_site": "site.build",
    "check_trace": "gate_scoring",
    "compile_suites": "runners.suite_files",
    "compile_text": "compiler.compilation",
    "diff": "site.report.comparison",
    "fingerprint": "runners.catalogs.fingerprint",
    "letter_grade": "gates.grade",
    "load_plan": "runners.suite_files",
    "load_report": "site.report.report_file",
    "make_report": "site.report.report_model",
    "read_report": "site.report.report_file",
    "read_runs": "runners.trace_file",
    "read_traces": "api",
    "replay": "api",
    "run_live": "live",
    "score_correctness": "gate_scoring",
    "score_efficiency": "gate_scoring",
    "score_runs": "api",
    "score_selection": "gate_scoring",
    "score_traces": "runners.scoring",
    "to_json": "foundations.canonical_json",
}

__all__ = [
    "BadInput", "Call", "Compilation", "Counts", "Diagnostic", "Diff", "Fault", "FolderHistory", "GateResult",
    "GitHistory", "ImportedRun", "NotCompiled", "Plan", "Recorder", "Report", "Selection", "Toolset", "Trace",
    "build_site", "check_trace", "compile_suites", "compile_text", "diff", "fingerprint", "letter_grade", "load_plan",
    "load_report", "make_report", "read_report", "read_runs", "read_traces", "replay", "run_live", "score_correctness",
    "score_efficiency", "score_runs", "score_selection", "score_traces", "to_json",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'toolgrade' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
