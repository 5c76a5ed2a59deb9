"""The action's main step: replays the cassettes, compares with the base, and writes the files that GitHub reads.

It needs no secret and opens no connection, except that git fetches the one commit to compare with.
"""

import os
import subprocess
import sys
from pathlib import Path

from event import find_base_commit, read_event
from msgspec import UnsetType

from toolgrade import Fault, load_report

STATUSES = {0: "passed", 1: "failed"}


def main() -> int:
    """Replay, publish the results, and return the exit code of `toolgrade run`."""
    out = Path(os.environ.get("TOOLGRADE_OUT") or "toolgrade-report")
    out.mkdir(parents=True, exist_ok=True)
    base = fetch_commit(os.environ.get("TOOLGRADE_BASE") or find_base_commit(read_event()))
    code = subprocess.run(make_command(out, base), check=False).returncode  # noqa: S603 - argv, no shell
    summary = out / "summary.md"
    if summary.exists():
        append_to_file("GITHUB_STEP_SUMMARY", summary.read_text(encoding="utf-8"))
    append_to_file("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in collect_outputs(code, out).items()))
    return code


def make_command(out: Path, base: str | None) -> list[str]:
    """Return the command; `TOOLGRADE_SUITES` may name several files or folders."""
    cassettes = os.environ.get("TOOLGRADE_CASSETTES") or "cassettes"
    files = ["--out", str(out), "--junit", str(out / "junit.xml"), "--markdown", str(out / "summary.md")]
    compared = ["--base", base] if base else []
    suites = os.environ.get("TOOLGRADE_SUITES", "").split()
    options = ["--format", "github", "--cassettes", cassettes, *files, *compared]
    # -P: the working folder is the checkout of a pull request, and no module is imported from it.
    return [sys.executable, "-P", "-m", "toolgrade", "run", *options, "--", *suites]


def fetch_commit(commit: str | None) -> str | None:
    """Return the commit if git has it or can fetch it, else None: a comparison is optional."""
    if commit is None or has_git("cat-file", "-e", f"{commit}^{{commit}}"):
        return commit
    # actions/checkout makes a shallow clone, so the base commit is usually missing.
    if has_git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit):
        return commit
    print(f"nothing to compare with: git could not fetch {commit}", file=sys.stderr)
    return None


def has_git(*arguments: str) -> bool:
    """Return whether this git command succeeds."""
    return subprocess.run(["git", *arguments], check=False, capture_output=True).returncode == 0  # noqa: S603, S607 - argv


def collect_outputs(code: int, out: Path) -> dict[str, str | int]:
    """Return the values for later steps; grade and F1 only if everything ran and a gate is graded."""
    found: dict[str, str | int] = {"status": STATUSES.get(code, "error"), "code": code}
    try:
        summary = load_report(str(out)).summary
    except Fault:
        return found
    if not isinstance(summary.selection, UnsetType):
        found |= {"grade": str(summary.grade), "f1": summary.selection.f1}
    return found


def append_to_file(variable: str, text: str) -> None:
    """Append to one of the files that the runner reads after a step."""
    if os.environ.get(variable):
        with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
