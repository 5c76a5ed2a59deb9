"""A file is wholly old or wholly new, whatever stops the write."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolgrade.foundations.fault import Fault
from toolgrade.runners import atomic_file as durable
from toolgrade.runners.atomic_file import read_regular, write_durably

OLD, NEW = b"old " * 1_000, b"new " * 50_000
STEPS: list[tuple[Any, str]] = [
    (os, "open"),
    (os, "write"),
    (os, "fsync"),
    (os, "replace"),
    (Path, "mkdir"),
    (Path, "lstat"),
]


def failing(code: int) -> Callable[..., Any]:
    def fail(*_args: Any, **_kwargs: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO])
@pytest.mark.parametrize(("owner", "name"), STEPS, ids=[name for _, name in STEPS])
def test_a_disk_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, code: int
) -> None:
    file = tmp_path / "f.json"
    file.write_bytes(OLD)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, failing(code))
        with pytest.raises(Fault) as caught:
            write_durably(file, NEW)
    assert (caught.value.exit_code, caught.value.help) == (
        3,
        "200,000 bytes are needed; the file that was there is untouched",
    )
    assert os.strerror(code) in str(caught.value)
    assert file.read_bytes() == OLD
    assert [entry.name for entry in tmp_path.iterdir()] == ["f.json"]


def test_a_disk_that_takes_a_few_bytes_at_a_time_gets_them_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def write_some(descriptor: int, data: bytes) -> int:
        return real(descriptor, data[:777])

    monkeypatch.setattr(os, "write", write_some)
    write_durably(tmp_path / "f", NEW)
    assert (tmp_path / "f").read_bytes() == NEW


def test_a_new_file_has_the_rights_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_durably(tmp_path / "f", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o640


def test_a_folder_that_cannot_be_synced_is_a_fault_that_says_the_file_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable, "_sync_folder", failing(errno.EIO))
    with pytest.raises(Fault, match="cannot sync") as caught:
        write_durably(tmp_path / "f.json", NEW)
    assert "the new file is there and whole" in str(caught.value.help)
    assert (tmp_path / "f.json").read_bytes() == NEW


def test_links_folders_and_pipes_are_neither_read_nor_replaced(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(OLD)
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "folder", "pipe"):
        with pytest.raises(Fault, match="not a regular file"):
            write_durably(tmp_path / name, NEW)
        with pytest.raises(OSError, match=r"regular|symbolic"):
            read_regular(tmp_path / name, 10)
    assert target.read_bytes() == OLD


def test_a_hard_link_keeps_its_other_name_untouched(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(OLD)
    (tmp_path / "f").hardlink_to(tmp_path / "other")
    write_durably(tmp_path / "f", NEW)
    assert ((tmp_path / "other").read_bytes(), (tmp_path / "f").read_bytes()) == (OLD, NEW)
