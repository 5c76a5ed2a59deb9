"""Measures how fast suites compile and the command starts: ratios of CPU time within one run."""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import yaml
from timing import least

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
    """Return a suite of ordinary tests."""
    return SERVERS + "tests:\n" + "".join(TEST.format(n=n) for n in range(tests))


def compile_whole(text: str) -> None:
    """Compile a text; exit if it has errors."""
    if compile_text(text).plan is None:
        raise SystemExit("the generated suite does not compile")


def peak_mb() -> float:
    """Return the most memory that this process has held."""
    # ru_maxrss is inherited from the parent process on Linux; VmHWM is not.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def measure_compiling() -> None:
    """Compare with the time that PyYAML's C loader takes, and show how the time grows with the tests."""
    text = suite_text(2_000)
    ours, theirs = least(5, lambda: compile_whole(text), lambda: yaml.load(text, Loader=yaml.CSafeLoader))
    print(f"compile, 2,000 tests ({len(text):,} bytes): {ours:.3f} s")
    print(f"  yaml.load with CSafeLoader, the same text: {theirs:.3f} s; ratio {ours / theirs:.2f} (aim: at most 1)")
    for tests, times in ((200, 9), (2_000, 5), (20_000, 2)):
        text = suite_text(tests)
        (seconds,) = least(times, lambda text=text: compile_whole(text))
        print(f"  {tests:>6,} tests: {seconds / tests * 1e6:6.1f} µs a test")


def measure_peak() -> None:
    """Print the peak memory of compiling, each in its own process."""
    for tests in (0, 20_000):
        child = subprocess.run([sys.executable, __file__, PEAK, str(tests)], check=True, capture_output=True, text=True)
        print(f"  peak memory, {tests:>6,} tests: {float(child.stdout):.0f} MB")


def measure_startup() -> None:
    """Compare the start of the command with importing click alone."""
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
        seconds = least(11, *(partial(run_child, command, env) for command in commands.values()))
    print("startup, best of 10 processes after one that warms up")
    for name, taken in zip(commands, seconds, strict=True):
        print(f"  {taken * 1000:5.0f} ms  ratio {taken / seconds[0]:.2f}  {name}")


def run_child(command: list[str], env: dict[str, str]) -> None:
    """Run a command and raise `CalledProcessError` if it fails."""
    subprocess.run(command, check=True, capture_output=True, env=env)


if __name__ == "__main__":
    if PEAK in sys.argv:
        compile_whole(suite_text(int(sys.argv[-1]) or 1))
        print(peak_mb())
    else:
        measure_compiling()
        measure_peak()
        measure_startup()
