"""The command that runs one cell of a report again: it selects exactly that cell, whatever its names hold."""

import re
import shlex
from collections.abc import Sequence

from ..compiler.places import Places
from ..runners.selection import escape_model
from .report import Report, SuiteReport, TestReport

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]|[^\x00-\x7f]|(?<=#)#(?=\[)")  # `##[` steers a GitHub log
_LIVE_GATE = "token_efficiency"


class Reproducer:
    """Writes commands for the tests of a report; `options` are those of the run that matter for finding the tests."""

    def __init__(self, places: Places, report: Report, options: Sequence[str] = ()) -> None:
        self._places = places
        self._report = report
        self._options = tuple(options)

    def command(self, suite: SuiteReport, test: TestReport) -> str:
        """For a POSIX shell with `$'…'`, on one line. A live run is replayed, unless only a live run can fail so."""
        needs_live = any(gate.gate == _LIVE_GATE and gate.status == "failed" for gate in test.gates)
        mode = ["--mode", "live"] if needs_live and self._report.mode == "live" else []
        model = [f"--models={escape_model(test.model)}"] if isinstance(test.model, str) else []
        file = self._places.file(suite.name)
        before = ["--"] if file.startswith("-") else []
        words = ["toolgrade", "run", *mode, *self._options, f"--test={test.name}", *model, *before, file]
        return " ".join(quote_word(word) for word in words)


def quote_word(word: str) -> str:
    """A word as a shell takes it; what is not printable ASCII is written as bytes, so that it can be seen and copied."""
    option, equals, value = word.partition("=")
    if equals and option.startswith("--"):
        return f"{option}={quote_word(value)}"
    if word.isprintable() and "##[" not in word:
        return shlex.quote(word)
    escaped = _UNPRINTABLE.sub(_as_bytes, word.replace("\\", "\\\\").replace("'", "\\'"))
    return f"$'{escaped}'"


def _as_bytes(match: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in match[0].encode("utf-8", "surrogatepass"))
