"""One recorder at a time, no half recordings, and no run that could not be replayed."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import toolgrade.runners.cassettes.recorder as recorder_module
from tests.recordings import SHOP, TOOLS, compiled, make_shop, write_suite
from toolgrade import load_plan
from toolgrade.cassette import FinishedRun, Recorder, ServerListing, cassette_path, load_cassette
from toolgrade.foundations.fault import BadInput, Fault
from toolgrade.gates.trace import Usage
from toolgrade.runners.cassettes.cassette import get_meta_path, seal_cassette
from toolgrade.runners.cassettes.recorder_lock import hold_recording_lock
from toolgrade.runners.cassettes.toolset_lock import read_toolset_lock
from toolgrade.runners.cell_selection import iterate_cells

HOLD = """
import sys, time
from pathlib import Path
from toolgrade.runners.cassettes.recorder_lock import hold_recording_lock
with hold_recording_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def record(folder: Path, **fields: Any) -> Path:
    recorder = Recorder(write_suite(folder), folder / "cassettes")
    run: dict[str, Any] = {"tool_calls": [], "tools": {"docs": TOOLS}, **fields}
    return recorder.record("answers in words", **run)


def test_a_second_recorder_is_told_who_holds_the_lock_and_a_dead_holder_is_forgotten(tmp_path: Path) -> None:
    file = record(tmp_path)
    before = file.read_bytes()
    command = [sys.executable, "-c", HOLD, str(tmp_path / "cassettes/shop")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Fault, match=f"locked by pid {holder.pid}$") as caught:
            record(tmp_path, final_response="new")
        assert caught.value.exit_code == 3
        assert file.read_bytes() == before
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    record(tmp_path, final_response="new")
    assert load_cassette(file).final_response == "new"


def test_a_kill_before_or_after_any_step_leaves_the_old_run_or_the_new_one(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.runners.crash", str(tmp_path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, check=True, timeout=300)
    found = json.loads(done.stdout)
    assert found["steps"] >= 20
    assert len(found["ends"]) == 2 * found["steps"]
    for end in found["ends"]:
        assert end["code"] == -signal.SIGKILL
        assert end["left"] in (found["old"], found["new"])
        assert (end["again"], end["leftovers"]) == (found["new"], [])
    assert {end["left"] == found["new"] for end in found["ends"]} == {True, False}


RACE = """
import sys
from pathlib import Path
from tests.recordings import TOOLS, compiled
from toolgrade.cassette import Recorder, load_cassette
from toolgrade.foundations.fault import Fault
folder, name, done = Path(sys.argv[1]), sys.argv[2], 0
recorder = Recorder(compiled(folder), folder / "cassettes")
while done < 20:
    try:
        tools = {"docs": [*TOOLS, {"name": f"{name}{done % 3}"}]}
        file = recorder.record("answers in words", run=1, tool_calls=[], tools=tools, final_response=name * 1000)
        done += 1
    except Fault as fault:
        assert "locked by pid" in str(fault), fault
    load_cassette(file) if done else None
"""


def test_two_recorders_at_once_leave_a_whole_run_of_one_of_them(tmp_path: Path) -> None:
    file = record(tmp_path)
    root = Path(__file__).parents[3]
    commands = [[sys.executable, "-c", RACE, str(tmp_path), name] for name in "ab"]
    racers = [subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE) for command in commands]
    for racer in racers:
        _, stderr = racer.communicate(timeout=120)
        assert racer.returncode == 0, stderr.decode()
    assert load_cassette(file).final_response in ("a" * 1000, "b" * 1000)
    assert len(read_toolset_lock(file.parents[1] / "toolsets.lock.json").toolsets) == 7
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_full_disk_keeps_the_recording_that_was_there(tmp_path: Path) -> None:
    file = record(tmp_path, final_response="old")
    before = file.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(Fault, match=r"cannot write .*: File too large") as caught:
            record(tmp_path, final_response="new" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.exit_code == 3
    assert re.search(r"^30\d,\d{3} bytes are needed; the file that was there is untouched$", str(caught.value.help))
    assert file.read_bytes() == before
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_lock_that_cannot_be_made_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Fault, match="cannot lock"), hold_recording_lock(tmp_path / "file"):
        pass


@pytest.mark.parametrize(
    "fields",
    [
        {"cost": "abc"},
        {"cost": "-1"},
        {"cost": "1e999999"},
        {"usage": {"input_tokens": -1}},
        {"tool_calls": [{"nam": "x"}]},
        {"tool_calls": [{"name": "x", "args": 1j}]},
        {"run": 2},
        {"model": "m9"},
    ],
    ids=str,
)
def test_a_run_that_could_not_be_replayed_is_not_recorded(tmp_path: Path, fields: dict[str, Any]) -> None:
    before = record(tmp_path).read_bytes()
    with pytest.raises(BadInput):
        record(tmp_path, **fields)
    assert record(tmp_path).read_bytes() == before


def test_a_recorder_holds_its_suites_from_the_start(tmp_path: Path) -> None:
    plan = write_suite(tmp_path)
    with Recorder(plan, tmp_path / "cassettes") as recorder:
        with pytest.raises(Fault, match=f"locked by pid {os.getpid()}$"), Recorder(plan, tmp_path / "cassettes"):
            pass
        recorder.record("answers in words", tool_calls=[], tools={"docs": TOOLS})
    with Recorder(plan, tmp_path / "cassettes"):
        pass


def test_what_is_given_back_is_what_stands_in_the_file(tmp_path: Path) -> None:
    plan = write_suite(tmp_path)
    done = FinishedRun(
        tool_calls=[{"name": "search", "server": "docs", "args": {"q": "CANARY-1"}, "result": {"b": 1, "a": [None]}}],
        tools={"docs": ServerListing("1.2", TOOLS)},
        final_response="CANARY-1",
        usage=Usage(1, 2),
        cost=Decimal("0.10"),
        warnings=["another model answered: CANARY-1"],
        meta={"seconds": 1.5, "request_ids": ["CANARY-1"]},
    )
    planned = list(iterate_cells(plan))[-1]
    cassette = Recorder(plan, tmp_path / "cassettes", secrets=["CANARY-1"]).record_run(planned, 1, done)
    path = cassette_path(tmp_path / "cassettes", planned.suite, planned.test, planned.cell, 1)
    assert seal_cassette(cassette) == path.read_bytes()
    assert (cassette.final_response, cassette.redactions) == ("[redacted]", 3)
    assert bytes(cassette.tool_calls[0].args or b"") == b'{"q":"[redacted]"}'
    meta = json.loads(get_meta_path(path).read_bytes())
    assert meta == {"seconds": 1.5, "request_ids": ["[redacted]"]}
    assert b"seconds" not in path.read_bytes()


def test_a_long_result_is_cut_with_its_length_and_hash(tmp_path: Path) -> None:
    text = "x" * 1_000_000
    file = record(tmp_path, tool_calls=[{"name": "x", "result": {"text": text}}])
    assert file.stat().st_size < 5_000
    assert f"[cut: 1000000 bytes, sha256:{sha256(text.encode()).hexdigest()}]" in file.read_text()


def test_a_lone_surrogate_is_recorded_as_its_escape(tmp_path: Path) -> None:
    call = {"name": "x", "args": {"\ud800": ["\udfff"]}, "result": "\ud800"}
    cassette = load_cassette(record(tmp_path, tool_calls=[call], final_response="\ud800"))
    (only,) = cassette.tool_calls
    assert (cassette.final_response, json.loads(bytes(only.args or b""))) == ("\\ud800", {"\\ud800": ["\\udfff"]})


def test_the_variables_that_a_suite_names_are_secrets(tmp_path: Path) -> None:
    suite = SHOP.replace("[docs-server]", '[docs-server, "--key=${env:DOCS_KEY}"]')
    suite = suite.replace("    tags: [slow]", "    tags: [slow]\n    base_url: http://h/v1\n    api_key_env: MODEL_KEY")
    environment = {"DOCS_KEY": "CANARY-1", "MODEL_KEY": "CANARY-2", "OTHER": "Ada wrote"}
    recorder = Recorder(write_suite(tmp_path, suite), tmp_path / "cassettes", environment=environment)
    answer = "CANARY-1, CANARY-2: Ada wrote it"
    file = recorder.record("answers in words", tool_calls=[], tools={"docs": TOOLS}, final_response=answer)
    assert load_cassette(file).final_response == "[redacted], [redacted]: Ada wrote it"


def test_git_is_told_of_what_is_not_committed(tmp_path: Path) -> None:
    for command in ("init -q", "config user.email a@b.example", "config user.name a"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    record(tmp_path, meta={"seconds": 1})
    found = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=tmp_path, capture_output=True, check=True)
    names = [line.rpartition("/")[2] for line in found.stdout.decode().splitlines()]
    assert [name.partition(".")[2] for name in sorted(names)] == ["run1.json", "yml", "lock.json"]


def test_tools_that_no_cassette_names_any_more_are_forgotten(tmp_path: Path) -> None:
    plan = write_suite(tmp_path)
    lock = tmp_path / "cassettes/shop/toolsets.lock.json"
    for tools in (TOOLS, TOOLS[:1]):
        with Recorder(plan, tmp_path / "cassettes") as recorder:
            file = recorder.record("answers in words", tool_calls=[], tools={"docs": tools})
        assert list(read_toolset_lock(lock).toolsets) == [load_cassette(file).toolset.fingerprint]
    file.write_bytes(b"{")
    with Recorder(plan, tmp_path / "cassettes"):
        pass
    assert len(read_toolset_lock(lock).toolsets) == 1


def test_a_secret_in_the_suite_itself_stops_the_recording(tmp_path: Path) -> None:
    plan = write_suite(tmp_path, SHOP.replace("Who wrote it?", "Who wrote CANARY-1?"))
    recorder = Recorder(plan, tmp_path / "cassettes", secrets=["CANARY-1"])
    with pytest.raises(Fault, match="nothing was written: a known secret is in the prompt"):
        recorder.record("answers in words", tool_calls=[], tools={"docs": TOOLS})
    assert not list(tmp_path.glob("cassettes/shop/*/*"))


def test_a_file_that_reads_otherwise_than_it_was_written_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_wrong(_path: Path, _limit: int) -> bytes:
        return b"something else"

    monkeypatch.setattr(recorder_module, "read_regular", read_wrong)
    with pytest.raises(Fault, match="does not hold what was written"):
        record(tmp_path)


def test_a_test_name_of_two_suites_is_not_guessed(tmp_path: Path) -> None:
    write_suite(tmp_path)
    (tmp_path / "suites/other.yml").write_text(SHOP, encoding="utf-8")
    with pytest.raises(BadInput, match="several suites"):
        Recorder(compiled(tmp_path), tmp_path).record("answers in words", tool_calls=[], tools={})


def test_equal_runs_are_equal_bytes(tmp_path: Path) -> None:
    one, two = make_shop(tmp_path / "a"), make_shop(tmp_path / "b")
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in two]


def test_a_broken_lock_file_of_tools_stops_the_recording(tmp_path: Path) -> None:
    lock = record(tmp_path).parents[1] / "toolsets.lock.json"
    for data in (b"", b"{", b'"\xff"', b"[" * 100_000):
        lock.write_bytes(data)
        with pytest.raises(Fault, match=r"toolsets\.lock\.json"):
            record(tmp_path)


def test_no_path_of_this_machine_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call = {"server": "docs", "name": "search", "args": {}, "result": {"file": f"{tmp_path}/notes/a.txt"}}
    file = record(tmp_path, tool_calls=[call], final_response=f"It is in {tmp_path}/notes.")
    assert str(tmp_path) not in file.read_text()
    assert load_cassette(file).final_response == "It is in ./notes."
    assert load_cassette(file).redactions == 0


def test_without_a_number_it_is_the_next_run(tmp_path: Path) -> None:
    suite = Path(tmp_path / "runs.yml")
    suite.write_text(
        "tests: [{name: t, model: m1, runs: 2, prompt: Hi, tool_correctness: {expected_tools: [a]}}]", encoding="utf-8"
    )
    recorder = Recorder(load_plan(suite), tmp_path / "cassettes")
    files = [recorder.record("t", tool_calls=[], tools={}).name for _ in range(2)]
    assert [name.rpartition(".run")[2] for name in files] == ["1.json", "2.json"]
    with pytest.raises(BadInput, match="has runs 1 to 2, not 3"):
        recorder.record("t", tool_calls=[], tools={})
