"""A server is started where the suite says, from wherever its program is."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.rogues import ROGUE, rogue
from tests.runners.servers.test_session import connected
from toolgrade.compiler.plan import StdioServer


def cwd_of(server: StdioServer) -> Path:
    async def test() -> Path:
        async with connected(server) as session:
            return Path(f"/proc/{session.pid}/cwd").readlink()

    return asyncio.run(test())


def test_a_server_starts_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cwd_of(rogue()) == tmp_path


def test_a_relative_program_is_found_from_the_working_folder_also_with_cwd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    program = tmp_path / "bin/server"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{ROGUE.read_text()}")
    program.chmod(0o755)
    server = StdioServer("rogue", ("bin/server",), {"ROGUE_OF": str(os.getpid())}, cwd="elsewhere")
    assert cwd_of(server) == tmp_path / "elsewhere"
