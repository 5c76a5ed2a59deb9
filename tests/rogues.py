"""Servers written to misbehave, and the check that none of them is left."""

import os
import sys
from pathlib import Path

from toolgrade.compiler.plan import StdioServer

ROGUE = Path(__file__).parent / "servers" / "rogue.py"


def rogue(*behaviours: str, **env: str) -> StdioServer:
    return StdioServer("rogue", (sys.executable, str(ROGUE), *behaviours), {"ROGUE_OF": str(os.getpid()), **env})


def started_by_us() -> list[int]:
    """The processes alive that were started for this test process, however far removed."""
    wanted = f"ROGUE_OF={os.getpid()}".encode()
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found
