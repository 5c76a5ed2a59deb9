"""The third-party servers: pinned, each on its own, installed once."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from playground.servers import Server, main, read_table
from tests.conftest import ROOT, ThirdParty

SERVER = Server("clock", "pypi", "clock==1.0", (), "clock-server")


def pretend_installed(server: Server) -> None:
    server.folder.mkdir(parents=True)
    (server.folder / "installed.json").write_text(server.stamp)
    server.launcher.parent.mkdir()
    server.launcher.touch()


def test_every_server_is_pinned_to_one_version() -> None:
    for server in read_table():
        assert re.fullmatch(r"[@\w./-]+==[\d.]+", server.package), server


def test_names_are_distinct_across_registries() -> None:
    names = [server.name for server in read_table()]
    assert len(names) == len(set(names))


def test_a_changed_row_is_installed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pretend_installed(SERVER)
    assert SERVER.is_installed
    assert not replace(SERVER, package="clock==1.1").is_installed
    assert not replace(SERVER, extra=("mcp<2",)).is_installed


def test_a_server_without_its_program_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pretend_installed(SERVER)
    SERVER.launcher.unlink()
    assert not SERVER.is_installed


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(SystemExit, match="no server mcp-sever-time"):
        main(["mcp-sever-time"])


def test_without_npm_its_servers_are_left_out_with_a_word(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "playground/servers.py", "mcp-git"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "Left out, as npm is not on PATH: mcp-git\n")
    assert not (tmp_path / ".servers/bin").exists()


def test_an_installed_server_starts_from_any_folder(third_party: ThirdParty, tmp_path: Path) -> None:
    argv = [third_party("mcp-server-time"), "--help"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert "--local-timezone" in done.stdout


@pytest.mark.node
def test_a_server_from_npm_starts_from_any_folder(third_party: ThirdParty, tmp_path: Path) -> None:
    assert shutil.which("node")
    argv = [third_party("mcp-server-filesystem"), str(tmp_path)]
    done = subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert b"stdio" in done.stderr
