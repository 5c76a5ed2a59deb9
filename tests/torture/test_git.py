"""A history that git does not hand over is never taken for an empty one."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import RunToolgrade
from tests.site.stories import write_atlas

COMMITS = 3


@pytest.fixture
def published(tmp_path: Path, run_toolgrade: RunToolgrade) -> Path:
    """A repository with three commits and the site that was built of it."""
    folder = tmp_path / "repository"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    write_atlas(folder, COMMITS)
    assert run_toolgrade("site", "build", cwd=folder).code == 0
    return folder


def _read_site(folder: Path) -> dict[str, bytes]:
    site = folder / "build/site"
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def _list_report_blobs(folder: Path) -> list[str]:
    command = ["git", "log", "--format=", "--raw", "--no-abbrev", "--", "reports/replay/report.json"]
    lines = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[3] for line in lines if line]


def lose_blob(folder: Path) -> None:
    blob = _list_report_blobs(folder)[-1]
    (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()


def lose_tree(folder: Path) -> None:
    tree = subprocess.run(["git", "rev-parse", "HEAD:reports"], cwd=folder, check=True, capture_output=True, text=True)
    found = tree.stdout.strip()
    (folder / ".git/objects" / found[:2] / found[2:]).unlink()


def damage_head(folder: Path) -> None:
    (folder / ".git/HEAD").write_text("garbage\n")


def damage_config(folder: Path) -> None:
    (folder / ".git/config").write_text("[core\n")


DAMAGES = {"a blob": lose_blob, "a tree": lose_tree, "HEAD": damage_head, "the configuration": damage_config}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_repository_changes_nothing_that_is_published(
    published: Path, run_toolgrade: RunToolgrade, damage: str
) -> None:
    before = _read_site(published)
    DAMAGES[damage](published)
    for options in ((), ("--fresh",)):
        done = run_toolgrade("site", "build", *options, cwd=published)
        assert done.code == 3, done.stderr
        assert "git " in done.stderr
        assert _read_site(published) == before


REFUSING = """#!/bin/sh
echo "fatal: detected dubious ownership in repository at '$PWD'" >&2
exit 128
"""
SILENT = "#!/bin/sh\nexit 0\n"


@pytest.mark.parametrize(
    ("script", "said"), [(REFUSING, "detected dubious ownership"), ("#!/bin/sh\nexit 1\n", "code 1")]
)
def test_a_git_that_refuses_changes_nothing_that_is_published(
    published: Path, run_toolgrade: RunToolgrade, tmp_path: Path, script: str, said: str
) -> None:
    before = _read_site(published)
    done = run_toolgrade("site", "build", cwd=published, env={"PATH": _put_git(tmp_path, script)})
    assert done.code == 3
    assert said in done.stderr
    assert "nothing was changed" in done.stderr
    assert _read_site(published) == before


def _put_git(folder: Path, script: str) -> str:
    (folder / "bin").mkdir()
    (folder / "bin/git").write_text(script)
    (folder / "bin/git").chmod(0o755)
    return f"{folder / 'bin'}:/usr/bin:/bin"


def test_a_git_that_says_nothing_changes_nothing_that_is_published(
    published: Path, run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    before = _read_site(published)
    done = run_toolgrade("site", "build", cwd=published, env={"PATH": _put_git(tmp_path, SILENT)})
    assert done.code in (2, 3)
    assert _read_site(published) == before


def test_a_folder_that_is_no_repository_any_more_changes_nothing(published: Path, run_toolgrade: RunToolgrade) -> None:
    before = _read_site(published)
    shutil.rmtree(published / ".git")
    done = run_toolgrade("site", "build", cwd=published)
    assert done.code == 3
    assert "the site has 3 commits, and no commit with a report was found here" in done.stderr
    assert _read_site(published) == before


def test_a_branch_without_a_commit_is_no_failure(tmp_path: Path, run_toolgrade: RunToolgrade, published: Path) -> None:
    new = tmp_path / "new"
    shutil.copytree(published / "reports", new / "reports")
    subprocess.run(["git", "init", "-q"], cwd=new, check=True)
    done = run_toolgrade("site", "build", cwd=new)
    assert done.code == 0, done.stderr
    index = json.loads((new / "build/site/index.json").read_bytes())
    assert [commit["sha"] for commit in index["commits"]] == ["worktree"]


def test_a_diff_with_a_lost_report_says_what_git_says(published: Path, run_toolgrade: RunToolgrade) -> None:
    lose_blob(published)
    done = run_toolgrade("diff", "HEAD~2", "HEAD", cwd=published)
    assert done.code == 3, done.stderr
    assert "git fsck" in done.stderr
