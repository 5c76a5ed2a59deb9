"""Where pages are: the one place that knows the addresses of the site."""

from collections import Counter

from ...compiler.identity import make_hashed_slug, make_suite_id
from ..report.report_model import SuiteReport, TestReport

__all__ = ["get_commit_folder", "make_suite_id", "make_test_anchor", "map_test_pages"]


def get_commit_folder(sha: str) -> str:
    return f"c/{sha}"


def make_test_anchor(test: TestReport) -> str:
    """The row of a test on its suite's page; it does not depend on the other tests."""
    return f"t-{_make_test_id(test)}"


def map_test_pages(suite: SuiteReport) -> dict[tuple[str, str], str]:
    """The file of each test, by name and model: the model is in it where a test has several."""
    times = Counter(test.name for test in suite.tests)
    return {
        (
            test.name,
            test.model or "",
        ): f"{_make_test_id(test) if times[test.name] > 1 else _make_file_id(test.name)}.html"
        for test in suite.tests
    }


def _make_test_id(test: TestReport) -> str:
    """No two tests of a suite share it, on any file system: an id has no dot in it."""
    return ".".join(_make_file_id(part) for part in (test.name, test.model) if isinstance(part, str))


def _make_file_id(name: str) -> str:
    found = make_suite_id(name)
    return make_hashed_slug(name) if found == "index" else found
