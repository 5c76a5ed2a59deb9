"""How fast suites compile and the command starts: ratios within one run, nothing asserted."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from toolgrade import compile_text

SERVERS = "servers:\n" + "".join(f"  s{n}: {{command: [python, -m, server{n}]}}\n" for n in range(3))
TEST = """\
  - name: test number {n}
    prompt: Find the quarterly revenue of company {n} and read it back to me.
    servers: [s0, s1]
    runs: 3
    equal_function_sets:
      classes:
        - name: search
          members: [s0.web_search, s1.search]
        - name: fetch
          members:
            - s0.get
      expect:
        - tool_selection.f1: {{ ">=": 80 }}
"""
PEAK = "--peak"


def suite_text(tests: int) -> str:
    """A suite of ordinary tests."""
    return SERVERS + "tests:\n" + "".join(TEST.format(n=n) for n in range(tests))


def best_of(times: int, action: Callable[[], object]) -> float:
    """The least seconds of several tries: noise only ever adds."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def compile_whole(text: str) -> None:
    if compile_text(text).plan is None:
        raise SystemExit("the generated suite does not compile")


def peak_mb() -> float:
    """The most memory this process has held. Linux hands ru_maxrss down from parent to child; VmHWM starts anew."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def measure_compiling() -> None:
    text = suite_text(2_000)
    ours = best_of(5, lambda: compile_whole(text))
    theirs = best_of(5, lambda: yaml.load(text, Loader=yaml.CSafeLoader))
    print(f"compile, 2,000 tests ({len(text):,} bytes): {ours:.3f} s")
    print(f"  yaml.load with CSafeLoader, the same text: {theirs:.3f} s; ratio {ours / theirs:.2f} (aim: at most 1)")
    for tests, times in ((200, 9), (2_000, 5), (20_000, 2)):
        text = suite_text(tests)
        seconds = best_of(times, lambda text=text: compile_whole(text))
        print(f"  {tests:>6,} tests: {seconds / tests * 1e6:6.1f} µs a test")


def measure_peak() -> None:
    for tests in (0, 20_000):
        child = subprocess.run([sys.executable, __file__, PEAK, str(tests)], check=True, capture_output=True, text=True)
        print(f"  peak memory, {tests:>6,} tests: {float(child.stdout):.0f} MB")


def measure_startup() -> None:
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder, "suite.yml")
        suite.write_text(suite_text(3), encoding="utf-8")
        # Bytecode is cached for all alike, whatever the shell says, and outside the working tree.
        env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        env["PYTHONPYCACHEPREFIX"] = str(Path(folder, "cache"))
        toolgrade = [sys.executable, "-m", "toolgrade"]
        commands = {
            'python -c "import click"': [sys.executable, "-c", "import click"],
            "toolgrade --help (aim: at most 2)": [*toolgrade, "--help"],
            "toolgrade check, 3 tests (aim: below 4)": [*toolgrade, "check", str(suite)],
        }
        seconds = dict.fromkeys(commands, float("inf"))
        for _ in range(11):  # in turns, so that a busy moment of the machine falls on all of them; the first warms up
            for name, command in commands.items():
                taken = best_of(1, lambda command=command: run_child(command, env))
                seconds[name] = min(seconds[name], taken)
    base = next(iter(seconds.values()))
    print("startup, best of 10 processes")
    for name, taken in seconds.items():
        print(f"  {taken * 1000:5.0f} ms  ratio {taken / base:.2f}  {name}")


def run_child(command: list[str], env: dict[str, str]) -> None:
    subprocess.run(command, check=True, capture_output=True, env=env)


if __name__ == "__main__":
    if PEAK in sys.argv:
        compile_whole(suite_text(int(sys.argv[-1]) or 1))
        print(peak_mb())
    else:
        measure_compiling()
        measure_peak()
        measure_startup()
