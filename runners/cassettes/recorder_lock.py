"""A lock file that lets one recorder at a time write to a suite's folder."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ...foundations.fault import Fault


@contextmanager
def hold_recording_lock(folder: Path) -> Generator[None]:
    """Lock a folder for writing. Raise `Fault`, with the other process's id, if another recorder holds it."""
    # The kernel releases an flock when its process ends, however it ends: no stale lock needs cleaning up.
    descriptor = _open_lock_file(folder)
    try:
        if not _try_lock(descriptor):
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
            raise Fault(f"{folder.as_posix()}: locked by pid {holder}", "wait for that recording to end")
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _open_lock_file(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise Fault(f"cannot lock {folder.as_posix()}: {error.strerror or error}") from None


def _try_lock(descriptor: int) -> bool:
    import fcntl  # not on Windows, where this module must still load

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
