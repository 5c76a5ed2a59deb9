"""Measures how fast traces are scored, and in how much memory: ratios of CPU time within one run."""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
from timing import least

TRACES, CALLS, TOOLS = 100_000, 5, 12
SUITE = """\
tests:
  - name: three classes
    equal_function_sets:
      classes:
        - {name: search, members: [s0.tool0, s1.tool1]}
        - {name: fetch, members: [s2.tool2]}
        - {name: store, members: [tool3, s0.tool4]}
      expect:
        - tool_selection.f1: {">=": 0}
"""


class TypedCall(msgspec.Struct):
    """A call as the comparison decodes it: every field of a line, the arguments left as raw JSON."""

    name: str
    server: str
    args: msgspec.Raw
    status: str


class TypedRun(msgspec.Struct):
    """A run of such calls: plain structs without constraints, the least that typed decoding can cost."""

    tool_calls: list[TypedCall]


def write_traces(file: Path, traces: int) -> None:
    """Write random traces that are equal every time, from a pool of lines so that a million are written fast."""
    chance = random.Random(20)
    pool = [_line(chance) for _ in range(5_000)]
    with file.open("wb") as stream:
        stream.writelines(chance.choice(pool) for _ in range(traces))


def _line(chance: random.Random) -> bytes:
    calls = [
        {
            "name": f"tool{(tool := chance.randrange(TOOLS))}",
            "server": f"s{tool % 3}",
            "args": {"query": f"quarterly revenue {chance.randrange(1_000_000)}", "limit": chance.randrange(100)},
            "status": "error" if chance.random() < 0.1 else "ok",
        }
        for _ in range(CALLS)
    ]
    return msgspec.json.encode({"tool_calls": calls}) + b"\n"


def typed_runs(file: Path) -> Iterator[TypedRun]:
    """Yield the runs of a file, decoded."""
    decoder = msgspec.json.Decoder(TypedRun)
    with file.open("rb") as stream:
        for line in stream:
            yield decoder.decode(line)


def decode_all(file: Path) -> None:
    """Decode every run of a file."""
    for _ in typed_runs(file):
        pass


def run_child(command: list[str]) -> None:
    """Run a command and raise `CalledProcessError` if it fails."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def peak_mb(command: list[str]) -> float:
    """Return the most memory that a command held, measured by a process that has no other child."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=-3, stderr=-3); "
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", code, *command], check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def main() -> None:
    """Print the times, the peak memory and its growth."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder, "cache"))
        suite, file = Path(folder, "suite.yml"), Path(folder, "runs.jsonl")
        suite.write_text(SUITE, encoding="utf-8")
        score = [sys.executable, "-m", "toolgrade", "score", str(suite), str(file), "--format", "json"]
        decode = [sys.executable, __file__, "--decode", str(file)]
        write_traces(file, 10)
        run_child(score)
        write_traces(file, TRACES)
        ours, theirs, alone = least(5, lambda: run_child(score), lambda: run_child(decode), lambda: decode_all(file))
        print(f"score, {TRACES:,} traces of {CALLS} calls, 3 classes ({file.stat().st_size:,} bytes)")
        print(f"  toolgrade score --format json, a process: {ours:.3f} s")
        print(f"  msgspec into typed structs, a process:    {theirs:.3f} s; ratio {ours / theirs:.2f} (aim: 2.5)")
        print(f"  msgspec into typed structs, in-process:   {alone:.3f} s; ratio {ours / alone:.2f}")
        peaks: dict[int, float] = {}
        for traces in (10_000, 1_000_000):
            write_traces(file, traces)
            peaks[traces] = peak_mb(score)
            print(f"  peak memory, {traces:>9,} traces: {peaks[traces]:.1f} MB")
        print(f"  growth: {peaks[1_000_000] - peaks[10_000]:.1f} MB (aim: within 30)")


if __name__ == "__main__":
    if "--decode" in sys.argv:
        decode_all(Path(sys.argv[-1]))
    else:
        main()
