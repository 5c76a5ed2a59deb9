"""docs/python.md and docs/agents.md: every example runs as it stands, and the list of public names is complete."""

import re
from pathlib import Path
from typing import Any

import pytest

import toolgrade
from toolgrade import agents, cassette

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE, AGENTS = DOCS / "python.md", DOCS / "agents.md"
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


def test_the_page_lists_every_public_name_and_no_other() -> None:
    listed = TEXT.partition("## Every public name\n")[2]
    table, modules = listed.partition("\n`toolgrade.cassette`")[::2]
    names = [name for row in re.findall(r"(?m)^\|(.*?)\|", table) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(names) == sorted(toolgrade.__all__)
    assert sorted(re.findall(r"`(\w+)`", modules)) == sorted([*agents.__all__, *cassette.__all__])


def test_an_example_uses_every_public_function() -> None:
    code = "".join(example for _, example in EXAMPLES)
    functions = {name for name in toolgrade.__all__ if name[0].islower()}
    assert sorted(name for name in functions if name not in code) == [
        "compile_suites",
        "letter_grade",
        "make_report",  # what `replay` and `score_runs` are made of
        "read_report",
        "read_runs",
        "score_traces",
    ]


def test_the_agent_of_the_agents_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", AGENTS.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/tools.json").write_text('{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}')
    test = "{name: t, model: mine, servers: [web], prompt: Go., tool_correctness: {expected_tools: [a]}}"
    (tmp_path / "suites/web.yml").write_text(f"servers: {{web: {{catalog: tools.json}}}}\ntests: [{test}]\n")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(example, str(AGENTS), "exec"), names)
    assert names["report"].summary.passed == 1
