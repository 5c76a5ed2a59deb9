"""Where a run was made is read from git's own files."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

from toolgrade.runners.provenance import collect_provenance, has_changes, read_git_head

COMMIT = "a" * 40


def test_the_commit_is_found_loose_packed_detached_and_in_a_worktree(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    (git / "refs/heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    assert read_git_head(tmp_path / "below") == {"branch": "main"}
    (git / "packed-refs").write_text(f"# pack-refs\n{COMMIT} refs/heads/main\n")
    assert read_git_head(tmp_path) == {"branch": "main", "commit": COMMIT}
    (git / "refs/heads/main").write_text("b" * 40 + "\n")
    assert read_git_head(tmp_path)["commit"] == "b" * 40
    (git / "HEAD").write_text(COMMIT)
    assert read_git_head(tmp_path) == {"commit": COMMIT}


def test_a_git_file_that_is_no_text_is_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"\xff\xfe")
    assert "commit" not in read_git_head(tmp_path)


def test_a_clock_that_went_back_gives_no_negative_duration(tmp_path: Path) -> None:
    now = datetime(2028, 2, 29, tzinfo=UTC)
    assert collect_provenance(tmp_path, now, now, -3600.0)["duration_s"] == 0.0


def test_a_changed_file_makes_a_live_run_dirty_and_a_replay_does_not_ask(tmp_path: Path) -> None:
    assert has_changes(tmp_path) is None
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    (tmp_path / "file").write_text("old")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True)
    assert has_changes(tmp_path) is False
    (tmp_path / "untracked").write_text("")
    assert has_changes(tmp_path) is False
    (tmp_path / "file").write_text("new")
    assert has_changes(tmp_path) is True
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert collect_provenance(tmp_path, now, now, 1.0, is_dirty=True)["dirty"] is True
    assert "dirty" not in collect_provenance(tmp_path, now, now, 1.0)
