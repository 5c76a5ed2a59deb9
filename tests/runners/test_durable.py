"""A file is wholly old or wholly new, whatever stops the write."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolgrade.runners import durable
from toolgrade.runners.durable import read_regular, write_durably
from toolgrade.runners.fault import Fault

OLD, NEW = b"old " * 1_000, b"new " * 50_000
KILL = """
import os, sys
from pathlib import Path
step, is_after = int(sys.argv[2]), sys.argv[3] == "after"
seen = 0
def hook(owner, name):
    real = getattr(owner, name)
    def wrapped(*args, **kwargs):
        global seen
        seen += 1
        if seen == step and not is_after: os._exit(9)
        done = real(*args, **kwargs)
        if seen == step: os._exit(9)
        return done
    setattr(owner, name, wrapped)
import tempfile
from toolgrade.runners.durable import write_durably
hook(tempfile, "mkstemp"); hook(os, "fdopen"); hook(os, "fsync"); hook(Path, "chmod"); hook(Path, "replace")
hook(os, "close")
write_durably(Path(sys.argv[1]), b"new " * 50_000)
"""


def test_a_kill_at_any_step_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    ends: list[tuple[int, bytes]] = []
    for step in range(1, 9):
        for when in ("before", "after"):
            file = tmp_path / f"{step}{when}.json"
            file.write_bytes(OLD)
            done = subprocess.run([sys.executable, "-c", KILL, file, str(step), when], check=False)
            ends.append((done.returncode, file.read_bytes()))
    assert {data for _, data in ends} == {OLD, NEW}
    assert [code for code, _ in ends].count(9) >= 12
    assert all(data == NEW for code, data in ends if code == 0)


STEPS: list[tuple[Any, str]] = [
    (durable.tempfile, "mkstemp"),
    (os, "fdopen"),
    (os, "fsync"),
    (Path, "chmod"),
    (Path, "replace"),
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


def test_a_folder_that_cannot_be_synced_is_a_fault_that_says_the_file_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable, "_sync_folder", failing(errno.EIO))
    with pytest.raises(Fault, match="could not sync") as caught:
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
