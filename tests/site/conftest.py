"""The browser that the tests of the site share."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import BROWSERS
from tests.site.browser import Browser


@pytest.fixture(scope="session")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    binary = next(found for name in BROWSERS if (found := shutil.which(name)))
    chromedriver = shutil.which("chromedriver")
    assert chromedriver is not None
    started = Browser(binary, chromedriver, Path(tmp_path_factory.mktemp("profile")))
    yield started
    started.close()


@pytest.fixture
def browser(shared_browser: Browser) -> Browser:
    shared_browser.emulate()
    return shared_browser
