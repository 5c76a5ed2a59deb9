"""What stands at the root of a site: the only files that change when a commit is added."""

from collections.abc import Iterator
from functools import partial

from ...gates.grade import LETTERS
from ..history.commit_summary import Figures
from ..history.site_index import index_json
from ..history.timeline import Timeline
from ..mkdocs_build import Body
from .addresses import commit_folder
from .badge import badge_json, badge_svg
from .commit_pages import overview_page, unreadable_page
from .commit_view import Edition
from .history import history_page_of
from .render import Frame, assets, render_page, render_plain, script

_SWITCHER = 100


def root_pages(timeline: Timeline, edition: Edition | None, site_title: str, remark: str | None) -> dict[str, Body]:
    """The pages, by their place."""
    latest = timeline.figures(timeline.latest.sha)
    return {
        "index.html": partial(_index, latest, edition, site_title),
        "history.html": partial(_history, timeline, edition, site_title, remark),
        "grading.html": partial(_grading, latest, edition, site_title),
        **{place: partial(render_plain, "redirect.html", target) for place, target in _redirects(latest, edition)},
    }


def root_files(timeline: Timeline, site_title: str, report: bytes | None) -> Iterator[tuple[str, bytes]]:
    """Everything at the root that is not a page."""
    commits = [timeline.figures(sha) for sha in timeline.commits]
    yield from assets().data.items()
    yield "commits.js", script("toolgradeCommits", list(_switcher(commits)))
    yield "index.json", index_json(commits)
    if report is not None:
        yield "latest/report.json", report
    yield from _badges(commits, site_title)


def _index(latest: Figures, edition: Edition | None, site_title: str) -> str:
    here = f"{commit_folder(latest.sha)}/"
    if edition is None:
        return unreadable_page(latest, site_title, "", here)
    return overview_page(edition, site_title, "", here)


def _history(timeline: Timeline, edition: Edition | None, site_title: str, remark: str | None) -> str:
    commits = tuple(timeline.figures(sha) for sha in timeline.commits)
    previous = {sha: commit.previous for sha, commit in timeline.commits.items()}
    page = history_page_of(commits, previous, remark)
    return render_page("history.html", _frame(commits[-1], edition, site_title, "History", "history"), page)


def _grading(latest: Figures, edition: Edition | None, site_title: str) -> str:
    frame = _frame(latest, edition, site_title, "How grading works", "grading")
    return render_page("grading.html", frame, {"letters": LETTERS})


def _frame(latest: Figures, edition: Edition | None, site_title: str, title: str, tab: str) -> Frame:
    here = f"{commit_folder(latest.sha)}/"
    has_compare = edition is not None and edition.before is not None
    return Frame(
        title=f"{title} · {site_title}",
        site_title=site_title,
        root="",
        here=here,
        overview="index.html",
        compare=f"{here}compare.html" if has_compare else None,
        commit=latest,
        tab=tab,
    )


def _redirects(latest: Figures, edition: Edition | None) -> Iterator[tuple[str, str]]:
    folder = commit_folder(latest.sha)
    yield "latest/index.html", f"../{folder}/index.html"
    if edition is not None and edition.before is not None:
        yield "latest/compare.html", f"../{folder}/compare.html"
    for suite in latest.suites:
        yield f"latest/{suite.id}/index.html", f"../../{folder}/{suite.id}/index.html"


def _switcher(commits: list[Figures]) -> Iterator[dict[str, str]]:
    """The newest commits; a page of an older one knows at least that it is older."""
    for figures in commits[: -_SWITCHER - 1 : -1]:
        yield {
            "sha": figures.sha,
            "short": figures.short,
            "subject": figures.subject,
            "grade": figures.score.grade if figures.score else "",
        }


def _badges(commits: list[Figures], site_title: str) -> Iterator[tuple[str, bytes]]:
    """One for each suite there ever was: pages of older commits link to them."""
    latest = commits[-1]
    yield "badge.svg", badge_svg(site_title, latest.score or None)
    yield "badge.json", badge_json(site_title, latest.score or None)
    names = {suite.id: suite.name for figures in commits for suite in figures.suites}
    for suite_id, name in names.items():
        found = latest.suite(suite_id)
        score = (found.score or None) if found else None
        yield f"badge/{suite_id}.svg", badge_svg(name, score)
        yield f"badge/{suite_id}.json", badge_json(name, score)
