"""The MkDocs plugin: the report site as a part of a project's own documentation.

`plugins: [toolgrade]` puts it under `report/`; `nav: [Report: report/index.html]` links to it.
"""

import tempfile
from pathlib import Path
from typing import Any

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel

from ..foundations.fault import Fault
from .build import SiteOptions, build_site
from .history.folder_history import FolderHistory
from .history.git_history import GitHistory
from .site_folder import list_relative_paths


class ReportOptions(Config):
    """The options under `toolgrade:` in mkdocs.yml."""

    folder = config_options.Type(str, default="report")
    reports = config_options.Optional(config_options.Type(str))
    keep = config_options.Type(int, default=20)
    title = config_options.Type(str, default="toolgrade")


class ReportPlugin(BasePlugin[ReportOptions]):
    """Adds the files of the report site to a documentation; `mkdocs serve` builds only new commits."""

    def on_startup(self, **_: Any) -> None:
        """Create the folder that the report site is built in."""
        # It lasts as long as `mkdocs serve`, so each rebuild writes only new commits.
        self._built = tempfile.TemporaryDirectory(prefix="toolgrade-site-")

    def on_shutdown(self) -> None:
        """Remove the report site."""
        self._built.cleanup()

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Return the documentation's files with those of the report site; raise `PluginError` if it fails."""
        out = Path(self._built.name, "site")
        here = Path(config.config_file_path or "mkdocs.yml").absolute().parent
        options = SiteOptions(self.config.title, self.config.keep)
        try:
            with FolderHistory(here / self.config.reports) if self.config.reports else GitHistory(here) as history:
                build_site(history, out, options)
        except Fault as fault:
            raise PluginError(f"toolgrade: {fault}{f'; {fault.help}' if fault.help else ''}") from None
        for path in sorted(list_relative_paths(out)):
            place, source = f"{self.config.folder}/{path}", str(out / path)
            files.append(File.generated(config, place, abs_src_path=source, inclusion=InclusionLevel.NOT_IN_NAV))
        return files
