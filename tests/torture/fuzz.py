"""Mutated files through every reader, for a time that is given: `python -m tests.torture.fuzz --seconds N --seed S`.

A reader gives a value or a typed refusal. Anything else, more than a second, or more than 300 MB fails the run and
keeps the input.
"""

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from toolgrade.compiler.compilation import SuiteSource, compile_sources
from toolgrade.foundations.fault import Fault
from toolgrade.foundations.redaction import Redactor
from toolgrade.runners.cassettes.cassette_file import Refusal, load_cassette
from toolgrade.runners.catalogs.frozen_catalog import read_catalog
from toolgrade.runners.trace_file import read_runs
from toolgrade.site.report.report_file import read_report

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 1.0
MOST_MEGABYTES = 300
_TURN_S = 0.25
WORDS = (
    *(b"null", b"-1", b"1e999", b"NaN", b"9" * 400, b'"\\ud800"', b"\xff", b"\x00", b"[" * 300, b"{" * 50, b"]" * 50),
    *(
        b"&a",
        b"*a",
        b"<<: *a",
        b"!!python/object:os.system",
        b"---\n",
        b"\t",
        b"\r",
        b": ",
        b"- ",
        b"'",
        b'"',
        b"|\n",
        b"%41",
    ),
    *(b"${env:HOME}", b"-----BEGIN PRIVATE KEY-----", b"&#65;", b"\\u0041", b"\xef\xbb\xbf", b"#", b",", b"}", b"0"),
)


@dataclass
class Reader:
    """A reader, what it starts from, and what was seen of it."""

    name: str
    read: Callable[[bytes], object]
    seeds: list[bytes]
    tried: int = 0
    refused: int = 0
    slowest_s: float = 0.0
    failures: list[str] = field(default_factory=list[str])


def make_readers(folder: Path) -> list[Reader]:
    """One for each format that is read from outside."""
    file = folder / "input"

    def on_disk(read: Callable[[Path], object]) -> Callable[[bytes], object]:
        def write_and_read(data: bytes) -> object:
            file.write_bytes(data)
            return read(file)

        return write_and_read

    cassettes = sorted((ROOT / "cassettes").rglob("*.run1.json"), key=lambda path: path.stat().st_size)[:8]
    suites = [*sorted((ROOT / "suites").glob("*.yml")), *sorted((ROOT / "tests/compiler/valid").glob("*.yml"))]
    reports = sorted((ROOT / "tests/golden/replay").glob("*/report.json"))
    trace = {"tool_calls": [{"server": "docs", "name": "search", "args": {"q": "a"}, "status": "ok"}], "turns": 1}
    catalog = {"schema": "toolgrade.catalog/1", "tools": [{"name": "a", "inputSchema": {"type": "object"}}]}
    return [
        Reader("suite", lambda data: compile_sources([SuiteSource("s.yml", data)]), _read_all(suites)),
        Reader("report", read_report, _read_all(reports)),
        Reader("cassette", on_disk(load_cassette), _read_all(cassettes)),
        Reader("trace", on_disk(lambda path: list(read_runs([path]))), [json.dumps(trace).encode() + b"\n"]),
        Reader("catalog", on_disk(read_catalog), [json.dumps(catalog).encode()]),
        Reader("redaction", _redact, _read_all(cassettes[:2])),
    ]


def fuzz(readers: list[Reader], seconds: float, seed: int) -> None:
    """Give each reader as much of the time, in turns; a seed stands for one sequence of inputs for each."""
    end = time.monotonic() + seconds
    lucks = [random.Random(seed + number) for number in range(len(readers))]
    while time.monotonic() < end:
        for reader, luck in zip(readers, lucks, strict=True):
            turn = time.monotonic() + _TURN_S
            while time.monotonic() < turn:
                _try_once(reader, mutate(luck.choice(reader.seeds), luck))


def mutate(data: bytes, luck: random.Random) -> bytes:
    """Return the data after a few cuts, repeats and insertions."""
    for _ in range(luck.randint(1, 4)):
        start = luck.randrange(len(data) + 1)
        end = min(len(data), start + luck.choice((0, 1, 1, 2, 8, 64, 4096)))
        middle = luck.choice((b"", luck.choice(WORDS), data[start:end] * 2, bytes([luck.randrange(256)])))
        data = data[:start] + middle + data[end:]
    return data


def _try_once(reader: Reader, data: bytes) -> None:
    reader.tried += 1
    began = time.process_time()
    try:
        reader.read(data)
    except (Fault, Refusal):
        reader.refused += 1
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        reader.failures.append(f"{type(error).__name__}: {error}: {data[:2000]!r}")
    took = time.process_time() - began
    reader.slowest_s = max(reader.slowest_s, took)
    if took > MOST_SECONDS:
        reader.failures.append(f"took {took:.1f} s: {data[:2000]!r}")


def _redact(data: bytes) -> None:
    redactor = Redactor(["CANARY-of-the-torture"])
    text = redactor.redact_text(data.decode("utf-8", "replace") + "CANARY-of-the-torture")
    assert not redactor.has_leak(text.encode()), "a known secret was left"


def _read_all(paths: list[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=15)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        readers = make_readers(Path(folder))
        fuzz(readers, options.seconds, options.seed)
    for reader in readers:
        sys.stdout.write(
            f"{reader.name:10} {reader.tried:>9,} inputs, {reader.refused:>9,} refused, "
            f"slowest {reader.slowest_s * 1000:.0f} ms, {len(reader.failures)} failures\n"
        )
        sys.stdout.writelines(f"  {failure[:4000]}\n" for failure in reader.failures[:5])
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"most memory {megabytes} MB\n")
    return int(any(reader.failures for reader in readers) or megabytes > MOST_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
