"""`toolgrade init` with real servers: a suite that compiles and runs, and nothing replaced unasked."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunToolgrade
from toolgrade.runners.catalogs.fingerprint import ServerListing
from toolgrade.runners.catalogs.frozen_catalog import freeze_catalog

TOOLS: list[dict[str, Any]] = [
    {"name": "find_product", "description": "Finds a product of the shop by its title.", "inputSchema": {}},
    {"name": "shop_hours", "description": "Tells the opening hours on a weekday.", "inputSchema": {}},
    {"name": "delete_product", "description": "Deletes a product.", "inputSchema": {}},
]


@pytest.fixture
def command(tmp_path: Path) -> str:
    freeze_catalog(tmp_path / "mcp-shop.json", "shop", ServerListing("1.2", TOOLS))
    return f"'{sys.executable}' -m toolgrade.runners.servers.catalog_server mcp-shop.json"


def test_the_suite_compiles_and_runs_live(command: str, tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("init", "--command", command, "suites/first.yml")
    assert (done.code, done.stdout) == (0, "")
    assert done.stderr.splitlines()[1:] == [
        "wrote suites/first.yml: 2 classes, 2 of them found by a text search",
        "next: read it, correct it, then toolgrade run suites/first.yml --mode live",
    ]
    assert run_toolgrade("check", "suites/first.yml").code == 0
    text = (tmp_path / "suites/first.yml").read_text(encoding="utf-8")
    assert "delete_product" in text.split("servers:")[0]
    assert "delete_product" not in text.split("servers:")[1]
    live = run_toolgrade("run", "suites/first.yml", "--mode", "live", "--record")
    assert live.code == 0, live.stderr
    assert run_toolgrade("run", "suites/first.yml").code == 0
    assert run_toolgrade("drift", "suites/first.yml").code == 0


def test_the_file_is_named_after_the_first_server(command: str, tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("init", "--command", command, "--command", command, "--tests", "1")
    assert done.code == 0
    text = (tmp_path / "suites/toolgrade-runners-catalog.yml").read_text(encoding="utf-8")
    assert "  toolgrade-runners-catalog2: {command: [" in text
    assert "members: [toolgrade-runners-catalog.find_product, toolgrade-runners-catalog2.find_product]" in text


def test_a_file_is_replaced_only_by_force(command: str, tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    (tmp_path / "mine.yml").write_text("mine", encoding="utf-8")
    done = run_toolgrade("init", "--command", command, "mine.yml")
    assert done.code == 2
    assert "mine.yml is there already; nothing was written\n  name another file, or add --force" in done.stderr
    assert (tmp_path / "mine.yml").read_text(encoding="utf-8") == "mine"
    assert run_toolgrade("init", "--command", command, "mine.yml", "--force").code == 0
    assert (tmp_path / "mine.yml").read_text(encoding="utf-8").startswith("# A first suite")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ((), 2, "give --command or --url"),
        (("--command", "x", "--header", "a: b"), 2, "--header goes with --url"),
        (("--command", "x", "notes.txt"), 2, "a suite ends in .yml or .yaml"),
        (("--url", "ftp://x.example"), 2, "is not an http:// or https:// address"),
        (("--command", "no-such-program-here"), 3, "could not be started"),
    ],
)
def test_what_cannot_be_done_is_said(
    args: tuple[str, ...], code: int, message: str, tmp_path: Path, run_toolgrade: RunToolgrade
) -> None:
    done = run_toolgrade("init", *args)
    assert (done.code, done.stdout) == (code, "")
    assert message in done.stderr
    assert not list(tmp_path.rglob("*.yml"))
