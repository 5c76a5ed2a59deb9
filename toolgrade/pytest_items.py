"""Suites as pytest sees them: a file collects its cells, a cell is an item that replays its cassettes."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from .api import TraceSource, score_runs
from .compiler.compilation import Compilation
from .compiler.diagnostic_output import render_full
from .compiler.suite_locations import SuiteLocations
from .foundations.fault import Fault
from .foundations.paths import StrPath
from .foundations.untrusted_text import make_visible
from .runners.cell_selection import PlannedCell, iterate_cells
from .runners.replay import Replay
from .runners.suite_files import SUFFIXES, compile_suites
from .site.report.report_model import Report, TestReport, make_report
from .site.report.reproduce_command import Reproducer
from .site.report.status_reasons import find_failed_gate, list_status_reasons


class NotPassed(Exception):
    """A cell that failed, or could not be replayed: the message says why."""


class SuiteCollector:
    """Takes the suites that were named out of all the files that pytest looks at."""

    def __init__(self, suites: Sequence[Path], cassettes: Path) -> None:
        self._suites = [suite.resolve() for suite in suites]
        self._cassettes = cassettes

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> "SuiteFile | None":
        path = file_path.resolve()
        is_named = path in self._suites
        is_below = path.suffix in SUFFIXES and any(path.is_relative_to(suite) for suite in self._suites)
        if not (is_named or is_below):
            return None
        file: SuiteFile = SuiteFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
        file.cassettes = self._cassettes
        return file


class SuiteFile(pytest.File):
    """One suite."""

    cassettes: Path

    def collect(self) -> Iterator["CellItem"]:
        compilation = compile_suites([os.path.relpath(self.path)])
        if compilation.plan is None:
            raise self.CollectError(render_full(compilation.errors, compilation.texts))
        for planned in iterate_cells(compilation.plan):
            test, cell = planned.test, planned.cell
            name = f"{test.name}[{cell.model}]" if cell.model else test.name
            item: CellItem = CellItem.from_parent(self, name=make_visible(name))  # pyright: ignore[reportUnknownMemberType]
            item.planned, item.compilation = planned, compilation
            item.extra_keyword_matches.update(test.tags)
            yield item


class CellItem(pytest.Item):
    """A test with one model."""

    parent: SuiteFile
    planned: PlannedCell
    compilation: Compilation

    def runtest(self) -> None:
        assert self.compilation.plan is not None
        report = make_report(self.compilation.plan, [Replay(self.parent.cassettes)(self.planned)], "replay")
        (test,) = report.suites[0].tests
        if test.status == "skipped":
            pytest.skip("; ".join(list_status_reasons(test)))
        if test.status == "xfailed":
            pytest.xfail("; ".join(list_status_reasons(test)))
        if test.is_broken:
            raise NotPassed(self._describe_failure(report, test))

    def _describe_failure(self, report: Report, test: TestReport) -> str:
        suite = report.suites[0]
        places = SuiteLocations(self.compilation)
        place = places.find_test(suite.name, test.name, find_failed_gate(test))
        folder = os.path.relpath(self.parent.cassettes)
        options = {} if folder == "cassettes" else {"--cassettes": folder}
        command = Reproducer(places, report, options).format_command(suite, test)
        return "\n".join(
            [*list_status_reasons(test), "", f"{make_visible(place.file)}:{place.line}", f"reproduce: {command}"]
        )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the reasons of a cell that did not pass; a traceback only if something else went wrong."""
        if isinstance(excinfo.value, NotPassed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        location = SuiteLocations(self.compilation).find_test(self.planned.suite.name, self.planned.test.name)
        return self.path, location.line - 1, self.name


def score_or_fail(
    suite: StrPath,
    runs: TraceSource,
    test: str | None = None,
    model: str | None = None,
    server_of: Mapping[str, str] | None = None,
) -> TestReport:
    """Score runs and return the test's report; fail the pytest test if a gate fails or a run cannot be read."""
    try:
        report = score_runs(suite, runs, test, model, server_of=server_of)
    except Fault as fault:
        pytest.fail("\n".join(filter(None, [str(fault), fault.help])), pytrace=False)
    scored = [found for suite in report.suites for found in suite.tests if found.status != "skipped"]
    failed = [found for found in scored if found.is_broken]
    if failed:
        pytest.fail(
            "\n".join(line for found in failed for line in [make_visible(found.name), *list_status_reasons(found)]),
            pytrace=False,
        )
    return scored[0]
