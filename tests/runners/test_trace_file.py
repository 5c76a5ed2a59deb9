"""Traces that cannot be read: each is named with its line, nothing is scored, stdout stays empty."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import RunToolgrade

SUITE = "tests: [{name: picks, equal_function_sets: {classes: [{name: c, members: [a]}], expect: []}}]\n"
DEEP = "[" * 100_000 + "]" * 100_000

BAD_RUNS = {
    "no tool_calls": (b"{}", 'no `tool_calls`; a run without calls has `"tool_calls": []`'),
    "null": (b'{"tool_calls": null}', "expected `array`, got `null` - at `$.tool_calls`"),
    "no name": (b'{"tool_calls": [{}]}', "object missing required field `name` - at `$.tool_calls[0]`"),
    "empty name": (b'{"tool_calls": [{"name": ""}]}', "expected `str` of length >= 1"),
    "number as name": (b'{"tool_calls": [{"name": 1}]}', "expected `str`, got `int`"),
    "call as text": (b'{"tool_calls": ["a"]}', "expected `object`, got `str`"),
    "text": (b'"a"', "expected `object`, got `str`"),
    "not JSON": (b"oops", "JSON is malformed"),
    "NaN": (b'{"tool_calls": [], "cost": NaN}', "JSON is malformed"),
    "NaN in args": (b'{"tool_calls": [{"name": "a", "args": {"x": NaN}}]}', "JSON is malformed"),
    "negative cost": (b'{"tool_calls": [], "cost": -1}', "`cost` must be dollars, zero or more"),
    "negative turns": (b'{"tool_calls": [], "turns": -1}', "expected `int` >= 0"),
    "deep": (f'{{"tool_calls": [{{"name": "a", "args": {DEEP}}}]}}'.encode(), "nested too deeply"),
    "not UTF-8": (b'{"tool_calls": [{"name": "\xff"}]}', "not UTF-8 text"),
    "lone surrogate": (b'{"tool_calls": [{"name": "\\ud800"}]}', ""),
    "two on a line": (b'{"tool_calls": []} {"tool_calls": []}', "trailing characters"),
    "cut off": (b'{"tool_calls": [', "truncated"),
    "unknown test": (b'{"test": "pick", "tool_calls": []}', "no test is named `pick`; did you mean `picks`?"),
    "forged line": (b'{"test": "x\\n  y", "tool_calls": []}', "no test is named `x\\n  y`"),
}


@pytest.fixture(autouse=True)
def suite(tmp_path: Path) -> None:
    (tmp_path / "s.yml").write_text(SUITE, encoding="utf-8")


def test_every_bad_line_is_named_and_none_is_scored(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(
        b"".join(line + b"\n" for line, _ in BAD_RUNS.values()) + b'{"tool_calls": []}\n'
    )
    done = run_toolgrade("score", "s.yml", "r.jsonl", "--format", "json")
    assert (done.code, done.stdout) == (2, "")
    first, *lines = done.stderr.splitlines()
    assert first == f"toolgrade: {len(BAD_RUNS)} runs could not be read; nothing was scored"
    assert len(lines) == len(BAD_RUNS)
    for number, (line, (_, reason)) in enumerate(zip(lines, BAD_RUNS.values(), strict=True), 1):
        assert line.startswith(f"  r.jsonl:{number}: ")
        assert reason in line


def test_a_long_list_of_problems_is_cut(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("{}\n" * 50, encoding="utf-8")
    lines = run_toolgrade("score", "s.yml", "r.jsonl").stderr.splitlines()
    assert (len(lines), lines[-1]) == (22, "  … and 30 more")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("r.json", b"", "r.json: the file is empty"),
        ("r.json", b'[{"tool_calls": []}]', "r.json: a JSON file is one run, not a list"),
        (
            "r.json",
            b'{"tool_calls": []}\n{"tool_calls": []}\n',
            "r.json: the file holds more than one run; name it .jsonl",
        ),
        ("r.json", b"\xff\xfe", "r.json: JSON is malformed"),
        ("r.json", DEEP.encode(), "r.json: a JSON file is one run, not a list"),
        ("r.jsonl", b'[{"tool_calls": []}]', "r.jsonl:1: expected `object`, got `array`"),
        ("r.jsonl", b"", "no trace was given"),
        ("r.jsonl", b"\n \n", "no trace was given"),
    ],
)
def test_a_file_that_holds_no_run_is_refused(
    run_toolgrade: RunToolgrade, tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    done = run_toolgrade("score", "s.yml", name)
    assert (done.code, done.stdout) == (2, "")
    assert message in done.stderr


def test_no_input_and_a_missing_file_are_refused(run_toolgrade: RunToolgrade) -> None:
    assert "no trace was given" in run_toolgrade("score", "s.yml", "-").stderr
    done = run_toolgrade("score", "s.yml", "nope.jsonl")
    assert (done.code, done.stdout, done.stderr) == (2, "", "toolgrade: nope.jsonl: No such file or directory\n")


@pytest.mark.parametrize("args", [b'{"x": "\xff"}', b'{"x": 1e999}', b'{"x": 1' + b"0" * 5_000 + b"}"])
def test_arguments_that_no_assertion_can_read_are_the_files_fault(
    run_toolgrade: RunToolgrade, tmp_path: Path, args: bytes
) -> None:
    text = 'tests: [{name: t, expect: [{"tool_calls[0].args.x": {exact: 1}}]}]'
    (tmp_path / "e.yml").write_text(text, encoding="utf-8")
    (tmp_path / "r.jsonl").write_bytes(b'{"tool_calls": [{"name": "a", "args": ' + args + b"}]}\n")
    done = run_toolgrade("score", "e.yml", "r.jsonl")
    assert (done.code, done.stdout) == (2, "")
    assert "r.jsonl:1: `args`: " in done.stderr


PEAK = """
import json, subprocess, sys
line = json.dumps({"tool_calls": [{"server": "s", "name": "a", "args": {"q": "x" * 50}}] * 3}).encode() + b"\\n"
code = "import sys, toolgrade.cli as c; r = c.run_command_line(sys.argv[1:]); "
code += "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0], file=sys.stderr); sys.exit(r)"
child = subprocess.Popen([sys.executable, "-c", code, "score", "s.yml", "-", "--format", "json"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
child.stdin.writelines(line for _ in range(int(sys.argv[1])))
out, err = child.communicate()
assert child.returncode in (0, 1), err
print(json.dumps([json.loads(out)["suites"][0]["tests"][0]["runs"], int(err.split()[-1])]))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is read from /proc")  # noqa: PTH110
def test_memory_does_not_grow_with_the_number_of_runs(tmp_path: Path) -> None:
    peaks: list[int] = []
    for runs in (2_000, 200_000):
        command = [sys.executable, "-c", PEAK, str(runs)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        scored, peak_kb = json.loads(done.stdout)
        assert scored == runs
        peaks.append(peak_kb)
    assert peaks[1] - peaks[0] < 30 * 1024
