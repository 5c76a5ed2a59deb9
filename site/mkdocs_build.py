"""The one module that calls MkDocs: it writes virtual pages to a folder of HTML."""

import logging
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from mkdocs.commands.build import build
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from .pages.page_templates import THEME, Body


def write_pages(folder: Path, pages: Mapping[str, Body], files: Iterable[tuple[str, bytes]] = ()) -> None:
    """Write pages (`…/name.html`) and files into an empty folder; each page is rendered when its turn comes."""
    # MkDocs demands a `docs_dir` that exists.
    with tempfile.TemporaryDirectory(prefix="toolgrade-docs-") as empty:
        config = _make_config(folder, empty)
        config.plugins["toolgrade-pages"] = _VirtualPagesPlugin(pages, files)
        logger = logging.getLogger("mkdocs")
        level = logger.level
        # MkDocs logs its progress and advice about a documentation, which this folder is not.
        logger.setLevel(logging.ERROR)
        try:
            build(config)
        finally:
            logger.setLevel(level)


def _make_config(folder: Path, empty: str) -> MkDocsConfig:
    config = cast(MkDocsConfig, MkDocsConfig())
    config.load_dict(  # pyright: ignore[reportUnknownMemberType]
        {
            "site_name": "toolgrade",
            "docs_dir": empty,
            "site_dir": str(folder.absolute()),
            "theme": {"name": None, "custom_dir": str(THEME / "mkdocs")},
            # Links end in `.html`, so that the pages also work when they are opened from disk.
            "use_directory_urls": False,
            "plugins": [],
            "markdown_extensions": [],
        }
    )
    errors, _ = config.validate()
    assert not errors, errors
    return config


class _VirtualPage(Page):
    """A page that is not read as Markdown."""

    def render(self, config: MkDocsConfig, files: Files) -> None:
        del config, files
        self.content = ""


class _NoOptions(Config):
    """The plugin's empty options."""


class _VirtualPagesPlugin(BasePlugin[_NoOptions]):
    """Gives MkDocs each page on request, so that one at a time is in memory."""

    def __init__(self, pages: Mapping[str, Body], files: Iterable[tuple[str, bytes]]) -> None:
        # MkDocs takes only Markdown for pages; with `use_directory_urls` off, `x.md` becomes `x.html`.
        self._pages = {path.removesuffix(".html") + ".md": body for path, body in pages.items()}
        self._files = files

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        for path, data in self._files:
            files.append(File.generated(config, path, content=data, inclusion=InclusionLevel.NOT_IN_NAV))
        for path in self._pages:
            file = File.generated(config, path, content="", inclusion=InclusionLevel.NOT_IN_NAV)
            files.append(file)
            # The constructor registers the page as `file.page`.
            _VirtualPage(None, file, config)
        return files

    def on_page_context(self, context: Any, *, page: Page, config: MkDocsConfig, nav: Any) -> Any:
        del config, nav
        page.content = self._pages[page.file.src_uri]()
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        del config
        # The rendered page is released at once.
        page.content = ""
        return output
