"""Files that are written whole or not at all."""

import os
import stat
from pathlib import Path
from secrets import token_hex

from ..foundations.fault import Fault

TEMPORARY = ".tmp"
"""How the name of a file ends that is not whole yet; it begins with a dot."""

_READING = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def write_durably(path: Path, data: bytes) -> None:
    """Replace a file by one rename, after its bytes are on disk; what fails before it leaves the old file as it was."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _refuse_other_kinds(path)
        _replace_file(path, data)
    except OSError as error:
        what = f"{path}: {error.strerror or error}"
        help_ = f"{len(data):,} bytes are needed; the file that was there is untouched"
        raise Fault(f"could not write {what}", help_) from None
    try:
        _sync_folder(path.parent)
    except OSError as error:
        help_ = "the new file is there and whole, but may not survive a power failure"
        raise Fault(f"could not sync {path.parent}: {error.strerror or error}", help_) from None


def read_regular(path: Path | str, limit: int) -> bytes:
    """The bytes of a regular file, at most one more than `limit`.

    A link, a folder, a pipe or a device is refused, and nothing hangs.
    """
    descriptor = os.open(path, _READING)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(None, "not a regular file")
        return _read_up_to(
            descriptor, min(limit, found.st_size) + 1
        )  # a buffer of all that is asked for is made at once
    finally:
        os.close(descriptor)


def _read_up_to(descriptor: int, size: int) -> bytes:
    """Up to `size` bytes; one call may give fewer than there are."""
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
    temporary = path.with_name(f".{path.name[:40]}.{token_hex(4)}{TEMPORARY}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    """All of the bytes; one call may take fewer than it is given."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_folder(folder: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
