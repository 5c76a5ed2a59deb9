"""Where pages are: the one place that knows the addresses of the site."""

from collections import Counter

from ...compiler.identity import hashed_slug, suite_id
from ..report.report_model import SuiteReport, TestReport

__all__ = ["commit_folder", "suite_id", "test_anchor", "test_pages"]


def commit_folder(sha: str) -> str:
    return f"c/{sha}"


def test_anchor(test: TestReport) -> str:
    """The row of a test on its suite's page; it does not depend on the other tests."""
    return f"t-{_with_model(test)}"


def test_pages(suite: SuiteReport) -> dict[tuple[str, str], str]:
    """The file of each test, by name and model: the model is in it where a test has several."""
    times = Counter(test.name for test in suite.tests)
    return {
        (test.name, test.model or ""): f"{_with_model(test) if times[test.name] > 1 else _file_id(test.name)}.html"
        for test in suite.tests
    }


def _with_model(test: TestReport) -> str:
    """No two tests of a suite share it, on any file system: an id has no dot in it."""
    return ".".join(_file_id(part) for part in (test.name, test.model) if isinstance(part, str))


def _file_id(name: str) -> str:
    found = suite_id(name)
    return hashed_slug(name) if found == "index" else found
