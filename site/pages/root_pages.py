"""What stands at the root of a site: the only files that change when a commit is added."""

from collections.abc import Iterator
from functools import partial

from ...gates.grade import LETTERS
from ..history.commit_summary import CommitSummary
from ..history.site_index import render_site_index
from ..history.timeline import Timeline
from ..mkdocs_build import Body
from .addresses import get_commit_folder
from .badge import render_badge_json, render_badge_svg
from .commit_pages import render_overview_page, render_unreadable_page
from .commit_view import CommitView
from .history import make_history_page
from .page_templates import PageFrame, load_assets, render_data_script, render_page, render_plain

_SWITCHER = 100


def make_root_pages(
    timeline: Timeline, edition: CommitView | None, site_title: str, remark: str | None
) -> dict[str, Body]:
    """The pages, by their place."""
    latest = timeline.get_summary(timeline.latest.sha)
    return {
        "index.html": partial(_render_index, latest, edition, site_title),
        "history.html": partial(_render_history, timeline, edition, site_title, remark),
        "grading.html": partial(_render_grading, latest, edition, site_title),
        **{place: partial(render_plain, "redirect.html", target) for place, target in _list_redirects(latest, edition)},
    }


def make_root_files(timeline: Timeline, site_title: str, report: bytes | None) -> Iterator[tuple[str, bytes]]:
    """Everything at the root that is not a page."""
    commits = [timeline.get_summary(sha) for sha in timeline.commits]
    yield from load_assets().data.items()
    yield "commits.js", render_data_script("toolgradeCommits", list(_list_switcher_commits(commits)))
    yield "index.json", render_site_index(commits)
    if report is not None:
        yield "latest/report.json", report
    yield from _make_badges(commits, site_title)


def _render_index(latest: CommitSummary, edition: CommitView | None, site_title: str) -> str:
    here = f"{get_commit_folder(latest.sha)}/"
    if edition is None:
        return render_unreadable_page(latest, site_title, "", here)
    return render_overview_page(edition, site_title, "", here)


def _render_history(timeline: Timeline, edition: CommitView | None, site_title: str, remark: str | None) -> str:
    commits = tuple(timeline.get_summary(sha) for sha in timeline.commits)
    previous = {sha: commit.previous for sha, commit in timeline.commits.items()}
    page = make_history_page(commits, previous, remark)
    return render_page("history.html", _make_root_frame(commits[-1], edition, site_title, "History", "history"), page)


def _render_grading(latest: CommitSummary, edition: CommitView | None, site_title: str) -> str:
    frame = _make_root_frame(latest, edition, site_title, "How grading works", "grading")
    return render_page("grading.html", frame, {"letters": LETTERS})


def _make_root_frame(
    latest: CommitSummary, edition: CommitView | None, site_title: str, title: str, tab: str
) -> PageFrame:
    here = f"{get_commit_folder(latest.sha)}/"
    has_compare = edition is not None and edition.before is not None
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


def _list_redirects(latest: CommitSummary, edition: CommitView | None) -> Iterator[tuple[str, str]]:
    folder = get_commit_folder(latest.sha)
    yield "latest/index.html", f"../{folder}/index.html"
    if edition is not None and edition.before is not None:
        yield "latest/compare.html", f"../{folder}/compare.html"
    for suite in latest.suites:
        yield f"latest/{suite.id}/index.html", f"../../{folder}/{suite.id}/index.html"


def _list_switcher_commits(commits: list[CommitSummary]) -> Iterator[dict[str, str]]:
    """The newest commits; a page of an older one knows at least that it is older."""
    for figures in commits[: -_SWITCHER - 1 : -1]:
        yield {
            "sha": figures.sha,
            "short": figures.short,
            "subject": figures.subject,
            "grade": figures.score.grade if figures.score else "",
        }


def _make_badges(commits: list[CommitSummary], site_title: str) -> Iterator[tuple[str, bytes]]:
    """One for each suite there ever was: pages of older commits link to them."""
    latest = commits[-1]
    yield "badge.svg", render_badge_svg(site_title, latest.score or None)
    yield "badge.json", render_badge_json(site_title, latest.score or None)
    names = {suite.id: suite.name for figures in commits for suite in figures.suites}
    for suite_id, name in names.items():
        found = latest.find_suite(suite_id)
        score = (found.score or None) if found else None
        yield f"badge/{suite_id}.svg", render_badge_svg(name, score)
        yield f"badge/{suite_id}.json", render_badge_json(name, score)
