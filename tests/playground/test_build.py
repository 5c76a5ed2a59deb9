"""The playground is the same world on every machine, and new before every recording."""

import subprocess
from pathlib import Path

import pytest

from playground.build import build

HEAD = "2004c37943c06b9d8061881428d63248bb9e46a2"


def git(repository: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", repository, *args], capture_output=True, text=True, check=True)
    return done.stdout


def files_of(place: Path) -> dict[str, bytes]:
    found = (file for file in sorted(place.rglob("*")) if file.is_file() and ".git" not in file.parts)
    return {file.relative_to(place).as_posix(): file.read_bytes() for file in found}


def test_two_playgrounds_hold_the_same_bytes(tmp_path: Path) -> None:
    build(tmp_path / "one")
    build(tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    assert {"library.db", "notes/harbour.txt", "page/index.html"} <= files_of(tmp_path / "one").keys()


def test_commits_have_the_same_ids_whoever_makes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[commit]\n  gpgSign = true\n[init]\n  defaultBranch = trunk\n")
    build(tmp_path / "place")
    assert git(tmp_path / "place/diary", "rev-parse", "main").strip() == HEAD


def test_the_diary_has_work_that_is_not_committed(tmp_path: Path) -> None:
    build(tmp_path / "place")
    assert git(tmp_path / "place/diary", "status", "--short") == " M monday.md\n?? thursday.md\n"


def test_nothing_that_was_written_there_survives(tmp_path: Path) -> None:
    build(tmp_path / "place")
    (tmp_path / "place/notes/harbour.txt").write_text("overwritten")
    (tmp_path / "place/notes/new.txt").write_text("left behind")
    build(tmp_path / "place")
    assert "overwritten" not in (tmp_path / "place/notes/harbour.txt").read_text()
    assert not (tmp_path / "place/notes/new.txt").exists()
