"""index.json: a summary of every commit of a site, for programs and for the next build."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ...foundations.canonical_json import to_json
from ..site_folder import MARK
from .commit_summary import SCHEMA, CommitSummary


class SiteIndex(msgspec.Struct, frozen=True):
    """The summaries of all commits, newest first."""

    schema: str
    commits: tuple[CommitSummary, ...]


def render_site_index(commits: Iterable[CommitSummary]) -> bytes:
    """Return index.json for commits that are given oldest first."""
    return to_json(SiteIndex(SCHEMA, tuple(commits)[::-1]))


def read_site_index(out: Path) -> dict[str, CommitSummary]:
    """Return the summaries in the index of an existing site, by SHA.

    Return none if the index cannot be read or has another schema; every page is then written again.
    """
    try:
        found = msgspec.json.decode((out / MARK).read_bytes(), type=SiteIndex)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
    # An index of another schema is as good as none: its summaries may lack what the pages now show.
    return {summary.sha: summary for summary in found.commits} if found.schema == SCHEMA else {}
