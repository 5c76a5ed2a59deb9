"""`toolgrade run`: replay is free and offline, writes the same bytes, and refuses what cannot stand for a run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import RunToolgrade
from tests.recordings import SHOP, TOOLS, make_shop, record_all, write_suite
from toolgrade.cassette import Recorder

REPORT, RUN = Path("reports/replay/report.json"), Path("reports/replay/run.json")
OLD = b"the report that was there\n"
RECORD = "next: toolgrade run suites/shop.yml --mode live"
OFFLINE = """
import sys
DENIED = ("socket.", "subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.system", "pty.spawn")
def hook(event, arguments):
    if event.startswith(DENIED):
        sys.stderr.write(f"DENIED {event}\\n")
        raise RuntimeError(event)
sys.addaudithook(hook)
from toolgrade.__main__ import main
sys.exit(main())
"""


@pytest.fixture
def shop(tmp_path: Path) -> list[Path]:
    return make_shop(tmp_path)


def keep_report(folder: Path) -> Path:
    file = folder / REPORT
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(OLD)
    return file


@pytest.mark.usefixtures("shop")
def test_a_replay_passes_and_writes_what_it_found(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    done = run_toolgrade("run")
    assert (done.code, done.stderr) == (0, "next: commit reports/replay/report.json\n")
    report, run = (json.loads((tmp_path / file).read_bytes()) for file in (REPORT, RUN))
    assert report["summary"] | {"tests": 3, "passed": 3, "failed": 0, "errors": 0} == report["summary"]
    assert run["schema"] == "toolgrade.run/1"
    assert not {"started", "duration_s", "versions"} & report.keys()


@pytest.mark.usefixtures("shop")
def test_a_second_replay_leaves_the_same_bytes(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    first = run_toolgrade("run")
    before = (tmp_path / REPORT).read_bytes()
    second = run_toolgrade("run")
    assert (second.code, second.stdout) == (first.code, first.stdout)
    assert second.stderr == "next: nothing to do: reports/replay/report.json is as it was\n"
    assert (tmp_path / REPORT).read_bytes() == before


@pytest.mark.usefixtures("shop")
def test_the_last_line_says_what_to_do_next(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    def last_line(*options: str) -> str:
        return run_toolgrade("run", *options).stderr.splitlines()[-1]

    assert last_line("-k", "words") == "next: run all tests to write the report"
    write_suite(tmp_path, SHOP.replace('">=": 40', '">=": 99'))
    assert last_line() == "next: `toolgrade diff HEAD reports/replay` shows what changed since the last commit"
    elsewhere = "next: `toolgrade diff HEAD parts` shows what changed since the last commit"
    assert last_line("--out", "parts") == elsewhere
    assert last_line("-k", "revenue") == "next: --format json shows every call"
    assert run_toolgrade("run", "--quiet").stderr == ""
    (tmp_path / "suites/other.yml").write_text(SHOP, encoding="utf-8")
    assert last_line("--quiet") == "next: toolgrade run suites/other.yml --mode live"
    write_suite(tmp_path, SHOP.replace("Who wrote it?", "Who?"))
    assert last_line() == "next: toolgrade run suites/other.yml suites/shop.yml --mode live"
    (tmp_path / "suites/other.yml").unlink()
    write_suite(tmp_path, "tests: [{name: t, tool_correctness: {expected_tools: [a]}}]\n")
    assert last_line() == "next: no model runs these tests: score recorded traces with `toolgrade score`"


def test_ids_that_no_server_lists_are_warned_of_unless_it_is_quiet(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path, SHOP.replace("members: [docs.fetch]", "members: [docs.fetsh]"))
    done = run_toolgrade("run")
    assert "warning: 2 tests: class `fetch`: no server lists `docs.fetsh`; did you mean `docs.fetch`?\n" in done.stderr
    assert run_toolgrade("run", "--quiet").stderr == ""


@pytest.mark.usefixtures("shop")
def test_a_replay_on_a_clean_clone_leaves_it_clean(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
        return subprocess.run(
            ["git", *identity, *arguments], cwd=tmp_path, capture_output=True, check=True
        ).stdout.decode()

    run_toolgrade("run")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "all")
    assert not [name for name in git("ls-files").splitlines() if name.endswith(("run.json", ".lock", ".gitignore"))]
    git("clone", "-q", ".", "clone")
    done = run_toolgrade("run", cwd=tmp_path / "clone")
    assert (done.code, git("-C", "clone", "status", "--porcelain")) == (0, "")


@pytest.mark.usefixtures("shop")
def test_token_efficiency_is_skipped_and_says_why(run_toolgrade: RunToolgrade) -> None:
    report = json.loads(run_toolgrade("run", "--format", "json").stdout)
    gates = {gate["gate"]: gate for gate in report["suites"][0]["tests"][0]["gates"]}
    assert gates["token_efficiency"]["status"] == "skipped"
    assert "replay" in gates["token_efficiency"]["reason"]
    assert report["summary"]["skipped_gates"] == 2


@pytest.mark.usefixtures("shop")
def test_a_replay_opens_no_socket_and_starts_no_process(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, "run", "-j", "4"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "DENIED" in done.stderr) == (0, False), done.stderr


EDITS = {
    "prompt": ("What was the revenue?", "What is the profit?", "recorded before a change of prompt"),
    "runs": ("runs: 2", "runs: 3", "recorded with another number of runs"),
    "servers": ("[docs-server]", "[docs-server, --new]", "recorded before a change of servers"),
    "turns": ("    runs: 2", "    runs: 2\n    max_turns: 3", "recorded before a change of max turns"),
    "sampling": ("    runs: 2", "    runs: 2\n    sampling: {temperature: 0}", "recorded before a change of sampling"),
    "system prompt": ("    runs: 2", "    runs: 2\n    system_prompt: Hi", "recorded before a change of system prompt"),
    "address": ("    runs: 2", "    runs: 2\n    base_url: http://h/v1", "recorded before a change of base url"),
    "model": ("models: [m1, m2]", "models: [m1, m3]", "not recorded yet"),
    "name": ("reads the revenue back", "reads it", "not recorded yet"),
}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("edit", EDITS)
def test_a_suite_that_moved_on_is_refused(run_toolgrade: RunToolgrade, tmp_path: Path, edit: str) -> None:
    old, new, reason = EDITS[edit]
    write_suite(tmp_path, SHOP.replace(old, new))
    report = keep_report(tmp_path)
    done = run_toolgrade("run")
    assert done.code == 4
    assert reason in done.stderr
    assert RECORD in done.stderr
    assert report.read_bytes() == OLD
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("shop")
def test_a_refusal_shows_old_and_new(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, SHOP.replace("What was the revenue?", "What is the profit?"))
    stderr = run_toolgrade("run").stderr
    assert "  prompt recorded: What was the revenue?\n  prompt in suite: What is the profit?\n" in stderr


def damage(kind: str, file: Path, others: list[Path]) -> None:
    data = file.read_bytes()
    file.unlink()
    if kind == "truncated":
        file.write_bytes(data[: len(data) // 2])
    elif kind == "edited":
        file.write_bytes(data.replace(b'"12"', b'"13"'))
    elif kind == "newer":
        file.write_bytes(data.replace(b'"format": 1', b'"format": 2'))
    elif kind == "other model":
        file.write_bytes(others[2].read_bytes())
    elif kind == "link":
        file.symlink_to(others[2])
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()


DAMAGES = {
    "missing": "not recorded yet",
    "truncated": "corrupt",
    "edited": "its integrity hash does not fit its content",
    "newer": "this toolgrade reads up to 1: upgrade toolgrade",
    "other model": "recorded with another model",
    "link": "cannot be read",
    "pipe": "not a regular file",
    "folder": "not a regular file",
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_cassette_is_refused(
    run_toolgrade: RunToolgrade, tmp_path: Path, shop: list[Path], kind: str
) -> None:
    damage(kind, shop[0], shop)
    report = keep_report(tmp_path)
    done = run_toolgrade("run")
    assert done.code == 4
    assert DAMAGES[kind] in done.stderr
    assert f"{RECORD} --test='reads the revenue back'\n" in done.stderr
    assert report.read_bytes() == OLD


def test_tools_that_changed_between_runs_are_refused(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    plan = write_suite(tmp_path)
    record_all(tmp_path, plan)
    recorder = Recorder(plan, tmp_path / "cassettes")
    recorder.record("reads the revenue back", model="m1", run=2, tool_calls=[], tools={"docs": TOOLS[:1]})
    done = run_toolgrade("run")
    assert done.code == 4
    assert "refused: the tools changed between the runs of this cell\n" in done.stderr
    assert "  between run 1 and run 2: docs: fetch removed\n" in done.stderr


@pytest.mark.usefixtures("shop")
def test_a_threshold_needs_no_new_recording(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, SHOP.replace('">=": 40', '">=": 99'))
    done = run_toolgrade("run")
    assert (done.code, "refused" in done.stderr) == (1, False)
    assert json.loads((tmp_path / REPORT).read_bytes())["summary"]["failed"] == 2


@pytest.mark.usefixtures("shop")
def test_a_cassette_that_no_test_uses_is_listed(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, SHOP.replace("models: [m1, m2]", "models: [m1]"))
    done = run_toolgrade("run")
    unused = [line for line in done.stderr.splitlines() if line.startswith("unused: ")]
    assert done.code == 0
    assert [line.partition(".run")[2] for line in unused] == [f"{run}.json belongs to no test" for run in (1, 2)]


@pytest.mark.usefixtures("shop")
def test_a_part_of_the_suite_does_not_replace_the_report(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    report = keep_report(tmp_path)
    for narrowing in (["-k", "WORDS"], ["--tag", "slow"], ["--models", "m2"], ["--shard", "3/3"]):
        done = run_toolgrade("run", *narrowing, "--format", "json")
        assert (done.code, json.loads(done.stdout)["summary"]["tests"]) == (0, 1), narrowing
    assert report.read_bytes() == OLD
    assert run_toolgrade("run", "--shard", "1/2", "--out", "parts").code == 0
    assert (tmp_path / "parts/report.json").exists()


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("options", [["-k", "nothing"], ["--tag", "x"], ["--models", "m9"], ["--shard", "4/4"]])
def test_nothing_selected_is_bad_usage(run_toolgrade: RunToolgrade, options: list[str]) -> None:
    done = run_toolgrade("run", *options)
    assert (done.code, done.stdout) == (2, "")
    assert "nothing is selected" in done.stderr


@pytest.mark.usefixtures("shop")
def test_a_shard_that_is_none_is_bad_usage(run_toolgrade: RunToolgrade) -> None:
    for shard in ("0/2", "3/2", "1", "a/b", "1/" + "9" * 5000):
        assert run_toolgrade("run", "--shard", shard).code == 2, shard[:9]


def test_a_disk_that_refuses_the_report_is_exit_3(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path)
    (tmp_path / REPORT).mkdir(parents=True)
    done = run_toolgrade("run")
    assert done.code == 3
    assert "cannot write reports/replay/report.json" in done.stderr
