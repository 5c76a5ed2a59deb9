"""Proposes new recordings: commits the changes of a live run to a branch and opens or updates its pull request."""

import os
import subprocess
import sys
from pathlib import Path

from github_api import Api, ApiError

BRANCH = "toolgrade/recordings"
TITLE = "Record the suites again"
EMAIL = "41898282+github-actions[bot]@users.noreply.github.com"
AUTHOR = ("-c", "user.name=github-actions[bot]", "-c", f"user.email={EMAIL}")


def main() -> int:
    """Propose the changes, if there are any; return 1 if that fails."""
    paths = os.environ.get("TOOLGRADE_PATHS", "cassettes reports").split()
    target = os.environ["GITHUB_REF_NAME"]
    try:
        run_git("add", "--all", "--", *[path for path in paths if Path(path).exists()])
        if not run_git("diff", "--cached", "--name-only"):
            print("the recordings are as they were: nothing to propose")
            return 0
        run_git("checkout", "--quiet", "-B", BRANCH)
        run_git(*AUTHOR, "commit", "--quiet", "-m", TITLE)
        # The branch belongs to this action alone and always holds one commit on top of the target.
        run_git("push", "--quiet", "--force", "origin", BRANCH)
        print(propose(Api.from_environment(), target, read_summary()))
    except (ApiError, subprocess.CalledProcessError) as error:
        print(f"nothing was proposed: {error}", file=sys.stderr)
        return 1
    return 0


def propose(api: Api, target: str, text: str) -> str:
    """Open the pull request, or update the text of the one that is open; return its address."""
    owner = os.environ["GITHUB_REPOSITORY"].partition("/")[0]
    opened = next(api.iterate_items("pulls", state="open", head=f"{owner}:{BRANCH}", base=target), None)
    if opened is None:
        made = api.send("POST", "pulls", {"title": TITLE, "head": BRANCH, "base": target, "body": text})
        return f"opened {made['html_url']}"
    api.send("PATCH", f"pulls/{opened['number']}", {"body": text})
    return f"updated {opened['html_url']}"


def read_summary() -> str:
    """Return the Markdown summary that `toolgrade run --markdown` wrote."""
    file = Path(os.environ.get("TOOLGRADE_SUMMARY") or "summary.md")
    return file.read_text(encoding="utf-8") if file.exists() else "The tools or the answers changed.\n"


def run_git(*arguments: str) -> str:
    """Run git and return its output; raise `CalledProcessError` if it fails."""
    done = subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603, S607 - argv
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
