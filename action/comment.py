"""Comments on the pull request once, and updates that comment from then on.

The text is rendered here from report.json, which is read as data: whoever made the report, nothing in it can
mention anyone, link anywhere or hold Markdown of its own.
"""

import os
import sys
from pathlib import Path
from typing import Any

from event import find_base_commit, find_pull_number, read_event
from github_api import Api, ApiError

from toolgrade import Fault, diff, load_report
from toolgrade.site.outputs.markdown_summary import render_markdown_summary

MARK = "<!-- toolgrade -->"
NOT_REPLAYED = "### toolgrade: not replayed\n\nThe run left no whole report: its log says what stopped it.\n"


def main() -> int:
    """Write the comment; return 1 if it cannot be written."""
    event = read_event()
    try:
        api = Api.from_environment()
        number = find_pull_number(event, api)
        if number is None:
            print("no open pull request is at this commit: nothing to comment on", file=sys.stderr)
            return 0
        base = os.environ.get("TOOLGRADE_BASE") or find_base_commit(event)
        print(
            write_comment(
                api, number, f"{MARK}\n{render_comment(os.environ.get('TOOLGRADE_OUT') or 'toolgrade-report', base)}"
            )
        )
    except (ApiError, Fault) as error:
        print(f"no comment: {error}", file=sys.stderr)
        return 1
    return 0


def render_comment(report: str, base: str | None) -> str:
    """Return the summary of a report, or a text that says that the report is missing."""
    if not Path(report, "report.json").is_file():
        return NOT_REPLAYED
    new = load_report(report)
    try:
        compared = diff(load_report(base), new) if base else None
    except Fault:
        compared = None
    return render_markdown_summary(new, compared, os.environ.get("TOOLGRADE_BASE_NAME") or (base or "")[:12])


def write_comment(api: Api, number: int, text: str) -> str:
    """Write the comment or update ours; return which of them was done."""
    ours = next((found for found in api.iterate_items(f"issues/{number}/comments") if is_ours(found)), None)
    if ours is None:
        api.send("POST", f"issues/{number}/comments", {"body": text})
        return "commented"
    # GitHub may return a body with CRLF.
    if ours["body"].replace("\r\n", "\n") == text:
        return "the comment stands as it was"
    api.send("PATCH", f"issues/comments/{ours['id']}", {"body": text})
    return "updated the comment"


def is_ours(found: dict[str, Any]) -> bool:
    """Return whether a bot wrote the comment with our mark; a person's comment is never overwritten."""
    return found["user"]["type"] == "Bot" and found["body"].startswith(MARK)


if __name__ == "__main__":
    sys.exit(main())
