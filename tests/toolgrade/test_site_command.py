"""`toolgrade site`: what it prints, where it writes, and what it refuses."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.conftest import RunToolgrade
from tests.site.stories import git, write_atlas


def test_building_prints_the_first_page_and_then_only_what_is_new(tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    shas = write_atlas(tmp_path, commits=2)
    done = run_toolgrade("site", "build")
    assert (done.code, done.stdout) == (0, "build/site/index.html\n")
    progress = [f"{sha[:7]} ({number} of 2)" for number, sha in enumerate(shas, start=1)]
    assert done.stderr.splitlines()[:2] == progress
    assert done.stderr.splitlines()[2].startswith("2 commits: all written; ")
    again = run_toolgrade("site", "build")
    assert again.code == 0
    assert again.stderr.startswith("2 commits: 0 written, the rest as it was; ")


def test_a_folder_with_python_in_it_is_refused(tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    write_atlas(tmp_path, commits=1)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/build.py").write_text("", encoding="utf-8")
    done = run_toolgrade("site", "build", "--out", "site")
    assert (done.code, done.stdout) == (2, "")
    assert (
        done.stderr
        == "toolgrade: site: this folder holds Python files\n  give another with --out, such as build/site\n"
    )


def test_without_a_report_it_says_what_writes_one(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("site", "build")
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.endswith("none is on disk\n  `toolgrade run` writes one\n")


def test_a_folder_of_reports_that_is_none_is_an_error(tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "absent"):
        done = run_toolgrade("site", "build", "--reports", name)
        assert done.code == 2
        assert "--reports takes a folder with a folder for each commit" in done.stderr


def test_a_shallow_clone_is_told_how_to_get_the_rest(tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    write_atlas(tmp_path / "r", commits=2)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tmp_path / 'r'}", "clone")
    done = run_toolgrade("site", "build", cwd=tmp_path / "clone")
    assert done.code == 0
    assert "this is a shallow clone: older commits are not in it; `git fetch --unshallow` gets them" in done.stderr


def test_serving_shows_the_site_on_loopback_until_interrupted(tmp_path: Path) -> None:
    write_atlas(tmp_path, commits=1)
    command = [sys.executable, "-u", "-m", "toolgrade", "site", "serve", "--port", "0"]
    env = {**os.environ, "NO_COLOR": "1"}
    with subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            address = next(line for line in process.stderr if line.startswith("serving ")).split()[1]
            assert address.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(address, timeout=20) as answer:
                assert b"Tool selection F1" in answer.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 130
        finally:
            process.kill()
