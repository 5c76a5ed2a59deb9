"""What set a workflow off: the pull request it is about, and the commit to compare with."""

import json
import os
from pathlib import Path
from typing import Any

from github_api import Api


def read_event() -> dict[str, Any]:
    """The event as the runner wrote it down."""
    return json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())


def base_commit(event: dict[str, Any]) -> str | None:
    """What a pull request is to be merged into, or what a push came after; a branch's first push has nothing before."""
    commit = event.get("pull_request", {}).get("base", {}).get("sha") or event.get("before") or ""
    return commit if commit.strip("0") else None


def pull_number(event: dict[str, Any], api: Api) -> int | None:
    """The pull request to comment on.

    After a workflow that a fork set off, only GitHub's own word is taken: the open pull request from that branch whose
    head is the commit that ran. Nothing the fork's workflow left behind is asked.
    """
    if "pull_request" in event:
        return event["pull_request"]["number"]
    run = event.get("workflow_run")
    if not run:
        return None
    head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
    found = [pull for pull in api.items("pulls", state="open", head=head) if pull["head"]["sha"] == run["head_sha"]]
    return found[0]["number"] if found else None
