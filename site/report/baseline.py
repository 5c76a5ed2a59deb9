"""Selects the part of an earlier report that a run can be compared with: the same suites and the same tests."""

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from ...runners.suite_files import DEFAULT_FOLDER
from .report_model import Report, SuiteReport, TestReport, filter_report


def select_comparable_tests(base: Report, report: Report, suites: Sequence[str], is_everything: bool) -> Report:
    """Return the base report without the tests that this run did not select.

    Tests that were left out by a selection would otherwise count as removed.
    """
    run = {(suite.name, test.name, test.model or "") for suite in report.suites for test in suite.tests}
    names = {suite.name for suite in report.suites}

    def is_selected(suite: SuiteReport, test: TestReport) -> bool:
        # After `-k`, `--tag` or `--models`, a test that is absent was not selected, so only tests of both count.
        if not is_everything:
            return (suite.name, test.name, test.model or "") in run
        # A suite whose file was deleted is below a folder of this run: its tests count as removed.
        return suite.name in names or _is_below(suite.file, suites or (DEFAULT_FOLDER,))

    return filter_report(base, is_selected)


def _is_below(file: str, folders: Collection[str]) -> bool:
    return any(PurePosixPath(file).is_relative_to(PurePosixPath(folder)) for folder in folders)
