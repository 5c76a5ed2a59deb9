"""Replay never takes a file that is not exactly what was recorded, and its report does not depend on who ran it."""

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from tests.conftest import Golden
from tests.recordings import SHOP, compiled, make_shop, record_runs, write_suite
from toolgrade.cassette import Refusal, load_cassette
from toolgrade.foundations.canonical_json import to_json
from toolgrade.runners.cassettes.cassette import seal_cassette
from toolgrade.runners.cell_result import CellResult
from toolgrade.runners.cell_selection import Selection, iterate_cells
from toolgrade.runners.engine import run_cells
from toolgrade.runners.replay import Replay, find_unused_cassettes
from toolgrade.site.report.report_model import make_report

GOLDEN = Path(__file__).parents[1] / "golden/replay"


def refusal_of(file: Path, data: bytes) -> Refusal:
    """Why these bytes are refused; whatever else is raised fails the test."""
    file.write_bytes(data)
    with pytest.raises(Refusal) as caught:
        load_cassette(file)
    return caught.value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return make_shop(tmp_path)[0]


def replay(folder: Path) -> tuple[CellResult, ...]:
    cells = list(iterate_cells(compiled(folder)))
    return run_cells(cells, Replay(folder / "cassettes"))


def test_every_prefix_of_a_cassette_is_corrupt(file: Path) -> None:
    data = file.read_bytes()
    for end in range(len(data)):
        assert str(refusal_of(file, data[:end])) == "corrupt", end


def test_more_bytes_after_a_cassette_are_corrupt(file: Path) -> None:
    data = file.read_bytes()
    for more in (b" ", b"\n", b"{}", b"\0", data):
        assert str(refusal_of(file, data + more)) == "corrupt"


def test_a_thousand_flipped_bits_are_all_found(file: Path) -> None:
    data, chance = file.read_bytes(), random.Random(4)
    seen: set[str] = set()
    for _ in range(1_000):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        seen.add(str(refusal_of(file, bytes(flipped))).partition(" ")[0].rstrip(";:"))
    assert "corrupt" in seen
    assert seen <= {"corrupt", "not", "written"}


HOSTILE = {
    "depth": b"[" * 100_000 + b"]" * 100_000,
    "open depth": b'{"a":' * 100_000,
    "not a number": b"NaN",
    "infinity": b"-Infinity",
    "lone surrogate": b'"\\ud800"',
    "raw surrogate": b'"\xed\xa0\x80"',
    "not UTF-8": b'"\xff"',
    "5,000 digits": b"9" * 5_000,
    "huge exponent": b"1e999999999",
    "NUL": b'"\0"',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("place", [b'"12"', b'"ok"', b'"revenue"', b"1", b'"m1"'])
def test_hostile_json_is_corrupt(file: Path, name: str, place: bytes) -> None:
    data = file.read_bytes()
    assert place in data
    assert str(refusal_of(file, data.replace(place, HOSTILE[name], 1))) == "corrupt"


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}", b'"x"', b"\xef\xbb\xbf{}", b"[" * 100_000])
def test_what_is_no_cassette_is_refused(file: Path, data: bytes) -> None:
    refusal_of(file, data)


def test_a_key_that_stands_twice_is_corrupt(file: Path) -> None:
    data = file.read_bytes()
    for line in (b'"format": 1', b'"status": "complete"', b'"kind": "toolgrade.cassette"', b'"redactions": 0'):
        assert str(refusal_of(file, data.replace(line, line + b",\n  " + line, 1))) == "corrupt"
    integrity = next(line for line in data.splitlines() if b"integrity" in line)
    assert str(refusal_of(file, data.replace(integrity, integrity + b"\n" + integrity))) == "corrupt"


def test_a_key_that_nobody_knows_is_corrupt(file: Path) -> None:
    assert str(refusal_of(file, file.read_bytes().replace(b"{", b'{"x": 1, ', 1))) == "corrupt"


def test_a_recording_that_was_interrupted_is_refused(file: Path, tmp_path: Path) -> None:
    file.write_bytes(seal_cassette(msgspec.structs.replace(load_cassette(file), status="incomplete")))
    first, *rest = replay(tmp_path)
    assert (first.status, [result.status for result in rest]) == ("error", ["passed", "passed"])
    assert first.error is not None
    assert first.error.endswith("incomplete: the recording was interrupted")


def test_a_file_in_the_place_of_another_is_refused(tmp_path: Path) -> None:
    files = make_shop(tmp_path)
    for source, target in itertools.permutations(files, 2):
        kept = target.read_bytes()
        shutil.copy(source, target)
        assert [result.status for result in replay(tmp_path)].count("error") == 1, (source, target)
        target.write_bytes(kept)
    assert {result.status for result in replay(tmp_path)} == {"passed"}


def test_a_lock_file_that_is_missing_damaged_or_newer_is_refused(tmp_path: Path) -> None:
    lock = make_shop(tmp_path)[0].parents[1] / "toolsets.lock.json"
    data = lock.read_bytes()
    cases = {
        "the tools of a cassette are missing": None,
        "JSON is malformed": b"<<<<<<< main\n" + data,
        "upgrade toolgrade": data.replace(b'"format": 1', b'"format": 2'),
        "a fingerprint does not fit its tools": data.replace(b'"server": "docs"', b'"server": "dogs"', 1),
    }
    for reason, changed in cases.items():
        lock.unlink()
        if changed is not None:
            lock.write_bytes(changed)
        results = replay(tmp_path)
        assert {result.status for result in results} == {"error"}
        assert reason in str(results[0].error)
        lock.write_bytes(data)


def test_a_sealed_file_whose_values_make_no_sense_is_corrupt(tmp_path: Path) -> None:
    file = make_shop(tmp_path)[0]
    whole = load_cassette(file)
    bad_args = msgspec.structs.replace(whole.tool_calls[0], args=msgspec.Raw(b'"\xff"'))
    for change in ({"cost": "abc"}, {"cost": "-1"}, {"tool_calls": (bad_args,)}):
        file.write_bytes(seal_cassette(msgspec.structs.replace(whole, **change)))
        first, *_ = replay(tmp_path)
        assert str(first.error) == "run 1 is corrupt", change


def test_a_test_without_a_model_is_skipped(tmp_path: Path) -> None:
    write_suite(tmp_path, "tests: [{name: t, tool_correctness: {expected_tools: [a]}}]\n")
    (only,) = replay(tmp_path)
    assert (only.status, only.runs, only.error) == ("skipped", 0, None)


def test_unused_cassettes_leave_out_what_is_no_cassette(tmp_path: Path) -> None:
    file = make_shop(tmp_path)[0]
    stray = file.with_name("stray.run1.json")
    for other in (stray, file.with_name("x.meta.json"), file.with_name("notes.txt")):
        other.write_text("{}")
    assert list(find_unused_cassettes(tmp_path / "cassettes", compiled(tmp_path))) == [stray]


SETTINGS = """
import os, sys, time
from hashlib import sha256
from pathlib import Path
from toolgrade.cli import run_command_line
os.fsync = lambda descriptor: None
for folder in sys.argv[1:]:
    os.chdir(folder)
    for zone in ("UTC", "Asia/Kathmandu", "America/St_Johns"):
        os.environ["TZ"] = zone
        time.tzset()
        for workers in ("1", "2", "8"):
            out = f"out/{os.environ['PYTHONHASHSEED']}-{zone.replace('/', '-')}-{workers}"
            assert run_command_line(["run", "-j", workers, "--out", out]) == 0
            print(sha256(Path(out, "report.json").read_bytes()).hexdigest(), file=sys.stderr)
"""


def test_one_report_whatever_the_seed_zone_locale_workers_and_folder(tmp_path: Path) -> None:
    """Fifty seeds are fifty processes: each has one of three locales, and every zone, number of workers and folder."""
    folders = [tmp_path / "a", tmp_path / "deeper" / "ü b"]
    for folder in folders:
        make_shop(folder)
    command = [sys.executable, "-c", SETTINGS, *map(str, folders)]

    def hashes(seed: int) -> list[str]:
        locale = ("C", "C.UTF-8", "tr_TR.UTF-8")[seed % 3]
        env = {**os.environ, "PYTHONHASHSEED": str(seed), "LC_ALL": locale}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=120)
        return [line for line in done.stderr.splitlines() if not line.startswith("next: ")]

    with ThreadPoolExecutor(4) as pool:
        found = [line for lines in pool.map(hashes, range(50)) for line in lines]
    assert (len(found), len(set(found))) == (50 * 3 * 3 * 2, 1)


def test_the_union_of_shards_is_everything(tmp_path: Path) -> None:
    plan = write_suite(tmp_path, SHOP)
    for parts in range(1, 6):
        shards = [Selection(shard=(part, parts)).select_cells(plan) for part in range(1, parts + 1)]
        found = [cell.cell.id for shard in shards for cell in shard]
        assert sorted(found) == sorted(cell.cell.id for cell in iterate_cells(plan))


@pytest.mark.parametrize("case", sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir()))
def test_golden_runs_give_golden_cassettes_and_those_a_golden_report(
    case: str, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = GOLDEN / case
    monkeypatch.chdir(folder)
    plan = record_runs(folder, tmp_path)
    recorded = {file.relative_to(tmp_path): file for file in tmp_path.rglob("*.json")}
    for name, file in recorded.items():
        golden(file.read_text(encoding="utf-8"), folder / "cassettes" / name)
    assert {file.relative_to(folder / "cassettes") for file in folder.glob("cassettes/**/*.json")} == recorded.keys()
    results = run_cells(list(iterate_cells(plan)), Replay(Path("cassettes")), 2)
    report = to_json(make_report(plan, results, "replay")).decode()
    assert json.loads(report)["summary"]["errors"] == 0
    golden(report, folder / "report.json")
