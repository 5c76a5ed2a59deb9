"""The action's own steps, as action.yml has them, run in bash with the files and the API that a runner would give."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.action.github_server import REPOSITORY, Forge, comment, serving
from tests.conftest import Finished
from tests.hostile import make_hostile
from tests.recordings import CALLS, SHOP, make_shop, record_all, write_suite

ACTION = Path(__file__).parent.parent.parent / "action"
FAILING = SHOP.replace('">=": 40', '">=": 80')
FETCHING = [*CALLS, {"server": "docs", "name": "fetch"}]
MARK = "<!-- toolgrade -->\n"
SECRETS = ("TOKEN", "KEY", "SECRET")


def step(name: str, action: str = ".") -> dict[str, Any]:
    manifest = yaml.safe_load((ACTION / action / "action.yml").read_text(encoding="utf-8"))
    (found,) = [step for step in manifest["runs"]["steps"] if step["name"] == name]
    return found


@dataclass
class Runner:
    """A checkout and what GitHub's runner sets around a step."""

    folder: Path
    forge: Forge
    event: dict[str, Any] = field(default_factory=dict[str, Any])

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def run(self, name: str, action: str = ".", **inputs: str) -> Finished:
        """Run a step of the action: its command as written, its variables from `inputs`."""
        found = step(name, action)
        assert set(inputs) <= set(found["env"]), "the step does not pass these on"
        files = {variable: str(self.file(variable)) for variable in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        (self.folder.parent / "event.json").write_text(json.dumps(self.event), encoding="utf-8")
        kept = {key: value for key, value in os.environ.items() if not any(word in key for word in SECRETS)}
        env = {
            **kept,
            **files,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GITHUB_ACTION_PATH": str(ACTION / action),
            "GITHUB_API_URL": self.forge.address,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REF_NAME": "main",
            "GITHUB_EVENT_PATH": str(self.folder.parent / "event.json"),
            "GITHUB_WORKSPACE": str(self.folder),
            **inputs,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]]
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, check=False, timeout=120
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def file(self, variable: str) -> Path:
        return self.folder.parent / variable

    def written(self, variable: str) -> str:
        return self.file(variable).read_text(encoding="utf-8")


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    with serving() as forge:
        (tmp_path / "checkout").mkdir()
        runner = Runner(tmp_path / "checkout", forge)
        runner.git("init", "-q")
        yield runner


def regressed(runner: Runner) -> str:
    """A base whose committed report passes, and a change that makes it fail; the commit of the base."""
    record_all(runner.folder, write_suite(runner.folder, FAILING), tool_calls=FETCHING)
    subprocess.run([sys.executable, "-m", "toolgrade", "run", "-q"], cwd=runner.folder, check=True)
    base = runner.commit("base")
    record_all(runner.folder, write_suite(runner.folder, FAILING))
    runner.commit("change")
    runner.event = {"pull_request": {"number": 5, "base": {"sha": base}}}
    return base


def test_a_replay_compares_with_the_base_and_fails_the_job(runner: Runner) -> None:
    regressed(runner)
    done = runner.run("Replay")
    assert done.code == 1
    assert done.stdout.startswith("::error file=suites/shop.yml,line=10,")
    assert runner.written("GITHUB_OUTPUT") == "status=failed\ncode=1\ngrade=F\nf1=50\n"
    summary = runner.written("GITHUB_STEP_SUMMARY")
    assert "3 tests: 2 within noise, 1 unchanged" in summary
    names = [file.name for file in (runner.folder / "toolgrade-report").iterdir()]
    assert {"junit.xml", "report.json", "summary.md"} <= set(names)


def test_a_replay_that_passes_needs_no_secret_and_no_api(runner: Runner) -> None:
    make_shop(runner.folder)
    runner.event = {"before": "0" * 40}
    done = runner.run("Replay")
    assert (done.code, runner.forge.tokens) == (0, set())
    assert runner.written("GITHUB_OUTPUT").startswith("status=passed\ncode=0\n")


def test_the_base_is_fetched_into_a_shallow_checkout(runner: Runner, tmp_path: Path) -> None:
    base = regressed(runner)
    runner.git("config", "uploadpack.allowAnySHA1InWant", "true")
    shallow = tmp_path / "shallow"
    runner.git("clone", "-q", "--depth=1", f"file://{runner.folder}", str(shallow))
    there = Runner(shallow, runner.forge, runner.event)
    there.run("Replay")
    assert f"**Against `{base}`:**" in there.written("GITHUB_STEP_SUMMARY")


def test_a_base_that_cannot_be_had_is_no_failure(runner: Runner) -> None:
    make_shop(runner.folder)
    runner.event = {"pull_request": {"number": 5, "base": {"sha": "a" * 40}}}
    done = runner.run("Replay")
    assert (done.code, "nothing to compare with: git could not fetch" in done.stderr) == (0, True)


def test_a_missing_cassette_is_an_error_with_a_summary(runner: Runner) -> None:
    write_suite(runner.folder)
    assert runner.run("Replay").code == 4
    assert runner.written("GITHUB_OUTPUT") == "status=error\ncode=4\n"
    assert "not recorded yet" in runner.written("GITHUB_STEP_SUMMARY")


def test_it_comments_once_and_then_updates(runner: Runner) -> None:
    regressed(runner)
    runner.forge.comments = [comment(5, f"{MARK}mine, says a person", 901, "User"), comment(6, f"{MARK}other", 902)]
    runner.run("Replay")
    first = runner.run("Comment", GITHUB_TOKEN="t0ken", TOOLGRADE_BASE_NAME="main")
    assert (first.code, first.stdout) == (0, "commented\n")
    made = runner.forge.comments[-1]
    assert made["body"].startswith(f"{MARK}### toolgrade: failed\n")
    assert "**Against `main`:** grade `B` → `F`" in made["body"]
    assert runner.run("Comment", GITHUB_TOKEN="t0ken", TOOLGRADE_BASE_NAME="main").stdout == (
        "the comment stands as it was\n"
    )
    record_all(runner.folder, write_suite(runner.folder, FAILING), tool_calls=FETCHING)
    runner.run("Replay")
    again = runner.run("Comment", GITHUB_TOKEN="t0ken", TOOLGRADE_BASE_NAME="main")
    assert again.stdout == "updated the comment\n"
    assert made["body"].count("\n") == 4
    assert "nothing changed against `main`" in made["body"]
    assert [method for method, _ in runner.forge.requests] == ["POST", "PATCH"]
    assert runner.forge.tokens == {"Bearer t0ken"}


def test_our_comment_is_found_on_a_later_page(runner: Runner) -> None:
    make_shop(runner.folder)
    runner.commit("all")
    runner.event = {"pull_request": {"number": 5, "base": {"sha": ""}}}
    runner.forge.comments = [comment(5, "talk", number, "User") for number in range(1, 201)]
    runner.forge.comments.append(comment(5, f"{MARK}old", 999))
    runner.run("Replay")
    assert runner.run("Comment", GITHUB_TOKEN="t").stdout == "updated the comment\n"


def test_without_a_report_the_comment_says_so(runner: Runner) -> None:
    runner.event = {"pull_request": {"number": 5, "base": {"sha": ""}}}
    assert runner.run("Comment", GITHUB_TOKEN="t").code == 0
    assert "not replayed" in runner.forge.comments[0]["body"]


def test_a_refusal_of_github_is_told_in_a_line(runner: Runner) -> None:
    runner.event = {"pull_request": {"number": 5, "base": {"sha": ""}}}
    runner.forge.status = 403
    done = runner.run("Comment", GITHUB_TOKEN="t")
    assert (done.code, "GitHub answered 403" in done.stderr, "Traceback" in done.stderr) == (1, True, False)


def fork_event(sha: str) -> dict[str, Any]:
    head = {"head_repository": {"owner": {"login": "mallory"}}, "head_branch": "patch", "head_sha": sha}
    return {"workflow_run": head}


def test_after_a_run_of_a_fork_the_pull_request_is_found_by_github_alone(runner: Runner) -> None:
    make_hostile(runner.folder)
    runner.commit("all")
    runner.event = {"before": ""}
    runner.run("Replay")
    runner.event = fork_event("abc")
    runner.forge.pulls = [
        {"number": 11, "label": "mallory:patch", "head": {"sha": "old"}},
        {"number": 12, "label": "mallory:patch", "head": {"sha": "abc"}},
    ]
    done = runner.run("Comment", "comment", GITHUB_TOKEN="t", TOOLGRADE_OUT="toolgrade-report", TOOLGRADE_BASE="HEAD")
    assert (done.code, done.stdout) == (0, "commented\n")
    (made,) = runner.forge.comments
    assert made["issue"] == 12
    assert "`thanks @org/team, see #1`" in made["body"]
    assert len(made["body"]) < 65_536


def test_a_pull_request_that_moved_on_gets_no_comment(runner: Runner) -> None:
    runner.event = fork_event("abc")
    runner.forge.pulls = [{"number": 11, "label": "mallory:patch", "head": {"sha": "newer"}}]
    done = runner.run("Comment", "comment", GITHUB_TOKEN="t")
    assert (done.code, "nothing to comment on" in done.stderr, runner.forge.comments) == (0, True, [])


def test_a_forged_report_is_refused(runner: Runner) -> None:
    runner.event = fork_event("abc")
    runner.forge.pulls = [{"number": 12, "label": "mallory:patch", "head": {"sha": "abc"}}]
    (runner.folder / "toolgrade-report").mkdir()
    (runner.folder / "toolgrade-report/report.json").write_text('"@org/team"', encoding="utf-8")
    done = runner.run("Comment", "comment", GITHUB_TOKEN="t")
    assert (done.code, runner.forge.comments) == (1, [])
    assert "not a report" in done.stderr


def test_new_recordings_are_proposed_once_and_then_updated(runner: Runner, tmp_path: Path) -> None:
    make_shop(runner.folder)
    runner.commit("all")
    runner.git("init", "-q", "--bare", str(tmp_path / "origin.git"))
    runner.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    assert "nothing to propose" in runner.run("Propose", "propose", GITHUB_TOKEN="t").stdout
    for answer, told in (
        ("Ada did.", "opened https://example.test/7\n"),
        ("It was Ada.", "updated https://example.test/7\n"),
    ):
        runner.git("checkout", "-q", "main")
        record_all(runner.folder, write_suite(runner.folder), final_response=answer)
        (runner.folder / "summary.md").write_text(f"### {answer}\n", encoding="utf-8")
        done = runner.run("Propose", "propose", GITHUB_TOKEN="t")
        assert (done.code, done.stdout) == (0, told), done.stderr
        assert runner.forge.pulls[0]["body"] == f"### {answer}\n"
    (pull,) = runner.forge.pulls
    assert (pull["head"], pull["base"]) == ("toolgrade/recordings", "main")
    listed = runner.git("show", "--stat=200", "--format=%an", "toolgrade/recordings")
    assert listed.startswith("github-actions[bot]")
    assert "cassettes/shop/" in listed
    assert "summary.md" not in listed


@pytest.mark.parametrize("action", [".", "comment", "propose"])
def test_every_input_that_a_command_uses_goes_through_the_environment(action: str) -> None:
    manifest = yaml.safe_load((ACTION / action / "action.yml").read_text(encoding="utf-8"))
    assert manifest["runs"]["using"] == "composite"
    for found in manifest["runs"]["steps"]:
        assert "${{" not in found.get("run", ""), "an expression in a command is a way to inject one"
        assert "shell" in found or "uses" in found


PLANTED = "import os, pathlib\npathlib.Path(os.environ['CANARY_FILE']).touch()\n"


@pytest.mark.parametrize("name", ["click.py", "site.py", "msgspec.py", "sitecustomize.py", "conftest.py", "event.py"])
def test_no_module_of_the_checkout_is_imported(runner: Runner, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    regressed(runner)
    canary = runner.folder.parent / "canary"
    monkeypatch.setenv("CANARY_FILE", str(canary))
    (runner.folder / name).write_text(PLANTED)
    assert runner.run("Replay").code == 1
    assert not canary.exists()


def test_every_action_that_is_used_is_pinned_by_commit() -> None:
    texts = [path.read_text() for path in (*ACTION.rglob("action.yml"), *(ACTION.parent / "docs").glob("*.md"))]
    used = [found for text in texts for found in re.findall(r"uses: (\S+)", text)]
    assert len(used) > 8
    assert [name for name in used if not re.search(r"@([0-9a-f]{40}|COMMIT)$", name)] == []
