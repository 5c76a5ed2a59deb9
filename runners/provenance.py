"""Where and when a run was made: what run.json holds, and report.json never does."""

import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("toolgrade", "click", "jsonschema-rs", "msgspec", "pydantic", "PyYAML", "rfc8785")


def provenance(folder: Path, started: datetime, finished: datetime, seconds: float) -> dict[str, Any]:
    """Commit, times and versions. No process is started: git's own files are read, which do not say if it is dirty."""
    return {
        "schema": "toolgrade.run/1",
        **git_head(folder),
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "finished": finished.astimezone(UTC).isoformat(timespec="seconds"),
        "duration_s": round(max(seconds, 0.0), 3),
        "python": platform.python_version(),
        "platform": _platform(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _platform() -> str:
    # platform.platform() asks for the processor, too, and starts `uname -p` for it.
    found = platform.uname()
    return f"{found.system}-{found.release}-{found.machine}"


def git_head(folder: Path) -> dict[str, str]:
    """The commit and branch that are checked out, where the folder is in a repository."""
    git = next((parent / ".git" for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)
    if git is None:
        return {}
    if git.is_file():
        git = (git.parent / _text(git).removeprefix("gitdir:").strip()).resolve()
    head = _text(git / "HEAD")
    if not head.startswith("ref: "):
        return {"commit": head} if head else {}
    ref = head.removeprefix("ref: ")
    found = {"branch": ref.removeprefix("refs/heads/")}
    commit = _text(git / ref) or _text(_common(git) / ref) or _packed(_common(git), ref)
    return {**found, "commit": commit} if commit else found


def _common(git: Path) -> Path:
    shared = _text(git / "commondir")
    return (git / shared).resolve() if shared else git


def _packed(git: Path, ref: str) -> str:
    lines = _text(git / "packed-refs").splitlines()
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {ref}")), "")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
