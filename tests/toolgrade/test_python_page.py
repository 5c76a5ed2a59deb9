"""docs/python.md: every example runs as it stands, in order, where its suite is."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs/python.md"
TEXT = PAGE.read_text(encoding="utf-8")
SUITE = re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
EXAMPLES = [
    (TEXT[: found.start()].count("\n") + 1, found[1]) for found in re.finditer(r"```python\n(.*?)```", TEXT, re.DOTALL)
]


def test_the_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert SUITE
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/shop.yml").write_text(SUITE[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for line, example in EXAMPLES:
        exec(compile("\n" * line + example, str(PAGE), "exec"), names)


def test_every_public_function_is_on_the_page() -> None:
    import toolgrade

    code = "".join(example for _, example in EXAMPLES)
    functions = {name for name in toolgrade.__all__ if name[0].islower()}
    assert sorted(name for name in functions if name not in code) == [
        "letter_grade",
        "make_report",  # what `replay` and `score_runs` are made of
        "read_report",
        "read_runs",
        "score_traces",
    ]
