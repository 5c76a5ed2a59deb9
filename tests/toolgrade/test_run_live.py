"""`toolgrade run --mode live`: real servers, some of which misbehave, and the lexical agent."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Finished, RunToolgrade
from tests.rogues import ROGUE
from toolgrade.foundations.canonical_json import to_json

LIVE = ("run", "--mode", "live")


def write_suite(folder: Path, servers: dict[str, Any], tests: list[dict[str, Any]] | None = None) -> None:
    """A suite `shop`; JSON is YAML."""
    text = {"servers": servers, "tests": tests or [echo_test("says it back", *servers)]}
    (folder / "suites").mkdir(exist_ok=True)
    (folder / "suites/shop.yml").write_bytes(to_json(text))


def server(*behaviours: str, **more: Any) -> dict[str, Any]:
    return {"command": [sys.executable, str(ROGUE), *behaviours], "env": {"ROGUE_OF": str(os.getpid())}, **more}


def echo_test(name: str, *servers: str, **more: Any) -> dict[str, Any]:
    classes = [{"name": "echo", "members": [f"{servers[0]}.echo"]}]
    prompt = 'Say "hello" back to me.'
    gates = {"equal_function_sets": {"classes": classes}, "token_efficiency": {"classes": classes}}
    return {"name": name, "prompt": prompt, "servers": list(servers), **gates, **more}


def report(folder: Path, mode: str = "live") -> Any:
    return json.loads((folder / f"reports/{mode}/report.json").read_bytes())


def no_process_is_left() -> bool:
    from tests.rogues import started_by_us

    return started_by_us() == []


def test_a_live_run_records_and_its_replay_gives_the_same_verdicts(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, {"rogue": server()}, [echo_test("says it back", "rogue", runs=2)])
    done = run_toolgrade(*LIVE)
    assert done.code == 0, done.stderr
    assert run_toolgrade("run").code == 0
    live, replay = (report(tmp_path, mode)["suites"][0]["tests"][0] for mode in ("live", "replay"))
    assert live["gates"][0] == replay["gates"][0]
    assert live["traces"] == replay["traces"]
    assert live["toolset"] == replay["toolset"]
    assert (live["gates"][1]["status"], replay["gates"][1]["status"]) == ("passed", "skipped")
    assert live["surface"]["tokens"] > 0
    assert no_process_is_left()


def test_each_command_is_shown_as_argv_before_it_starts(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, {"rogue": server("$(touch canary); ls")})
    done = run_toolgrade(*LIVE)
    assert f"rogue: starting {sys.executable} {ROGUE} '$(touch canary); ls'\n" in done.stderr
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("command", [("check",), ("run",), ("plan",)])
def test_only_a_live_run_starts_anything(run_toolgrade: RunToolgrade, tmp_path: Path, command: tuple[str, ...]) -> None:
    write_suite(tmp_path, {"rogue": {"command": [sys.executable, "-c", "open('canary', 'w')"]}})
    run_toolgrade(*command)
    assert not (tmp_path / "canary").exists()


def test_an_unknown_model_stops_before_anything_starts(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, {"rogue": server()}, [echo_test("a", "rogue", model="no-such-model")])
    done = run_toolgrade(*LIVE)
    assert done.code in (2, 3)
    assert "no-such-model" in done.stderr
    assert "rogue: starting" not in done.stderr


def test_a_variable_that_is_not_set_stops_before_anything_starts(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    unset = server() | {"env": {"KEY": "${env:TOOLGRADE_NOT_SET}"}}
    write_suite(tmp_path, {"a": server(), "b": unset}, [echo_test("a", "a"), echo_test("b", "b")])
    done = run_toolgrade(*LIVE)
    assert done.code == 2
    assert "server `b`: the environment variable TOOLGRADE_NOT_SET is not set" in done.stderr
    assert "a: starting" not in done.stderr


def test_values_of_named_variables_reach_no_file(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    telling = server("environment", "banner") | {"env": {"KEY": "${env:CANARY}"}}
    dying = server("dies-at-start", "says-key") | {"env": {"KEY": "${env:CANARY}"}}
    write_suite(tmp_path, {"a": telling, "b": dying}, [echo_test("a", "a"), echo_test("b", "b")])
    done = run_toolgrade(*LIVE, env={"CANARY": "s3cr3t-canary-value"})
    assert done.code == 3
    assert "s3cr3t-canary-value" not in done.stdout + done.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("cassettes" in path.parts for path in files)
    assert not [path for path in files if b"s3cr3t-canary-value" in path.read_bytes()]


def test_a_server_that_does_not_start_is_an_error_of_its_cells_alone(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    servers = {"bad": server("dies-at-start"), "good": server()}
    write_suite(tmp_path, servers, [echo_test("a", "bad"), echo_test("b", "good"), echo_test("c", "bad")])
    done = run_toolgrade(*LIVE)
    assert done.code == 3
    assert "error: a [lexical]: server `bad` ended with code 1 before it was ready\n  no licence found\n" in done.stderr
    assert "passed: b [lexical]" in done.stderr
    assert done.stderr.count("bad: starting") == 1
    assert not (tmp_path / "reports/live/report.json").exists()
    assert no_process_is_left()


def test_a_server_that_dies_once_is_started_again(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    once = server("dies-once")
    once["env"]["ROGUE_FILE"] = str(tmp_path / "died")
    write_suite(tmp_path, {"rogue": once})
    done = run_toolgrade(*LIVE)
    assert done.code == 0, done.stderr
    assert re.search(
        r"^warning: .+ \[lexical\]: server `rogue` ended in a run and was started again$", done.stderr, re.MULTILINE
    )


def test_a_server_that_dies_again_and_again_is_an_error_and_the_suite_goes_on(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    servers = {"dying": server("dies-in-call"), "good": server()}
    write_suite(tmp_path, servers, [echo_test("a", "dying"), echo_test("b", "good")])
    done = run_toolgrade(*LIVE, "-j", "2")
    assert done.code == 3
    assert "error: a [lexical]: server `dying` was ended by signal 9" in done.stderr
    assert "passed: b [lexical]" in done.stderr
    assert no_process_is_left()


def test_tools_that_change_between_runs_are_an_error_that_shows_them(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    write_suite(tmp_path, {"rogue": server("changes")}, [echo_test("a", "rogue", runs=2)])
    done = run_toolgrade(*LIVE)
    assert done.code == 3
    assert "error: a [lexical]: the tool surface changed between the runs of this cell\n" in done.stderr
    assert "rogue.echo description was: Say it back, version" in done.stderr
    assert "rogue.echo description is:  Say it back, version" in done.stderr


def test_an_isolated_server_is_started_for_each_run(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, {"rogue": server(isolate=True)}, [echo_test("a", "rogue", runs=3)])
    done = run_toolgrade(*LIVE)
    assert done.code == 0
    assert done.stderr.count("rogue: starting") == 3


def test_a_shared_server_is_started_once(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, {"rogue": server()}, [echo_test(f"t{n}", "rogue", runs=2) for n in range(6)])
    done = run_toolgrade(*LIVE, "-j", "4")
    assert done.code == 0
    assert done.stderr.count("rogue: starting") == 1


def test_several_workers_give_the_bytes_of_one(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, {"a": server(), "b": server()}, [echo_test(f"t{n}", "ab"[n % 2]) for n in range(8)])
    reports: list[bytes] = []
    for workers in ("1", "8"):
        assert run_toolgrade(*LIVE, "-j", workers).code == 0
        reports.append((tmp_path / "reports/live/report.json").read_bytes())
    assert reports[0] == reports[1]


def test_ids_that_no_server_has_and_ids_that_two_have_are_warned_of(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    test = echo_test("a", "x", "y")
    test["equal_function_sets"] = {"classes": [{"name": "c", "members": ["echo", "x.gone"]}]}
    write_suite(tmp_path, {"x": server(), "y": server("banner")}, [test])
    assert run_toolgrade(*LIVE).code == 0
    found = report(tmp_path)["suites"][0]["tests"][0]["warnings"]
    assert found[0].startswith("class `c`: `echo` is a tool of `x` and `y`")
    assert found[1].startswith("class `c`: no server lists `x.gone`")
    assert "server `y` writes lines to stdout that are not messages: skipped" in found


def test_in_ci_a_recording_has_to_be_asked_for(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, {"rogue": server()})
    ci = {"CI": "true"}
    done = run_toolgrade(*LIVE, env=ci)
    assert (done.code, done.stdout) == (2, "")
    assert "add --record or --no-record" in done.stderr
    assert "rogue: starting" not in done.stderr
    assert run_toolgrade(*LIVE, "--no-record", env=ci).code == 0
    assert not (tmp_path / "cassettes").exists()
    assert run_toolgrade(*LIVE, "--record", env=ci).code == 0
    assert (tmp_path / "cassettes").exists()


def test_only_what_is_missing_or_stale_is_recorded(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    def started(done: Finished) -> list[str]:
        assert done.code == 0, done.stderr
        return [line for line in done.stderr.splitlines() if "/" in line and "passed" in line]

    tests = [echo_test("a", "rogue"), echo_test("b", "rogue")]
    write_suite(tmp_path, {"rogue": server()}, tests)
    assert run_toolgrade(*LIVE, "-k", "a").code == 0
    assert started(run_toolgrade(*LIVE, "--only-missing")) == ["1/1 passed: b [lexical]"]
    done = run_toolgrade(*LIVE, "--only-missing", "--only-stale")
    assert "nothing to record" in done.stderr
    tests[0]["prompt"] = 'Say "bye" back to me.'
    write_suite(tmp_path, {"rogue": server()}, tests)
    assert started(run_toolgrade(*LIVE, "--only-stale")) == ["1/1 passed: a [lexical]"]


def begin(folder: Path, *options: str) -> "subprocess.Popen[str]":
    argv = [sys.executable, "-m", "toolgrade", *LIVE, *options]
    env = {**os.environ, "NO_COLOR": "1"}
    return subprocess.Popen(argv, cwd=folder, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


def wait_for(running: "subprocess.Popen[str]", text: str) -> list[str]:
    assert running.stderr is not None
    seen: list[str] = []
    for line in running.stderr:
        seen.append(line)
        if text in line:
            return seen
    raise AssertionError(f"ended without {text!r}: {seen}")


SLOW = [echo_test("quick", "quick"), echo_test("slow", "slow")]


def slow_suite(folder: Path, behaviour: str) -> None:
    write_suite(folder, {"quick": server(), "slow": server(behaviour, "stubborn", "resession")}, SLOW)


@pytest.mark.parametrize("presses", [1, 2])
def test_an_interruption_keeps_what_is_finished_and_leaves_no_process(tmp_path: Path, presses: int) -> None:
    slow_suite(tmp_path, "hangs")
    running = begin(tmp_path)
    wait_for(running, "slow: starting")
    time.sleep(0.5)
    for _ in range(presses):
        running.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _, stderr = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "--resume goes on" in stderr
    assert no_process_is_left()
    assert "Traceback" not in stderr


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL])
def test_a_resumed_run_equals_one_that_was_never_interrupted(
    run_toolgrade: RunToolgrade, tmp_path: Path, kind: signal.Signals
) -> None:
    slow_suite(tmp_path, "hangs")
    running = begin(tmp_path)
    wait_for(running, "1/2 passed: quick")
    running.send_signal(kind)
    running.communicate(timeout=60)
    end_what_a_killed_runner_left()
    slow_suite_without_hanging(tmp_path)
    done = run_toolgrade(*LIVE, "--resume")
    assert done.code == 0, done.stderr
    assert "quick: starting" not in done.stderr
    resumed = (tmp_path / "reports/live/report.json").read_bytes()
    assert run_toolgrade(*LIVE).code == 0
    assert (tmp_path / "reports/live/report.json").read_bytes() == resumed
    assert not list((tmp_path / ".toolgrade").glob("*.jsonl"))


def slow_suite_without_hanging(folder: Path) -> None:
    """The server, not the suite, gets better: what shapes the other cell is as it was."""
    write_suite(folder, {"quick": server(), "slow": server()}, SLOW)


def end_what_a_killed_runner_left() -> None:
    from tests.rogues import started_by_us

    for pid in started_by_us():
        os.kill(pid, signal.SIGKILL)
