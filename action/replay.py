"""The action's main step: replay the cassettes, compare with the base, and leave everything where GitHub looks for it.

Needs no secret and opens no connection, except that git fetches the one commit to compare with.
"""

import os
import subprocess
import sys
from pathlib import Path

from event import base_commit, read_event
from msgspec import UnsetType

from toolgrade import Fault, load_report

STATUSES = {0: "passed", 1: "failed"}


def main() -> int:
    """The exit code of `toolgrade run`."""
    out = Path(os.environ.get("TOOLGRADE_OUT") or "toolgrade-report")
    out.mkdir(parents=True, exist_ok=True)
    base = fetched(os.environ.get("TOOLGRADE_BASE") or base_commit(read_event()))
    code = subprocess.run(command(out, base), check=False).returncode  # noqa: S603 - argv, no shell
    summary = out / "summary.md"
    if summary.exists():
        append("GITHUB_STEP_SUMMARY", summary.read_text(encoding="utf-8"))
    append("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in outputs(code, out).items()))
    return code


def command(out: Path, base: str | None) -> list[str]:
    """What is run; the suites may be several words."""
    cassettes = os.environ.get("TOOLGRADE_CASSETTES") or "cassettes"
    files = ["--out", str(out), "--junit", str(out / "junit.xml"), "--markdown", str(out / "summary.md")]
    compared = ["--base", base] if base else []
    suites = os.environ.get("TOOLGRADE_SUITES", "").split()
    options = ["--format", "github", "--cassettes", cassettes, *files, *compared]
    # -P: the working folder is the checkout of a pull request, and no module is imported from it.
    return [sys.executable, "-P", "-m", "toolgrade", "run", *options, "--", *suites]


def fetched(commit: str | None) -> str | None:
    """The commit, once git has it; without it there is nothing to compare with, and that is no failure."""
    if commit is None or has_git("cat-file", "-e", f"{commit}^{{commit}}"):
        return commit
    if has_git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit):
        return commit
    print(f"nothing to compare with: git could not fetch {commit}", file=sys.stderr)
    return None


def has_git(*arguments: str) -> bool:
    """Whether git did as it was told."""
    return subprocess.run(["git", *arguments], check=False, capture_output=True).returncode == 0  # noqa: S603, S607 - argv


def outputs(code: int, out: Path) -> dict[str, str | int]:
    """What later steps can ask for; grade and F1 only where everything ran and a gate has them."""
    found: dict[str, str | int] = {"status": STATUSES.get(code, "error"), "code": code}
    try:
        summary = load_report(str(out)).summary
    except Fault:
        return found
    if not isinstance(summary.selection, UnsetType):
        found |= {"grade": str(summary.grade), "f1": summary.selection.f1}
    return found


def append(variable: str, text: str) -> None:
    """Add to one of the files that the runner reads after a step."""
    if os.environ.get(variable):
        with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
