"""Where and when a run was made. run.json holds it; report.json does not, as it must not vary between equal runs."""

import platform
import shutil
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# On a slow file system `git status` may take minutes; a finished run does not wait for a remark about it.
_GIT_TIMEOUT_S = 10
_PACKAGES = ("toolgrade", "click", "jsonschema-rs", "msgspec", "pydantic", "pydantic-ai-slim", "PyYAML", "rfc8785")


def collect_provenance(
    folder: Path, started: datetime, finished: datetime, seconds: float, is_dirty: bool | None = None
) -> dict[str, Any]:
    """Return the commit, the times and the versions of a run. No process is started: git's own files are read."""
    return {
        "schema": "toolgrade.run/1",
        **read_git_head(folder),
        **({} if is_dirty is None else {"dirty": is_dirty}),
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "finished": finished.astimezone(UTC).isoformat(timespec="seconds"),
        "duration_s": round(max(seconds, 0.0), 3),
        "python": platform.python_version(),
        "platform": _describe_platform(),
        "versions": {name: found for name in _PACKAGES if (found := _find_version(name))},
    }


def has_changes(folder: Path) -> bool | None:
    """Return whether tracked files were changed, or None outside a repository. It starts git: a replay never asks."""
    git = shutil.which("git")
    if git is None:
        return None
    command = [git, "status", "--porcelain", "--untracked-files=no"]
    try:
        done = subprocess.run(  # noqa: S603 - argv, no shell
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_GIT_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return bool(done.stdout) if done.returncode == 0 else None


def _describe_platform() -> str:
    # platform.platform() asks for the processor, too, and starts `uname -p` for it.
    system = platform.uname()
    return f"{system.system}-{system.release}-{system.machine}"


def read_git_head(folder: Path) -> dict[str, str]:
    """Return the commit and the branch that are checked out, or nothing outside a repository."""
    git = next((parent / ".git" for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)
    if git is None:
        return {}
    # In a worktree or a submodule `.git` is a file that names the real folder.
    if git.is_file():
        git = (git.parent / _read_text(git).removeprefix("gitdir:").strip()).resolve()
    head = _read_text(git / "HEAD")
    if not head.startswith("ref: "):
        return {"commit": head} if head else {}
    ref = head.removeprefix("ref: ")
    branch = {"branch": ref.removeprefix("refs/heads/")}
    # A branch is a file of its own, in the folder shared by all worktrees, or a line of packed-refs after `git gc`.
    commit = (
        _read_text(git / ref)
        or _read_text(_find_common_folder(git) / ref)
        or _find_packed_commit(_find_common_folder(git), ref)
    )
    return {**branch, "commit": commit} if commit else branch


def _find_common_folder(git: Path) -> Path:
    shared = _read_text(git / "commondir")
    return (git / shared).resolve() if shared else git


def _find_packed_commit(git: Path, ref: str) -> str:
    lines = _read_text(git / "packed-refs").splitlines()
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {ref}")), "")


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _find_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
