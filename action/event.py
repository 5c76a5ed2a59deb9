"""Reads which pull request a workflow is about, and which commit to compare with."""

import json
import os
from pathlib import Path
from typing import Any

from github_api import Api


def read_event() -> dict[str, Any]:
    """Return the event that the runner wrote to disk."""
    return json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())


def find_base_commit(event: dict[str, Any]) -> str | None:
    """Return the target of a pull request or the parent of a push; None for the first push of a branch."""
    commit = event.get("pull_request", {}).get("base", {}).get("sha") or event.get("before") or ""
    # Git writes "no commit" as forty zeros.
    return commit if commit.strip("0") else None


def find_pull_number(event: dict[str, Any], api: Api) -> int | None:
    """Return the number of the pull request to comment on, or None.

    After a workflow of a fork, only GitHub's own data is used: the open pull request from that branch whose head is
    the commit that ran. Nothing that the fork's workflow left behind is read.
    """
    if "pull_request" in event:
        return event["pull_request"]["number"]
    run = event.get("workflow_run")
    if not run:
        return None
    head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
    found = [
        pull for pull in api.iterate_items("pulls", state="open", head=head) if pull["head"]["sha"] == run["head_sha"]
    ]
    return found[0]["number"] if found else None
