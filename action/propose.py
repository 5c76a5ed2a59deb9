"""Propose new recordings: commit what a live run changed to a branch, and open or update its pull request."""

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
    """0 where there is nothing to propose, or the pull request stands."""
    paths = os.environ.get("TOOLGRADE_PATHS", "cassettes reports").split()
    target = os.environ["GITHUB_REF_NAME"]
    try:
        git("add", "--all", "--", *[path for path in paths if Path(path).exists()])
        if not git("diff", "--cached", "--name-only"):
            print("the recordings are as they were: nothing to propose")
            return 0
        git("checkout", "--quiet", "-B", BRANCH)
        git(*AUTHOR, "commit", "--quiet", "-m", TITLE)
        git("push", "--quiet", "--force", "origin", BRANCH)
        print(propose(Api.from_environment(), target, summary()))
    except (ApiError, subprocess.CalledProcessError) as error:
        print(f"nothing was proposed: {error}", file=sys.stderr)
        return 1
    return 0


def propose(api: Api, target: str, text: str) -> str:
    """Open the pull request, or rewrite what the open one says."""
    owner = os.environ["GITHUB_REPOSITORY"].partition("/")[0]
    opened = next(api.items("pulls", state="open", head=f"{owner}:{BRANCH}", base=target), None)
    if opened is None:
        made = api.send("POST", "pulls", {"title": TITLE, "head": BRANCH, "base": target, "body": text})
        return f"opened {made['html_url']}"
    api.send("PATCH", f"pulls/{opened['number']}", {"body": text})
    return f"updated {opened['html_url']}"


def summary() -> str:
    """What the live run found, as `toolgrade run --markdown` wrote it."""
    file = Path(os.environ.get("TOOLGRADE_SUMMARY") or "summary.md")
    return file.read_text(encoding="utf-8") if file.exists() else "The tools or the answers changed.\n"


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603, S607 - argv
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
