"""One recorder at a time: a lock that names its holder and dies with it."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ...foundations.fault import Fault


@contextmanager
def hold_recording_lock(folder: Path) -> Generator[None]:
    """Hold a folder for writing; who else holds it is named. A holder that died leaves nothing behind."""
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
        raise Fault(f"could not lock {folder.as_posix()}: {error.strerror or error}") from None


def _try_lock(descriptor: int) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
