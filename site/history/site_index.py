"""index.json: every commit of a site in a few numbers, for programs and for the next build."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ...foundations.canonical_json import to_json
from ..site_folder import MARK
from .commit_summary import SCHEMA, CommitSummary


class SiteIndex(msgspec.Struct, frozen=True):
    """All commits, newest first."""

    schema: str
    commits: tuple[CommitSummary, ...]


def render_site_index(commits: Iterable[CommitSummary]) -> bytes:
    """The file for commits that come oldest first."""
    return to_json(SiteIndex(SCHEMA, tuple(commits)[::-1]))


def read_site_index(out: Path) -> dict[str, CommitSummary]:
    """What the site that is there knows; nothing where it cannot be read, and then all of it is made anew."""
    try:
        found = msgspec.json.decode((out / MARK).read_bytes(), type=SiteIndex)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return {figures.sha: figures for figures in found.commits} if found.schema == SCHEMA else {}
