"""`toolgrade site`: the report site, from the history in git or from a folder of reports."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..site.build import SiteBuildResult

DEFAULT_OUT = Path("build/site")
_OPTIONS = (
    click.option("--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, show_default=True,
                 help="Folder of the site."),
    click.option("--reports", metavar="DIR", type=click.Path(path_type=Path),
                 help="Take the history from this folder instead of git: a folder for each commit, with report.json."),
    click.option("--keep", type=click.IntRange(1), default=20, show_default=True,
                 help="Keep the pages of single tests for so many commits."),
    click.option("--title", default="toolgrade", show_default=True, help="What the site is called."),
    click.option("--fresh", is_flag=True, help="Write every commit again, not just what is new."),
)  # fmt: skip


def _add_build_options(command: Any) -> Any:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def site_group() -> None:
    """Build the report site, or show it.

    \b
    toolgrade site build
    toolgrade site serve
    """


@site_group.command()
@_add_build_options
def build_command(out: Path, reports: Path | None, keep: int, title: str, fresh: bool) -> None:
    """Write the report site: the whole of it, or just what is new.

    The history is git's: every commit that changed reports/replay/report.json or reports/live/report.json below this
    folder, and the reports on disk if they are not committed yet. Pages of a commit are written once; another
    commit adds a folder and rewrites a few files at the root. It opens from disk by double click.

    \b
    toolgrade site build
    toolgrade site build --out public --title "atlas agents"
    toolgrade site build --reports nightly/ --keep 50
    """
    _build_from_history(out, reports, keep, title, fresh)
    click.echo((out / "index.html").as_posix())


@site_group.command()
@_add_build_options
@click.option("--port", type=click.IntRange(0, 65535), default=8710, show_default=True, help="0 takes a free one.")
def serve_command(out: Path, reports: Path | None, keep: int, title: str, fresh: bool, port: int) -> None:
    """Build the site and show it on this machine alone, until Ctrl-C.

    \b
    toolgrade site serve
    toolgrade site serve --port 9000
    """
    from ..site.local_server import serve_folder

    _build_from_history(out, reports, keep, title, fresh)
    serve_folder(out, port, lambda address: click.echo(f"serving {address} (Ctrl-C stops)", err=True))


def _build_from_history(out: Path, reports: Path | None, keep: int, title: str, fresh: bool) -> None:
    from ..foundations.extras import require_extra

    require_extra("site", "`toolgrade site`")

    from ..site.build import SiteOptions, build_site
    from ..site.history.folder_history import FolderHistory
    from ..site.history.git_history import GitHistory

    with FolderHistory(reports) if reports else GitHistory(Path.cwd()) as history:
        built = build_site(history, out, SiteOptions(title, keep, fresh), lambda line: click.echo(line, err=True))
    click.echo(_describe_build(built), err=True)
    if history.remark:
        click.echo(f"this is {history.remark}; `git fetch --unshallow` gets them", err=True)


def _describe_build(built: "SiteBuildResult") -> str:
    from ..console import format_counted_noun

    new = f"{built.written:,} written, the rest as it was" if built.written < built.commits else "all written"
    return f"{format_counted_noun(built.commits, 'commit')}: {new}; {format_counted_noun(built.pages, 'page')}"
