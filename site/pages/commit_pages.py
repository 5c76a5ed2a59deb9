"""The pages of one commit: all of them are below its folder, and tell of nothing that came later."""

from collections.abc import Iterator
from functools import partial

from ..history.commit_summary import Figures
from ..mkdocs_build import Body
from ..report.report_model import SuiteReport
from .addresses import suite_id
from .commit_view import Edition
from .compare import compare_page_of
from .overview import overview_of
from .render import Frame, render_page, script
from .suite import TestRow, suite_page_of, test_rows
from .test import rail, test_page_of

_ROOT = "../../"
_DEEPER = "../../../"


def commit_pages(edition: Edition, site_title: str) -> dict[str, Body]:
    """The pages, by their place below the commit's folder."""
    pages: dict[str, Body] = {"index.html": partial(overview_page, edition, site_title)}
    if edition.before is not None:
        pages["compare.html"] = partial(_compare_page, edition, site_title)
    for suite in edition.report.suites:
        pages.update(_suite_pages(edition, suite, site_title))
    return pages


def overview_page(edition: Edition, site_title: str, root: str = _ROOT, here: str = "") -> str:
    """The overview, in the commit's folder or at the root of the site."""
    has_compare = edition.before is not None
    frame = frame_of(edition.figures, site_title, edition.figures.short, root, here, has_compare, "overview")
    return render_page("overview.html", frame, overview_of(edition))


def unreadable_page(figures: Figures, site_title: str, root: str = _ROOT, here: str = "") -> str:
    """Instead of an overview, where the report cannot be read."""
    frame = frame_of(figures, site_title, figures.short, root, here, False, "overview")
    return render_page("unreadable.html", frame, figures)


def tests_script(edition: Edition) -> bytes:
    """What the jump box looks through: name, model, suite, address, letter or status."""
    return script("toolgradeTests", list(_jumps(edition)))


def frame_of(
    figures: Figures, site_title: str, title: str, root: str, here: str, has_compare: bool, tab: str = ""
) -> Frame:
    """The frame of a page of a commit."""
    return Frame(
        title=f"{title} · {site_title}",
        site_title=site_title,
        root=root,
        here=here,
        overview=f"{here}index.html",
        compare=f"{here}compare.html" if has_compare else None,
        commit=figures,
        tab=tab,
    )


def _compare_page(edition: Edition, site_title: str) -> str:
    page = compare_page_of(edition)
    frame = frame_of(edition.figures, site_title, f"Compare {edition.figures.short}", _ROOT, "", True, "compare")
    return render_page("compare.html", frame, page)


def _suite_pages(edition: Edition, suite: SuiteReport, site_title: str) -> Iterator[tuple[str, Body]]:
    folder, rows = suite_id(suite.name), test_rows(edition, suite)
    yield f"{folder}/index.html", partial(_suite_page, edition, suite, rows, site_title)
    if not edition.has_test_pages:
        return
    for at, row in enumerate(rows):
        yield f"{folder}/{row.page}", partial(_test_page, edition, suite, rows, at, site_title)


def _suite_page(edition: Edition, suite: SuiteReport, rows: tuple[TestRow, ...], site_title: str) -> str:
    frame = frame_of(edition.figures, site_title, suite.name, _DEEPER, "../", edition.before is not None)
    page = suite_page_of(edition, suite, rows, _DEEPER)
    around = _rail(edition, suite, rail(rows, 0), None)
    return render_page("suite.html", frame, page, has_test_pages=edition.has_test_pages, **around)


def _test_page(edition: Edition, suite: SuiteReport, rows: tuple[TestRow, ...], at: int, site_title: str) -> str:
    frame = frame_of(edition.figures, site_title, rows[at].name, _DEEPER, "../", edition.before is not None)
    page = test_page_of(edition, suite, rows, at, _DEEPER)
    return render_page("test.html", frame, page, **_rail(edition, suite, page.rail, rows[at].anchor))


def _rail(edition: Edition, suite: SuiteReport, rows: tuple[TestRow, ...], at: str | None) -> dict[str, object]:
    figures = next(found for found in edition.figures.suites if found.name == suite.name)
    return {
        "rail_title": suite.name,
        "rail_count": len(suite.tests),
        "rail_score": figures.score,
        "rail_rows": rows,
        "rail_at": at,
        "rail_others": [found for found in edition.figures.suites if found.id != figures.id][:20],
    }


def _jumps(edition: Edition) -> Iterator[tuple[str, str, str, str, str]]:
    for suite in edition.report.suites:
        folder = suite_id(suite.name)
        for row in test_rows(edition, suite):
            href = f"{folder}/{row.page}" if row.page else f"{folder}/index.html#{row.anchor}"
            yield row.name, row.model or "", suite.name, href, row.score.grade if row.score else row.status
