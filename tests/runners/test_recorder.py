"""One recorder at a time, no half recordings, and no run that could not be replayed."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import TOOLS, make_shop, write_suite
from toolgrade.cassette import Recorder, load_cassette
from toolgrade.runners.fault import BadInput, Fault
from toolgrade.runners.lock import recording_lock

HOLD = """
import sys, time
from pathlib import Path
from toolgrade.runners.lock import recording_lock
with recording_lock(Path(sys.argv[1])):
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


def test_a_lock_that_cannot_be_made_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Fault, match="could not lock"), recording_lock(tmp_path / "file"):
        pass


@pytest.mark.parametrize(
    "fields",
    [
        {"cost": "abc"},
        {"cost": "-1"},
        {"cost": "1e999999"},
        {"final_response": "\ud800"},
        {"usage": {"input_tokens": -1}},
        {"tool_calls": [{"nam": "x"}]},
        {"tool_calls": [{"name": "x", "args": {1: 2}}]},
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


def test_equal_runs_are_equal_bytes(tmp_path: Path) -> None:
    one, two = make_shop(tmp_path / "a"), make_shop(tmp_path / "b")
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in two]


def test_a_broken_lock_file_of_tools_stops_the_recording(tmp_path: Path) -> None:
    lock = record(tmp_path).parents[1] / "toolsets.lock.json"
    for data in (b"", b"{", b'"\xff"', b"[" * 100_000):
        lock.write_bytes(data)
        with pytest.raises(Fault, match=r"toolsets\.lock\.json"):
            record(tmp_path)
