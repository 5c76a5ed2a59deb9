"""The command that runs one cell of a report again; it selects exactly that cell, whatever its names contain."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...foundations.shell_words import quote_word
from ...gates.gate import Mode
from ...gates.gate_result import GateResult
from ...gates.registry import GATES
from ...runners.cell_selection import escape_model
from .report_model import Report, SuiteReport, TestReport

if TYPE_CHECKING:  # at run time it would bring the YAML reader into every page of the site
    from ...compiler.suite_locations import SuiteLocations


class Reproducer:
    """Writes commands for the tests of a report; `options` are those of the run that locate its files."""

    def __init__(
        self,
        places: "SuiteLocations",
        report: Report,
        options: Mapping[str, str] | None = None,
        traces: Sequence[str] = (),
    ) -> None:
        self._places = places
        self._report = report
        self._options = dict(options or {})
        self._traces = traces

    def format_command(self, suite: SuiteReport, test: TestReport) -> str:
        """Return the command in one line for a POSIX shell with `$'…'`.

        The test of a live run is replayed, unless only a live run can fail in that way.
        """
        file = self._places.get_file(suite.name)
        if self._traces:
            return _format_score_command(file, test, self._options, self._traces)
        return format_cell_command(file, test, self._report.mode, self._options)


def _format_score_command(file: str, test: TestReport, given: Mapping[str, str], traces: Sequence[str]) -> str:
    """Return the command that scores the same traces of a test again."""
    options = {**given, "--test": test.name}
    words = [f"{option}={quote_word(value)}" for option, value in options.items()]
    return " ".join(["toolgrade score", *words, quote_word(file), *map(quote_word, traces)])


def format_cell_command(file: str, test: TestReport, mode: Mode, given: Mapping[str, str]) -> str:
    """Return the command for a test of a suite's file, with the `given` options as they are."""
    needs_live = test.status == "error" or any(map(_fails_live_only, test.gates))
    options = {"--mode": "live"} if needs_live and mode == "live" else {}
    options |= {**given, "--test": test.name}
    if isinstance(test.model, str):
        # A model may hold a comma, which separates models on the command line.
        options["--models"] = escape_model(test.model)
    # With `=`, a name that starts with a dash is not read as an option.
    words = [f"{option}={quote_word(value)}" for option, value in options.items()]
    return " ".join(["toolgrade run", *words, *(["--"] if file.startswith("-") else []), quote_word(file)])


def _fails_live_only(result: GateResult) -> bool:
    """Return whether a gate failed that a replay does not score. An unknown gate counts as replayable."""
    gate = GATES.get(result.gate)
    return result.status == "failed" and gate is not None and gate.needs_live_run
