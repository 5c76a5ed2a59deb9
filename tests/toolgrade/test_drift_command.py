"""`toolgrade drift` with real servers: cassettes of the real Recorder against what is listed now."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.conftest import RunToolgrade
from tests.recordings import record_all, write_suite
from toolgrade.runners.catalogs.fingerprint import ServerListing
from toolgrade.runners.catalogs.frozen_catalog import freeze_catalog

SUITE = """\
servers:
  docs: {catalog: docs.json}
  mail: {catalog: mail.json}
tests:
  - {name: finds it, prompt: Find it., model: m1, servers: [docs], runs: 2, expect: [{turns: {">=": 0}}]}
  - {name: sends it, prompt: Send it., model: m1, servers: [docs, mail], expect: [{turns: {">=": 0}}]}
"""
SEARCH: dict[str, Any] = {"name": "search", "description": "Search the docs.", "inputSchema": {"type": "object"}}
SEND: dict[str, Any] = {"name": "send", "description": "Send a mail.", "inputSchema": {"type": "object"}}
RECORD = "next: toolgrade run suites/shop.yml --mode live"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A suite whose two tests were recorded with the catalogs beside it."""
    relist(tmp_path, docs=[SEARCH], mail=[SEND])
    plan = write_suite(tmp_path, SUITE)
    for test, tools in (("finds it", {"docs": [SEARCH]}), ("sends it", {"docs": [SEARCH], "mail": [SEND]})):
        record_all(tmp_path, narrowed(plan, test), tools=tools)
    return tmp_path


def narrowed(plan: Any, test: str) -> Any:
    (suite,) = plan.suites
    tests = tuple(one for one in suite.tests if one.name == test)
    return msgspec.structs.replace(plan, suites=(msgspec.structs.replace(suite, tests=tests),))


def relist(folder: Path, **servers: list[dict[str, Any]]) -> None:
    for name, tools in servers.items():
        freeze_catalog(folder / f"suites/{name}.json", name, ServerListing("1", tools))


def test_recordings_that_still_fit_end_with_0(shop: Path, run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("drift")
    assert done.code == 0
    assert done.stdout.splitlines() == [
        "suites/shop.yml: 1 test recorded with docs: no drift",
        "suites/shop.yml: 1 test recorded with docs, mail: no drift",
    ]
    assert sorted(done.stderr.splitlines()) == ["docs: serving docs.json", "mail: serving mail.json"]


def test_drift_names_tool_and_field_and_ends_with_4(shop: Path, run_toolgrade: RunToolgrade) -> None:
    relist(shop, mail=[{**SEND, "description": "Send mails."}, {**SEND, "name": "delete"}])
    done = run_toolgrade("drift")
    assert done.code == 4
    assert done.stdout.splitlines() == [
        "suites/shop.yml: 1 test recorded with docs: no drift",
        "suites/shop.yml: 1 test recorded with docs, mail: the tools changed",
        "  mail: delete added",
        "  mail.send: description changed",
    ]
    assert done.stderr.splitlines()[-1] == f"{RECORD} --test='sends it'"


def test_what_a_model_does_not_see_is_shown_and_no_drift(shop: Path, run_toolgrade: RunToolgrade) -> None:
    relist(shop, docs=[{**SEARCH, "annotations": {"readOnlyHint": True}}])
    done = run_toolgrade("drift", "suites/shop.yml")
    assert done.code == 0
    assert "  docs.search: annotations changed, outside what the model sees\n" in done.stdout


def test_json_has_the_changes(shop: Path, run_toolgrade: RunToolgrade) -> None:
    relist(shop, docs=[{**SEARCH, "inputSchema": {}}])
    done = run_toolgrade("drift", "--format", "json")
    assert done.code == 4
    (suite,) = json.loads(done.stdout)["suites"]
    assert (suite["file"], suite["refused"], suite["unreachable"]) == ("suites/shop.yml", [], {})
    change = {"kind": "changed", "server": "docs", "tool": "search", "fields": ["inputSchema"]}
    assert [comparison["changes"] for comparison in suite["comparisons"]] == [[change], [change]]
    assert done.stderr.splitlines()[-1] == RECORD


def test_without_its_lock_file_the_fingerprints_are_compared(shop: Path, run_toolgrade: RunToolgrade) -> None:
    (shop / "cassettes/shop/toolsets.lock.json").unlink()
    assert run_toolgrade("drift").code == 0
    relist(shop, docs=[{**SEARCH, "name": "find"}])
    done = run_toolgrade("drift")
    assert done.code == 4
    assert "  recorded sha256:" in done.stdout


def test_a_corrupt_lock_file_ends_with_4(shop: Path, run_toolgrade: RunToolgrade) -> None:
    (shop / "cassettes/shop/toolsets.lock.json").write_text("[]", encoding="utf-8")
    done = run_toolgrade("drift")
    assert done.code == 4
    assert "refused: cassettes/shop/toolsets.lock.json: " in done.stderr


def test_a_server_that_cannot_be_reached_ends_with_3_and_the_rest_is_compared(
    shop: Path, run_toolgrade: RunToolgrade
) -> None:
    (shop / "suites/mail.json").write_text("[]", encoding="utf-8")
    done = run_toolgrade("drift")
    assert done.code == 3
    assert done.stdout == "suites/shop.yml: 1 test recorded with docs: no drift\n"
    assert "toolgrade: server `mail` ended with code 2 before it was ready\n" in done.stderr
    assert "the file is not an object" in done.stderr


@pytest.mark.parametrize("content", [None, "{}"])
def test_a_missing_or_corrupt_cassette_ends_with_4(
    shop: Path, run_toolgrade: RunToolgrade, content: str | None
) -> None:
    for file in shop.glob("cassettes/shop/*/*.json"):
        if content is None:
            file.unlink()
        else:
            file.write_text(content, encoding="utf-8")
    done = run_toolgrade("drift")
    assert (done.code, done.stdout) == (4, "")
    assert done.stderr.count("refused: cassettes/shop/") == 3
    assert done.stderr.splitlines()[-1] == RECORD


def test_nothing_is_written_and_no_tool_is_called(shop: Path, run_toolgrade: RunToolgrade) -> None:
    before = {file: file.read_bytes() for file in shop.rglob("*") if file.is_file()}
    run_toolgrade("drift")
    assert {file: file.read_bytes() for file in shop.rglob("*") if file.is_file()} == before


def test_a_suite_that_does_not_compile_ends_with_2(tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    (tmp_path / "bad.yml").write_text("tests: 7\n", encoding="utf-8")
    assert run_toolgrade("drift", "bad.yml").code == 2
