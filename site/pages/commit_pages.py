"""The pages of one commit: all of them are below its folder, and tell of nothing that came later."""

from collections.abc import Iterator
from functools import partial

from ..history.commit_summary import CommitSummary
from ..mkdocs_build import Body
from ..report.report_model import SuiteReport
from .addresses import make_suite_id
from .commit_view import CommitView
from .compare_page import make_compare_page
from .overview import make_overview_page
from .page_templates import PageFrame, render_data_script, render_page
from .suite import TestRow, make_suite_page, make_test_rows
from .test import list_nearby_tests, make_test_page

_ROOT = "../../"
_DEEPER = "../../../"


def make_commit_pages(edition: CommitView, site_title: str) -> dict[str, Body]:
    """The pages, by their place below the commit's folder."""
    pages: dict[str, Body] = {"index.html": partial(render_overview_page, edition, site_title)}
    if edition.before is not None:
        pages["compare.html"] = partial(_render_compare_page, edition, site_title)
    for suite in edition.report.suites:
        pages.update(_make_suite_pages(edition, suite, site_title))
    return pages


def render_overview_page(edition: CommitView, site_title: str, root: str = _ROOT, here: str = "") -> str:
    """The overview, in the commit's folder or at the root of the site."""
    has_compare = edition.before is not None
    frame = make_commit_frame(edition.figures, site_title, edition.figures.short, root, here, has_compare, "overview")
    return render_page("overview.html", frame, make_overview_page(edition))


def render_unreadable_page(figures: CommitSummary, site_title: str, root: str = _ROOT, here: str = "") -> str:
    """Instead of an overview, where the report cannot be read."""
    frame = make_commit_frame(figures, site_title, figures.short, root, here, False, "overview")
    return render_page("unreadable.html", frame, figures)


def render_tests_script(edition: CommitView) -> bytes:
    """What the jump box looks through: name, model, suite, address, letter or status."""
    return render_data_script("toolgradeTests", list(_list_jump_targets(edition)))


def make_commit_frame(
    figures: CommitSummary, site_title: str, title: str, root: str, here: str, has_compare: bool, tab: str = ""
) -> PageFrame:
    """The frame of a page of a commit."""
    return PageFrame(
        title=f"{title} · {site_title}",
        site_title=site_title,
        root=root,
        here=here,
        overview=f"{here}index.html",
        compare=f"{here}compare.html" if has_compare else None,
        commit=figures,
        tab=tab,
    )


def _render_compare_page(edition: CommitView, site_title: str) -> str:
    page = make_compare_page(edition)
    frame = make_commit_frame(
        edition.figures, site_title, f"Compare {edition.figures.short}", _ROOT, "", True, "compare"
    )
    return render_page("compare.html", frame, page)


def _make_suite_pages(edition: CommitView, suite: SuiteReport, site_title: str) -> Iterator[tuple[str, Body]]:
    folder, rows = make_suite_id(suite.name), make_test_rows(edition, suite)
    yield f"{folder}/index.html", partial(_render_suite_page, edition, suite, rows, site_title)
    if not edition.has_test_pages:
        return
    for at, row in enumerate(rows):
        yield f"{folder}/{row.page}", partial(_render_test_page, edition, suite, rows, at, site_title)


def _render_suite_page(edition: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], site_title: str) -> str:
    frame = make_commit_frame(edition.figures, site_title, suite.name, _DEEPER, "../", edition.before is not None)
    page = make_suite_page(edition, suite, rows, _DEEPER)
    around = _make_rail_context(edition, suite, list_nearby_tests(rows, 0), None)
    return render_page("suite.html", frame, page, has_test_pages=edition.has_test_pages, **around)


def _render_test_page(
    edition: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], at: int, site_title: str
) -> str:
    frame = make_commit_frame(edition.figures, site_title, rows[at].name, _DEEPER, "../", edition.before is not None)
    page = make_test_page(edition, suite, rows, at, _DEEPER)
    return render_page("test.html", frame, page, **_make_rail_context(edition, suite, page.rail, rows[at].anchor))


def _make_rail_context(
    edition: CommitView, suite: SuiteReport, rows: tuple[TestRow, ...], at: str | None
) -> dict[str, object]:
    figures = next(found for found in edition.figures.suites if found.name == suite.name)
    return {
        "rail_title": suite.name,
        "rail_count": len(suite.tests),
        "rail_score": figures.score,
        "rail_rows": rows,
        "rail_at": at,
        "rail_others": [found for found in edition.figures.suites if found.id != figures.id][:20],
    }


def _list_jump_targets(edition: CommitView) -> Iterator[tuple[str, str, str, str, str]]:
    for suite in edition.report.suites:
        folder = make_suite_id(suite.name)
        for row in make_test_rows(edition, suite):
            href = f"{folder}/{row.page}" if row.page else f"{folder}/index.html#{row.anchor}"
            yield row.name, row.model or "", suite.name, href, row.score.grade if row.score else row.status
