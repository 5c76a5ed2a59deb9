"""Suite files on disk: which are meant, in what order, and how they are called on every machine."""

from pathlib import Path

import pytest

from toolgrade.foundations.fault import BadInput
from toolgrade.runners.suite_files import make_catalog_reader, read_suites

SUITE = "tests: [{name: t, tool_correctness: {expected_tools: [a]}}]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.yml", "a.yaml", "deep/c.yml", ".hidden.yml", ".git/d.yml", "notes.txt"):
        file = tmp_path / "suites" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SUITE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_is_every_suite_below_it_by_name() -> None:
    assert [source.file for source in read_suites([])] == ["suites/a.yaml", "suites/b.yml", "suites/deep/c.yml"]


def test_a_suite_named_twice_is_read_once() -> None:
    assert len(read_suites(["suites", "suites/b.yml", "./suites/../suites/b.yml"])) == 3


def test_the_recorded_name_is_relative_wherever_the_command_is_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = [source.recorded for source in read_suites([str(folder / "suites" / "b.yml")])]
    monkeypatch.chdir(folder / "suites" / "deep")
    outside = [source.recorded for source in read_suites([str(folder / "suites" / "b.yml")])]
    assert (inside, outside) == (["suites/b.yml"], ["b.yml"])


def test_what_cannot_be_read_says_why(folder: Path) -> None:
    (folder / "empty").mkdir()
    for argument, why in (
        ("empty", "no suite here"),
        ("nothing.yml", "no such file"),
        ("suites/bb.yml", "no such file"),
    ):
        with pytest.raises(BadInput, match=why):
            read_suites([argument])
    with pytest.raises(BadInput) as caught:
        read_suites(["suites/bb.yml"])
    assert caught.value.help == "did you mean `b.yml`?"


def test_a_catalog_gives_its_tools_or_why_it_cannot_be_read(folder: Path) -> None:
    (folder / "good.json").write_text('{"tools": [{"name": "a", "inputSchema": {}}]}', encoding="utf-8")
    (folder / "bad.json").write_text("{", encoding="utf-8")
    tools_of = make_catalog_reader(folder)
    assert tools_of("good.json") == frozenset({"a"})
    assert str(tools_of("bad.json")).startswith("bad.json: not JSON")
    assert tools_of("none.json") == "none.json: no such file"
