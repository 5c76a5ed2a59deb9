"""The committed recordings: whole, free of this machine, and what the committed report was made from."""

import re
from pathlib import Path

from tests.conftest import ROOT, RunToolgrade

CASSETTES = ROOT / "cassettes"
A_MACHINE = re.compile(r"(?<![\w.])/(?:home|root|Users|tmp|work|var|opt)/")


def test_the_shipped_suites_replay_to_the_committed_report(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    done = run_toolgrade("run", "suites", "--out", tmp_path, cwd=ROOT)
    assert done.code == 0, done.stdout
    assert (tmp_path / "report.json").read_bytes() == (ROOT / "reports/replay/report.json").read_bytes()


def test_nothing_recorded_tells_of_the_machine_it_was_recorded_on() -> None:
    files = [file for file in CASSETTES.rglob("*.json") if not file.name.endswith(".meta.json")]
    assert len(files) > 60
    found = {file.name: match[0] for file in files if (match := A_MACHINE.search(file.read_text()))}
    assert found == {}
