"""A site is whole, the same bytes for the same history, and grows by what is new alone."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tests.site.links import broken_links, pages
from tests.site.stories import Chapter, Told, atlas, commit_reports, git, report_of, write_atlas
from toolgrade.foundations.fault import BadInput
from toolgrade.site.build import SiteBuildResult, SiteOptions, build_site
from toolgrade.site.history.folder_history import FolderHistory
from toolgrade.site.history.git_history import GitHistory
from toolgrade.site.report.report_model import Report


def build(repository: Path, out: Path, keep: int = 20) -> SiteBuildResult:
    with GitHistory(repository) as history:
        return build_site(history, out, SiteOptions(keep=keep))


def digests(site: Path) -> dict[str, str]:
    return {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(site.rglob("*"))
        if path.is_file()
    }


def small(name: str = "one", calls: tuple[str, ...] = ("a.x",), tests: int = 1) -> Report:
    """A report of a suite `s` with some tests of one run."""
    told = [Told(f"{name}-{index}", {"x": ("a.x",)}, [list(calls)]) for index in range(tests)]
    return report_of([Chapter("s", told)])


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("atlas")
    write_atlas(folder)
    return folder


@pytest.fixture(scope="module")
def site(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "site"
    build(repository, out)
    return out


def shas(site: Path) -> list[str]:
    return [commit["sha"] for commit in json.loads((site / "index.json").read_bytes())["commits"]]


def test_every_address_of_the_design_is_there(site: Path) -> None:
    latest = f"c/{shas(site)[0]}"
    places = ["index.html", "history.html", "grading.html", "commits.js", "index.json", "badge.svg", "badge.json"]
    places += [
        f"{latest}/{name}" for name in ("index.html", "compare.html", "report.json", "research-agent/index.html")
    ]
    places += [f"{latest}/research-agent/quote-quarterly-revenue.html", "badge/support-desk.svg", "latest/report.json"]
    places += ["latest/index.html", "latest/research-agent/index.html"]
    assert [place for place in places if not (site / place).is_file()] == []


def test_every_link_and_anchor_resolves(site: Path) -> None:
    assert broken_links(site) == []


def test_the_overview_says_what_moved_and_why(site: Path) -> None:
    text = " ".join("".join(pages(site)["index.html"].texts).split())
    assert "5 of 14 gates failing" in text
    assert "Down 13 points since the commit before: fetch is now missed in 4 tests of research-agent" in text
    assert "with shell.exec called in the same runs." in text


def test_a_page_says_of_which_commit_its_live_figures_are(site: Path) -> None:
    text = "".join(pages(site)[f"c/{shas(site)[0]}/research-agent/index.html"].texts)
    assert f"live run of {shas(site)[1][:7]}" in " ".join(text.split())


def test_the_report_of_a_commit_is_there_byte_for_byte(site: Path, repository: Path) -> None:
    for sha in shas(site):
        committed = subprocess.run(
            ["git", "show", f"{sha}:reports/replay/report.json"], cwd=repository, capture_output=True, check=True
        )
        assert (site / f"c/{sha}/report.json").read_bytes() == committed.stdout


def test_every_page_has_a_policy_and_neither_inline_script_nor_style_nor_handler(site: Path) -> None:
    for name, page in pages(site).items():
        policies = [
            value for key, value in page.attributes if key == "content" and value.startswith("default-src 'none'")
        ]
        assert len(policies) == 1, name
        assert "style" not in page.tags, name
        assert not [key for key, _ in page.attributes if key == "style" or key.startswith("on")], name
        assert page.tags.count("script") in (0, 2), name


def test_two_builds_are_the_same_bytes_whatever_the_folder_seed_zone_and_locale(
    repository: Path, site: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(repository, copy)
    env = {**os.environ, "PYTHONHASHSEED": "42", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "toolgrade", "site", "build", "--out", "deep/er/site"]
    subprocess.run(command, cwd=copy, env=env, check=True, capture_output=True, timeout=120)
    assert digests(copy / "deep/er/site") == digests(site)


def test_adding_a_commit_leaves_every_older_page_as_it_was(tmp_path: Path) -> None:
    write_atlas(tmp_path / "r", commits=3)
    build(tmp_path / "r", tmp_path / "site")
    before = digests(tmp_path / "site")
    commit_reports(tmp_path / "r", "another", report_of(atlas(4)), day=20)
    built = build(tmp_path / "r", tmp_path / "site")
    after = digests(tmp_path / "site")
    assert built.written == 1
    assert {path for path in before if path.startswith("c/") and before[path] != after[path]} == set()
    changed = {path for path in before if before[path] != after.get(path)}
    mutable = ("index.", "history.html", "grading.html", "commits.js", "badge", "latest/")
    assert [path for path in changed if not path.startswith(mutable)] == []
    assert broken_links(tmp_path / "site") == []


def test_a_site_that_grew_is_the_same_as_one_built_at_once(tmp_path: Path) -> None:
    for index in range(4):
        commit_reports(tmp_path / "r", f"commit {index}", small(calls=("a.x",) * (index % 2), tests=3), day=index + 1)
        build(tmp_path / "r", tmp_path / "grown", keep=2)
    build(tmp_path / "r", tmp_path / "whole", keep=2)
    assert digests(tmp_path / "grown") == digests(tmp_path / "whole")


def test_nothing_is_written_again_where_nothing_is_new(tmp_path: Path) -> None:
    write_atlas(tmp_path / "r", commits=2)
    build(tmp_path / "r", tmp_path / "site")
    before = digests(tmp_path / "site")
    assert build(tmp_path / "r", tmp_path / "site").written == 0
    assert digests(tmp_path / "site") == before


def test_a_folder_that_somebody_removed_is_written_again(tmp_path: Path) -> None:
    first, _ = write_atlas(tmp_path / "r", commits=2)
    build(tmp_path / "r", tmp_path / "site")
    shutil.rmtree(tmp_path / f"site/c/{first}")
    assert build(tmp_path / "r", tmp_path / "site").written == 1
    assert broken_links(tmp_path / "site") == []


def test_old_commits_lose_their_test_pages_and_keep_the_rest(tmp_path: Path) -> None:
    write_atlas(tmp_path / "r")
    build(tmp_path / "r", tmp_path / "site", keep=2)
    latest, old = shas(tmp_path / "site")[0], shas(tmp_path / "site")[-1]
    assert (tmp_path / f"site/c/{latest}/research-agent/answer-from-pdf.html").is_file()
    assert sorted(path.name for path in (tmp_path / f"site/c/{old}/research-agent").iterdir()) == ["index.html"]
    assert (tmp_path / f"site/c/{old}/report.json").is_file()
    assert broken_links(tmp_path / "site") == []


def test_reports_that_are_not_committed_yet_have_a_page_that_goes_when_they_are(tmp_path: Path) -> None:
    commit_reports(tmp_path / "r", "first", small())
    (tmp_path / "r/reports/replay/report.json").write_bytes(msgspec.json.encode(small(calls=("a.y",))))
    build(tmp_path / "r", tmp_path / "site")
    assert shas(tmp_path / "site")[0] == "worktree"
    assert broken_links(tmp_path / "site") == []
    git(tmp_path / "r", "commit", "-aqm", "second", day=2)
    build(tmp_path / "r", tmp_path / "site")
    assert len(shas(tmp_path / "site")) == 2
    assert not (tmp_path / "site/c/worktree").exists()
    assert broken_links(tmp_path / "site") == []


def test_a_folder_without_git_shows_the_report_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "r/reports/replay/report.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(msgspec.json.encode(small()))
    build(tmp_path / "r", tmp_path / "site")
    assert shas(tmp_path / "site") == ["worktree"]
    assert broken_links(tmp_path / "site") == []


def test_a_shallow_clone_gives_a_page_that_says_so(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "clone")
    build(tmp_path / "clone", tmp_path / "site")
    assert len(shas(tmp_path / "site")) == 1
    assert "shallow clone" in "".join(pages(tmp_path / "site")["history.html"].texts)
    assert broken_links(tmp_path / "site") == []


def test_a_rewritten_history_replaces_the_commits_it_lost(tmp_path: Path) -> None:
    write_atlas(tmp_path / "r", commits=4)
    build(tmp_path / "r", tmp_path / "site")
    git(tmp_path / "r", "reset", "-q", "--hard", "HEAD~2")
    commit_reports(tmp_path / "r", "another way", report_of(atlas(4)), day=25)
    lost = shas(tmp_path / "site")[0]
    build(tmp_path / "r", tmp_path / "site")
    assert not (tmp_path / f"site/c/{lost}").exists()
    assert len(shas(tmp_path / "site")) == 3
    assert broken_links(tmp_path / "site") == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"<<<<<<< HEAD\n",
        b'{"schema": "toolgrade.report/9"}',
        b'{"schema": "toolgrade.report/0"}',
        b"\xff\xfe",
    ],
    ids=["empty", "cut", "conflict", "newer", "older", "binary"],
)
def test_a_report_that_cannot_be_read_has_a_page_that_says_why(data: bytes, tmp_path: Path) -> None:
    commit_reports(tmp_path / "r", "good", small())
    commit_reports(tmp_path / "r", "bad", data, day=2)
    build(tmp_path / "r", tmp_path / "bad-last")
    assert "cannot be read" in "".join(pages(tmp_path / "bad-last")["index.html"].texts)
    assert broken_links(tmp_path / "bad-last") == []
    commit_reports(tmp_path / "r", "good again", small(calls=()), day=3)
    build(tmp_path / "r", tmp_path / "site")
    first, _, last = shas(tmp_path / "site")[::-1]
    assert first[:7] in "".join(pages(tmp_path / "site")[f"c/{last}/compare.html"].texts)
    assert broken_links(tmp_path / "site") == []


def test_a_commit_that_deletes_the_reports_is_stepped_over(tmp_path: Path) -> None:
    first = commit_reports(tmp_path / "r", "first", small())
    git(tmp_path / "r", "rm", "-q", "reports/replay/report.json")
    git(tmp_path / "r", "commit", "-qm", "gone", day=2)
    last = commit_reports(tmp_path / "r", "back", small(calls=()), day=3)
    build(tmp_path / "r", tmp_path / "site")
    assert shas(tmp_path / "site") == [last, first]
    assert (tmp_path / f"site/c/{last}/compare.html").is_file()


def test_no_report_anywhere_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no report is committed here") as error:
        build(tmp_path, tmp_path / "site")
    assert error.value.help == "`toolgrade run` writes one"
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("name", ["build.py", "notes.txt"])
def test_a_folder_with_other_files_is_refused_and_left_alone(name: str, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / name).write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match=r"Python files|not empty"):
        build(repository, tmp_path / "site")
    assert [path.name for path in (tmp_path / "site").iterdir()] == [name]


def test_a_folder_of_reports_is_a_history_too(tmp_path: Path) -> None:
    for day, name in enumerate(("zeta", "alpha", "mid"), start=1):
        folder = tmp_path / "reports" / name
        folder.mkdir(parents=True)
        (folder / "report.json").write_bytes(msgspec.json.encode(small(calls=("a.x",) * (day % 2))))
        run = {"commit": f"{day}" * 40, "started": f"2026-11-0{day}T10:00:00+00:00", "branch": "main"}
        (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    with FolderHistory(tmp_path / "reports") as history:
        build_site(history, tmp_path / "site")
    assert [sha[0] for sha in shas(tmp_path / "site")] == ["3", "2", "1"]
    assert broken_links(tmp_path / "site") == []


def test_a_killed_build_leaves_a_site_that_is_whole(tmp_path: Path) -> None:
    """Killed at several moments: no link is broken, no page torn, and the next build ends as if nothing had been."""
    write_atlas(tmp_path / "r", commits=2)
    build(tmp_path / "r", tmp_path / "r/build/site")
    before = digests(tmp_path / "r/build/site")
    write_atlas_tail(tmp_path / "r")
    build(tmp_path / "r", tmp_path / "whole")
    whole = digests(tmp_path / "whole")
    command = [sys.executable, "-m", "toolgrade", "site", "build"]
    for delay in (0.3, 0.6, 0.8, 1.0, 1.3):
        process = subprocess.Popen(command, cwd=tmp_path / "r", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = digests(tmp_path / "r/build/site")
        assert broken_links(tmp_path / "r/build/site") == []
        assert {path for path in before if after[path] not in (before[path], whole.get(path))} == set()
    build(tmp_path / "r", tmp_path / "r/build/site")
    assert digests(tmp_path / "r/build/site") == whole


def write_atlas_tail(repository: Path) -> None:
    for index in (2, 3, 4):
        commit_reports(repository, f"commit {index}", report_of(atlas(index)), day=20 + index)


def test_a_full_disk_leaves_the_site_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mkdocs import utils

    from toolgrade.foundations.fault import Fault

    write_atlas(tmp_path / "r", commits=2)
    build(tmp_path / "r", tmp_path / "out/site")
    before = digests(tmp_path / "out")
    write_atlas_tail(tmp_path / "r")
    written = 0
    original = utils.write_file

    def fill(content: bytes, path: str) -> None:
        nonlocal written
        written += 1
        if written > 10:
            raise OSError(28, "No space left on device")
        original(content, path)

    monkeypatch.setattr(utils, "write_file", fill)
    with pytest.raises(Fault, match="No space left on device"):
        build(tmp_path / "r", tmp_path / "out/site")
    assert digests(tmp_path / "out") == before
