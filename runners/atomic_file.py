"""Writing files whole or not at all, and reading regular files within a bound."""

import os
import stat
from pathlib import Path
from secrets import token_hex

from ..foundations.fault import Fault

TEMPORARY = ".tmp"
"""The suffix of a file that is still being written; its name begins with a dot."""

# Without O_NOFOLLOW a link planted in a cassette folder could name any file; without O_NONBLOCK a pipe would block.
_READING = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def write_durably(path: Path, data: bytes) -> None:
    """Write a file by renaming a synced temporary one. Raise `Fault` if that fails; the old file is then untouched."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _refuse_other_kinds(path)
        _replace_file(path, data)
    except OSError as error:
        what = f"{path}: {error.strerror or error}"
        help_ = f"{len(data):,} bytes are needed; the file that was there is untouched"
        raise Fault(f"cannot write {what}", help_) from None
    # The rename itself is on disk only when the folder is synced.
    try:
        _sync_folder(path.parent)
    except OSError as error:
        help_ = "the new file is there and whole, but may not survive a power failure"
        raise Fault(f"cannot sync {path.parent}: {error.strerror or error}", help_) from None


def read_regular(path: Path | str, limit: int) -> bytes:
    """Return the bytes of a regular file, at most one more than `limit`, so that the caller sees that it is longer.

    Raise `OSError` if it is a link, a folder, a pipe or a device.
    """
    descriptor = os.open(path, _READING)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(None, "not a regular file")
        # os.read allocates all that it is asked for, so the size of the file bounds it, not the limit.
        return _read_up_to(descriptor, min(limit, status.st_size) + 1)
    finally:
        os.close(descriptor)


def _read_up_to(descriptor: int, size: int) -> bytes:
    """Return up to `size` bytes."""
    # One os.read may return fewer bytes than there are, on network file systems for example.
    data = os.read(descriptor, size)
    while len(data) < size and (more := os.read(descriptor, size - len(data))):
        data += more
    return data


def _refuse_other_kinds(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise OSError(None, "something that is not a regular file stands here")


def _replace_file(path: Path, data: bytes) -> None:
    # The random part keeps two writers apart; 40 characters of the name keep within the 255 bytes of a file name.
    temporary = path.with_name(f".{path.name[:40]}.{token_hex(4)}{TEMPORARY}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
    # Also on KeyboardInterrupt: an interrupted run leaves no temporary file behind.
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    """Write all of the bytes."""
    # One os.write may take fewer bytes than it is given: on a full disk the next one then says why.
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_folder(folder: Path) -> None:
    # Windows cannot open a folder, and has no O_DIRECTORY.
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
