"""The addresses of the site's pages, defined in this module alone."""

from collections import Counter

from ...compiler.identity import make_hashed_slug, make_suite_id
from ..report.report_model import SuiteReport, TestReport

__all__ = ["get_commit_folder", "make_suite_id", "make_test_anchor", "map_test_pages"]


def get_commit_folder(sha: str) -> str:
    """Return the folder of a commit's pages."""
    return f"c/{sha}"


def make_test_anchor(test: TestReport) -> str:
    """Return the id of a test's row on its suite's page; it does not depend on the other tests."""
    return f"t-{_make_test_id(test)}"


def map_test_pages(suite: SuiteReport) -> dict[tuple[str, str], str]:
    """Return the file of each test by name and model; the model is in it if the test has several."""
    times = Counter(test.name for test in suite.tests)
    return {
        (
            test.name,
            test.model or "",
        ): f"{_make_test_id(test) if times[test.name] > 1 else _make_file_id(test.name)}.html"
        for test in suite.tests
    }


def _make_test_id(test: TestReport) -> str:
    """Return an id that no other test of the suite has, on any file system: its parts contain no dot."""
    return ".".join(_make_file_id(part) for part in (test.name, test.model) if isinstance(part, str))


def _make_file_id(name: str) -> str:
    found = make_suite_id(name)
    # index.html of the folder is the suite's own page.
    return make_hashed_slug(name) if found == "index" else found
