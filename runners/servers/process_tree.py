"""Ending a server for good: its process, its group, and whatever it started that left both.

A descendant may found a session of its own or be adopted by init, so that neither group nor parent leads to it. What it
does not shed by that is its environment: every server carries a mark there, and on Linux /proc shows who has it.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MARK = "TOOLGRADE_SERVER"
_PROC = Path("/proc")
_ROUNDS = 50
_PAUSE_S = 0.02


async def end_process_tree(pid: int, mark: str) -> None:
    """Kill a server and all it started. Return when none is left, or after `_ROUNDS` tries."""
    import asyncio  # here, as the watchdog and a tap use the rest of this module and have to start at once

    # In rounds: between the listing and the kill, a process may have started another.
    for _ in range(_ROUNDS):
        if not kill_process_tree(pid, mark):
            return
        await asyncio.sleep(_PAUSE_S)


def kill_process_tree(pid: int, mark: str, variable: str = MARK) -> int:
    """Send SIGKILL to all living processes of a server, and return their number."""
    alive = list(find_live_processes(pid, mark, variable))
    for member in alive:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(member, getattr(signal, "SIGKILL", signal.SIGTERM))
    return len(alive)


def send_sigterm(pid: int) -> None:
    """Send SIGTERM to a server's process group."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGTERM)
        else:
            os.kill(pid, signal.SIGTERM)


def find_live_processes(pid: int, mark: str, variable: str = MARK) -> Iterator[int]:
    """Return the living processes of a server: in its group, below one of them, or with its mark."""
    if not _PROC.is_dir():
        yield from _find_process_group(pid)
        return
    wanted = f"{variable}={mark}".encode()
    parents = {found: state for found in _list_pids() if (state := _read_parent_and_group(found)) is not None}
    members = {
        found for found, (_, group) in parents.items() if group == pid or found == pid or _has_mark(found, wanted)
    }
    # To a fixed point: children of children are found by their parents, however deep.
    while grown := {found for found, (parent, _) in parents.items() if parent in members} - members:
        members |= grown
    yield from sorted(members)


def _find_process_group(pid: int) -> Iterator[int]:
    """Yield the leader's group, as one, if the system has no /proc."""
    try:
        os.kill(-pid, 0)  # signal 0 only asks whether the group exists
    except (ProcessLookupError, PermissionError, OSError):
        return
    yield -pid


def _list_pids() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()]


def _read_parent_and_group(pid: int) -> tuple[int, int] | None:
    """Return a process's parent and group, or None if it is gone, or dead and not yet collected."""
    try:
        # The name in parentheses may itself hold spaces and parentheses: only the last one ends it.
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in (b"Z", b"X") else (int(fields[1]), int(fields[2]))


def _has_mark(pid: int, mark: bytes) -> bool:
    try:
        return mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
