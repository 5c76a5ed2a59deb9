"""The last line of a run: what to do next."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..runners.cell_result import CellResult
    from ..site.report.report_model import Report
    from .report_files import WrittenReport

_COMMITTED = Path("reports/replay")
RESUME = "the same command with --resume runs again what was stopped, and keeps the rest"


def choose_next_step(report: "Report", results: "Sequence[CellResult]", written: "WrittenReport | None") -> str:
    """Return the command to run next; `written` is the report on disk, if there is one."""
    summary = report.summary
    if summary.errors:
        return RESUME if report.mode == "live" else _make_record_command(results)
    if not summary.passed and not summary.has_failed and not summary.xfailed:
        if any(result.cell.model is not None for result in results):
            return "nothing here can be scored from a recording: add --mode live"
        return "no model runs these tests: score recorded traces with `toolgrade score`"
    if written is None:
        return "--format json shows every call" if summary.has_failed else "run all tests to write the report"
    if summary.has_failed:
        return f"`{_make_diff_command(written.folder, report.mode)}` shows what changed since the last commit"
    return f"commit {written.file}" if written.is_changed else f"nothing to do: {written.file} is as it was"


def _make_record_command(results: "Sequence[CellResult]") -> str:
    """One command that records what was refused."""
    from ..runners.cassettes.cassette_file import format_record_command

    refused = [result for result in results if result.error is not None]
    files = dict.fromkeys(result.suite.file for result in refused)
    return format_record_command(files, list(dict.fromkeys(result.test.name for result in refused)))


def _make_diff_command(folder: Path, mode: str) -> str:
    from ..foundations.shell_words import quote_word

    committed = " --report reports/live/report.json" if mode == "live" else ""
    return f"toolgrade diff HEAD {quote_word(folder.as_posix())}{committed}"
