"""The pages of one commit: they are below its folder and show nothing that came later."""

from collections.abc import Iterator
from functools import partial

from ..history.commit_summary import CommitSummary
from ..report.report_model import SuiteReport
from .addresses import make_suite_id
from .commit_view import CommitView
from .compare_page import make_compare_page
from .overview import make_overview_page
from .page_templates import Body, PageFrame, render_data_script, render_page
from .suite import TestRow, make_suite_page, make_test_rows
from .test import list_nearby_tests, make_test_page

_ROOT = "../../"
_DEEPER = "../../../"


def make_commit_pages(view: CommitView, site_title: str) -> dict[str, Body]:
    """Return the pages by their path below the commit's folder."""
    pages: dict[str, Body] = {"index.html": partial(render_overview_page, view, site_title)}
    if view.before is not None:
        pages["compare.html"] = partial(_render_compare_page, view, site_title)
    for suite in view.report.suites:
        pages.update(_make_suite_pages(view, suite, site_title))
    return pages


def render_overview_page(view: CommitView, site_title: str, root: str = _ROOT, here: str = "") -> str:
    """Return the overview, for the commit's folder or for the root of the site."""
    has_compare = view.before is not None
    frame = make_commit_frame(view.summary, site_title, view.summary.short, root, here, has_compare, "overview")
    return render_page("overview.html", frame, make_overview_page(view))


def render_unreadable_page(summary: CommitSummary, site_title: str, root: str = _ROOT, here: str = "") -> str:
    """Return the page that stands in for the overview if the report cannot be read."""
    frame = make_commit_frame(summary, site_title, summary.short, root, here, False, "overview")
    return render_page("unreadable.html", frame, summary)


def render_tests_script(view: CommitView) -> bytes:
    """Return the data of the jump box: name, model, suite, address, and letter or status of each test."""
    return render_data_script("toolgradeTests", list(_list_jump_targets(view)))


def make_commit_frame(
    summary: CommitSummary, site_title: str, title: str, root: str, here: str, has_compare: bool, tab: str = ""
) -> PageFrame:
    """Return the frame of a page of a commit."""
    return PageFrame(
        title=f"{title} · {site_title}",
        site_title=site_title,
        root=root,
        here=here,
        overview=f"{here}index.html",
        compare=f"{here}compare.html" if has_compare else None,
        commit=summary,
        tab=tab,
    )


def _render_compare_page(view: CommitView, site_title: str) -> str:
    page = make_compare_page(view)
    frame = make_commit_frame(view.summary, site_title, f"Compare {view.summary.short}", _ROOT, "", True, "compare")
    return render_page("compare.html", frame, page)


def _make_suite_pages(view: CommitView, suite: SuiteReport, site_title: str) -> Iterator[tuple[str, Body]]:
    folder, rows = make_suite_id(suite.name), make_test_rows(view, suite)
    yield f"{folder}/index.html", partial(_render_suite_page, view, suite, rows, site_title)
    if not view.has_test_pages:
        return
    # `partial`: a page is rendered when MkDocs asks for it, so one at a time is in memory.
    for at, row in enumerate(rows):
        yield f"{folder}/{row.page}", partial(_render_test_page, view, suite, rows, at, site_title)


def _render_suite_page(view: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], site_title: str) -> str:
    frame = make_commit_frame(view.summary, site_title, suite.name, _DEEPER, "../", view.before is not None)
    page = make_suite_page(view, suite, rows, _DEEPER)
    around = _make_rail_context(view, suite, list_nearby_tests(rows, 0), None)
    return render_page("suite.html", frame, page, has_test_pages=view.has_test_pages, **around)


def _render_test_page(view: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], at: int, site_title: str) -> str:
    frame = make_commit_frame(view.summary, site_title, rows[at].name, _DEEPER, "../", view.before is not None)
    page = make_test_page(view, suite, rows, at, _DEEPER)
    return render_page("test.html", frame, page, **_make_rail_context(view, suite, page.rail, rows[at].anchor))


def _make_rail_context(
    view: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], at: str | None
) -> dict[str, object]:
    summary = next(found for found in view.summary.suites if found.name == suite.name)
    return {
        "rail_title": suite.name,
        "rail_count": len(suite.tests),
        "rail_score": summary.score,
        "rail_rows": rows,
        "rail_at": at,
        "rail_others": [found for found in view.summary.suites if found.id != summary.id][:20],
    }


def _list_jump_targets(view: CommitView) -> Iterator[tuple[str, str, str, str, str]]:
    for suite in view.report.suites:
        folder = make_suite_id(suite.name)
        for row in make_test_rows(view, suite):
            href = f"{folder}/{row.page}" if row.page else f"{folder}/index.html#{row.anchor}"
            yield row.name, row.model or "", suite.name, href, row.score.grade if row.score else row.status
