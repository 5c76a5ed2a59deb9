"""The files at the root of a site, which are the only ones that change with a new commit."""

from collections.abc import Iterator
from functools import partial

from ...gates.grade import LETTERS
from ..history.commit_summary import CommitSummary
from ..history.site_index import render_site_index
from ..history.timeline import Timeline
from .addresses import get_commit_folder
from .badge import render_badge_json, render_badge_svg
from .commit_pages import render_overview_page, render_unreadable_page
from .commit_view import CommitView
from .history import make_history_page
from .page_templates import Body, PageFrame, load_assets, render_data_script, render_page, render_plain

_SWITCHER = 100


def make_root_pages(
    timeline: Timeline, view: CommitView | None, site_title: str, remark: str | None
) -> dict[str, Body]:
    """Return the pages by their path."""
    latest = timeline.get_summary(timeline.latest.sha)
    return {
        "index.html": partial(_render_index, latest, view, site_title),
        "history.html": partial(_render_history, timeline, view, site_title, remark),
        "grading.html": partial(_render_grading, latest, view, site_title),
        **{place: partial(render_plain, "redirect.html", target) for place, target in _list_redirects(latest, view)},
    }


def make_root_files(timeline: Timeline, site_title: str, report: bytes | None) -> Iterator[tuple[str, bytes]]:
    """Yield the files at the root that are no pages."""
    commits = [timeline.get_summary(sha) for sha in timeline.commits]
    yield from load_assets().data.items()
    yield "commits.js", render_data_script("toolgradeCommits", list(_list_switcher_commits(commits)))
    yield "index.json", render_site_index(commits)
    if report is not None:
        yield "latest/report.json", report
    yield from _make_badges(commits, site_title)


def _render_index(latest: CommitSummary, view: CommitView | None, site_title: str) -> str:
    here = f"{get_commit_folder(latest.sha)}/"
    if view is None:
        return render_unreadable_page(latest, site_title, "", here)
    return render_overview_page(view, site_title, "", here)


def _render_history(timeline: Timeline, view: CommitView | None, site_title: str, remark: str | None) -> str:
    commits = tuple(timeline.get_summary(sha) for sha in timeline.commits)
    previous = {sha: commit.previous for sha, commit in timeline.commits.items()}
    page = make_history_page(commits, previous, remark)
    return render_page("history.html", _make_root_frame(commits[-1], view, site_title, "History", "history"), page)


def _render_grading(latest: CommitSummary, view: CommitView | None, site_title: str) -> str:
    frame = _make_root_frame(latest, view, site_title, "How grading works", "grading")
    return render_page("grading.html", frame, {"letters": LETTERS})


def _make_root_frame(
    latest: CommitSummary, view: CommitView | None, site_title: str, title: str, tab: str
) -> PageFrame:
    here = f"{get_commit_folder(latest.sha)}/"
    has_compare = view is not None and view.before is not None
    return PageFrame(
        title=f"{title} · {site_title}",
        site_title=site_title,
        root="",
        here=here,
        overview="index.html",
        compare=f"{here}compare.html" if has_compare else None,
        commit=latest,
        tab=tab,
    )


def _list_redirects(latest: CommitSummary, view: CommitView | None) -> Iterator[tuple[str, str]]:
    folder = get_commit_folder(latest.sha)
    yield "latest/index.html", f"../{folder}/index.html"
    if view is not None and view.before is not None:
        yield "latest/compare.html", f"../{folder}/compare.html"
    for suite in latest.suites:
        # Links to `latest/` survive commits; a redirect costs less than a second copy of every page.
        yield f"latest/{suite.id}/index.html", f"../../{folder}/{suite.id}/index.html"


def _list_switcher_commits(commits: list[CommitSummary]) -> Iterator[dict[str, str]]:
    """Yield the newest commits; the page of an older commit shows at least that it is older."""
    # Newest first, and at most as many as a menu can hold.
    for summary in commits[: -_SWITCHER - 1 : -1]:
        yield {
            "sha": summary.sha,
            "short": summary.short,
            "subject": summary.subject,
            "grade": summary.score.grade if summary.score else "",
        }


def _make_badges(commits: list[CommitSummary], site_title: str) -> Iterator[tuple[str, bytes]]:
    """Yield the badges of every suite that ever existed, because pages of older commits link to them."""
    latest = commits[-1]
    yield "badge.svg", render_badge_svg(site_title, latest.score or None)
    yield "badge.json", render_badge_json(site_title, latest.score or None)
    names = {suite.id: suite.name for summary in commits for suite in summary.suites}
    for suite_id, name in names.items():
        found = latest.find_suite(suite_id)
        score = (found.score or None) if found else None
        yield f"badge/{suite_id}.svg", render_badge_svg(name, score)
        yield f"badge/{suite_id}.json", render_badge_json(name, score)
