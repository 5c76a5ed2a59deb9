"""Whatever text comes from outside, pages show it and do nothing else with it (rows R01 to R03 of the fault table)."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.site.browser import Browser
from tests.site.hostile import PAYLOADS, literal, poisoned
from tests.site.links import Document, broken_links
from tests.site.stories import Chapter, Told, commit_reports, report_of
from toolgrade.site.build import SiteOptions, build_site
from toolgrade.site.history.git_history import GitHistory

HARMLESS = "plain words "


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A commit for each payload, and one without at both ends."""
    folder = tmp_path_factory.mktemp("hostile")
    told = [
        Told(
            "reads", {"search": ("a.find", "b.find"), "fetch": ("a.get",)}, [["a.find", "c.run"], ["b.find", "a.get"]]
        ),
        Told("writes", {"store": ("a.put",)}, [["a.put"], []]),
    ]
    report = report_of([Chapter("suite", told, "description")])
    for payload in (HARMLESS, *PAYLOADS):
        subject = " ".join(payload.split())
        commit_reports(folder / "r", f"{subject} subject", poisoned(report, payload))
    with GitHistory(folder / "r") as history:
        build_site(history, folder / "site", SiteOptions(title="<b>title</b>", keep=100))
    return folder / "site"


@pytest.fixture(scope="module")
def shas(site: Path) -> dict[str, str]:
    """The commit of each payload, oldest first."""
    commits = json.loads((site / "index.json").read_bytes())["commits"][::-1]
    return {payload: commit["sha"] for payload, commit in zip((HARMLESS, *PAYLOADS), commits, strict=True)}


def documents(site: Path, sha: str) -> list[Document]:
    return [Document(path.read_text(encoding="utf-8")) for path in sorted((site / "c" / sha).rglob("*.html"))]


def test_there_are_forty() -> None:
    assert len(set(PAYLOADS)) == 40


@pytest.mark.parametrize("payload", PAYLOADS)
def test_pages_have_the_tags_they_always_have_and_no_handler(payload: str, site: Path, shas: dict[str, str]) -> None:
    found = documents(site, shas[payload])
    assert len(found) == 5
    first = [sorted(set(page.tags)) for page in documents(site, shas[PAYLOADS[1]])]
    for page in found:
        assert sorted(set(page.tags)) in first
        assert not [key for key, _ in page.attributes if key.startswith("on") or key in ("style", "srcdoc", "action")]
        assert page.tags.count("h1") == 1
        assert page.tags.count("script") == 2


@pytest.mark.parametrize("payload", PAYLOADS)
def test_the_text_is_shown_literally(payload: str, site: Path, shas: dict[str, str]) -> None:
    texts = [re.sub(r"\s+", " ", "".join(page.texts)) for page in documents(site, shas[payload])]
    whole = " ".join(texts)
    shown = re.sub(r"\s+", " ", literal(payload))
    for original in ("suite", "reads", "a.find", "search", "Do the usual", "Revenue was"):
        tail = original.rpartition(".")[2] if original == "a.find" else original
        assert f"{shown}{original}" in whole or f"{shown}{tail}" in whole, original


def test_no_link_is_broken_and_none_leads_out(site: Path) -> None:
    assert broken_links(site) == []


def test_scripts_hold_data_that_no_parser_takes_for_markup(site: Path) -> None:
    for path in [site / "commits.js", *site.glob("c/*/tests.js")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search("[<>&\u2028\u2029]", text)
        data = json.loads(text.partition(" = ")[2].removesuffix(";\n"))
        assert data


def test_badges_are_well_formed(site: Path) -> None:
    badges = sorted(site.rglob("*.svg"))
    assert len(badges) > 40
    for badge in badges:
        root = ElementTree.fromstring(badge.read_bytes())
        assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
            "svg", "title", "clipPath", "rect", "g", "text", "path"
        }  # fmt: skip


@pytest.mark.browser
def test_nothing_runs_and_nothing_is_fetched(site: Path, shas: dict[str, str], browser: Browser) -> None:
    for payload, sha in shas.items():
        for page in [site / "c" / sha / "index.html", *(site / "c" / sha).rglob("*reads*.html")]:
            browser.open(page.as_uri())
            assert browser.run("return window.pwned") is None, payload
            assert browser.complaints() == [], payload
            assert browser.strangers(site.as_uri()) == [], payload
            assert browser.run("return getComputedStyle(document.querySelector('main')).display") != "none"


@pytest.mark.browser
def test_the_jump_box_and_the_switcher_show_it_literally(site: Path, shas: dict[str, str], browser: Browser) -> None:
    for payload in PAYLOADS[::6]:
        browser.open((site / "c" / shas[payload] / "index.html").as_uri())
        browser.run("document.querySelector('.jmp').click()")
        browser.wait("return document.querySelectorAll('.jd li a').length === 2")
        names = browser.run("return [...document.querySelectorAll('.jd li b')].map(n => n.textContent).join()")
        assert "reads" in names
        assert browser.run("return document.querySelectorAll('.jd script, .jd img, .sw img, .sw script').length") == 0
        assert browser.run("return window.pwned") is None
        assert browser.complaints() == []
