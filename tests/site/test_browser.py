"""Pages in a real browser: they open from disk and over HTTP, in light and dark, wide and narrow, by keyboard."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.site.browser import Browser
from tests.site.stories import write_atlas
from toolgrade.site.build import SiteOptions, build_site
from toolgrade.site.history.git_history import GitHistory

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "artifacts/site"
AXE = ROOT / "node_modules/axe-core/axe.min.js"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("atlas")
    write_atlas(folder / "r")
    with GitHistory(folder / "r") as history:
        build_site(history, folder / "site", SiteOptions(title="atlas-agents"))
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, str]:
    """A page of each kind."""
    shas = [commit["sha"] for commit in json.loads((site / "index.json").read_bytes())["commits"]]
    return {
        "overview": "index.html",
        "commit": f"c/{shas[0]}/index.html",
        "first": f"c/{shas[-1]}/index.html",
        "suite": f"c/{shas[0]}/research-agent/index.html",
        "test": f"c/{shas[0]}/research-agent/quote-quarterly-revenue.html",
        "compare": f"c/{shas[0]}/compare.html",
        "history": "history.html",
        "grading": "grading.html",
    }


@pytest.fixture(scope="module")
def http(site: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the standard library has it
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("scheme", "theme", "width"),
    [*product(["http"], ["light", "dark"], [1280, 390]), ("file", "light", 1280), ("file", "dark", 390)],
)
def test_every_kind_of_page_opens(
    scheme: str, theme: str, width: int, site: Path, pages: dict[str, str], http: str, browser: Browser
) -> None:
    browser.emulate(width=width, dark=theme == "dark")
    home = http if scheme == "http" else site.as_uri()
    for name, page in pages.items():
        browser.open(f"{home}/{page}")
        browser.wait("return document.readyState === 'complete'")
        assert browser.run("return document.querySelectorAll('h1').length") == 1, name
        assert browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0, name
        background = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert background == ("rgb(14, 17, 23)" if theme == "dark" else "rgb(247, 248, 250)")
        assert browser.run("return document.querySelectorAll('.sw li').length") == 6, name
        if scheme == "http":
            browser.picture(PICTURES / f"{name}-{theme}-{width}.png")
        assert browser.complaints() == [], name
        assert browser.strangers(home) == [], name


def test_an_older_commit_says_so_and_the_latest_does_not(site: Path, pages: dict[str, str], browser: Browser) -> None:
    browser.open((site / pages["first"]).as_uri())
    assert "older commit" in browser.run("return document.querySelector('.old').innerText")
    browser.open((site / pages["commit"]).as_uri())
    assert browser.run("return document.querySelector('.old').hidden")
    assert browser.run("return document.querySelector('.sw .tagl').textContent") == "latest"


def test_the_keyboard_reaches_switcher_jump_box_and_theme(site: Path, pages: dict[str, str], browser: Browser) -> None:
    browser.open((site / pages["overview"]).as_uri())
    reached: list[str] = []
    for _ in range(12):
        browser.press(Keys.TAB)
        reached.append(browser.run("const e = document.activeElement; return e.className || e.parentElement.className"))
    assert reached[0] == "skip"
    assert {"sw", "jmp", "thm"} <= set(reached)


def test_the_switcher_opens_by_keyboard_and_leads_to_another_commit(
    site: Path, pages: dict[str, str], browser: Browser
) -> None:
    browser.open((site / pages["suite"]).as_uri())
    browser.run("document.querySelector('.sw summary').focus()")
    browser.press(Keys.ENTER)
    browser.wait("return document.querySelector('.sw').open")
    browser.press(Keys.TAB, Keys.TAB, Keys.ENTER)
    browser.wait("return !document.querySelector('.old').hidden")
    browser.open((site / pages["suite"]).as_uri())
    browser.run("document.querySelector('.sw').open = true")
    browser.press(Keys.ESCAPE)
    assert not browser.run("return document.querySelector('.sw').open")


@pytest.mark.parametrize("page", ["overview", "suite", "history"])
def test_the_jump_box_leads_to_a_test(page: str, site: Path, pages: dict[str, str], browser: Browser) -> None:
    browser.open((site / pages[page]).as_uri())
    browser.press("/")
    browser.wait("return document.querySelectorAll('.jd li a').length === 14")
    browser.press("papers")
    browser.wait("return document.querySelectorAll('.jd li a').length === 1")
    browser.press(Keys.ENTER)
    browser.wait("return document.querySelector('h1')?.textContent === 'compare-two-papers'")
    assert browser.complaints() == []


def test_the_theme_switch_turns_and_is_remembered(http: str, pages: dict[str, str], browser: Browser) -> None:
    browser.open(f"{http}/{pages['overview']}")
    browser.run("document.querySelector('.thm').click()")
    assert browser.run("return document.documentElement.dataset.theme") == "dark"
    browser.open(f"{http}/{pages['history']}")
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(14, 17, 23)"
    browser.run("localStorage.clear()")


def test_tests_can_be_sorted_and_narrowed_to_those_that_fail(
    site: Path, pages: dict[str, str], browser: Browser
) -> None:
    names = "return [...document.querySelectorAll('.tests tbody tr')].filter(r => r.offsetParent)"
    names += ".map(r => r.querySelector('a').textContent)"
    browser.open((site / pages["suite"]).as_uri())
    assert browser.run(names)[0] == "quote-quarterly-revenue"
    browser.run("document.querySelectorAll('.tests .sort')[2].click()")
    assert browser.run(names)[-1] == "quote-quarterly-revenue"
    browser.run("document.querySelector('.only input').click()")
    assert len(browser.run(names)) == 4


def test_pages_can_be_read_without_scripts(site: Path, pages: dict[str, str], browser: Browser) -> None:
    browser.emulate(scripts=False)
    for name, page in pages.items():
        browser.open((site / page).as_uri())
        assert len(browser.run("return document.querySelector('main').innerText")) > 500, name
        assert browser.run("return document.querySelector('.jmp').offsetParent") is None
        assert browser.run("return document.querySelector('.sw a').textContent") == "All commits"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(theme: str, site: Path, pages: dict[str, str], browser: Browser) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm install --no-save axe-core")
    browser.emulate(dark=theme == "dark")
    problems = {name: _axe(browser, (site / page).as_uri()) for name, page in pages.items()}
    assert {name: found for name, found in problems.items() if found} == {}


def _axe(browser: Browser, address: str) -> list[str]:
    browser.open(address)
    browser.run(AXE.read_text(encoding="utf-8"))
    return browser.run_async(
        "const done = arguments[0]; axe.run().then(r => done(r.violations"
        ".filter(v => ['serious', 'critical'].includes(v.impact))"
        ".map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary).join(' | '))))"
    )
