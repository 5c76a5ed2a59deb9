"""`driver:` in a suite: what it may say, what is refused at its line, and the cells that come of it."""

import pytest

from toolgrade.compiler.compilation import Compilation, compile_text

SUITE = """\
suite: one
servers: {{docs: {{command: [docs]}}}}
tests:
  - name: a
    driver: {driver}
    servers: [docs]
    prompt: Find it.
    expect: [{{final_response: {{contains: x}}}}]
    {more}
"""


def compile_driver(driver: str, more: str = "") -> Compilation:
    return compile_text(SUITE.format(driver=driver, more=more))


@pytest.mark.parametrize(
    ("driver", "more", "cells"),
    [
        ("codex", "", ["codex"]),
        ("codex", "model: gpt-5", ["codex:gpt-5"]),
        ("{preset: gemini, tool_search: off}", "models: [a, b:c]", ["gemini:a", "gemini:b:c"]),
        ("{acp: [node_modules/.bin/codex-acp, -x]}", "", ["acp:codex-acp"]),
        ("{command: [my-agent, '{prompt}'], trace: tap}", "", ["command:my-agent"]),
        ("{command: [sh], env: {ASK: '{prompt} ${env:HOME}'}, trace: openai-chat}", "", ["command:sh"]),
    ],
)
def test_cells_are_named_after_the_driver(driver: str, more: str, cells: list[str]) -> None:
    compilation = compile_driver(driver, more)
    assert compilation.diagnostics == ()
    assert compilation.plan is not None
    test = compilation.plan.suites[0].tests[0]
    assert [cell.model for cell in test.cells] == cells
    assert test.driver is not None
    models = [test.driver.find_model(cell.model or "") for cell in test.cells]
    assert models == [name.partition(":")[2] or None if test.driver.preset else None for name in cells]


@pytest.mark.parametrize(
    ("driver", "more", "code", "message"),
    [
        ("codx", "", "TG115", "unknown driver `codx`"),
        ("{preset: codx}", "", "TG115", "unknown driver `codx`"),
        ("''", "", "TG103", "`driver` must be a mapping, not text"),
        ("[codex]", "", "TG103", "`driver` must be a mapping, not a list"),
        ("{}", "", "TG102", "a driver needs `acp`, `command` or `preset`"),
        ("{acp: [x], command: [y]}", "", "TG113", "`acp` and `command` exclude each other"),
        ("{acp: []}", "", "TG110", "`acp` is empty"),
        ("{acp: [x], trace: tap}", "", "TG113", "`trace` does not go with `acp`"),
        ("{command: ['{prompt}']}", "", "TG102", "missing key `trace`"),
        ("{command: [x, '{promt}'], trace: tap}", "", "TG115", "the program never gets the prompt"),
        ("{acp: [x], tool_search: never}", "", "TG115", "`tool_search` must be `on` or `off`"),
        ("{acp: [x], permissions: ask}", "", "TG115", "`permissions` must be `allow_tools` or `deny`"),
        ("{acp: [x], timeout_s: 0}", "", "TG107", "`timeout_s` must be at least 1"),
        ("{acp: [x], workdir: ../up}", "", "TG116", "`../up` leaves the suite's folder"),
        ("{acp: ['${env:HOME}']}", "", "TG114", "`${env:…}` is not expanded here"),
        ("codex", "model: lexical", "TG113", "`lexical` is no model of a program"),
    ],
)
def test_a_mistake_is_an_error_at_its_line(driver: str, more: str, code: str, message: str) -> None:
    compilation = compile_driver(driver, more)
    found = compilation.errors[0]
    assert (found.code, compilation.plan) == (code, None)
    assert message in found.message


def test_a_driver_is_inherited_from_an_agent_and_a_test_may_have_its_own() -> None:
    text = (
        SUITE.format(driver="gemini", more="") + "agents: [{name: mine, driver: codex, servers: [docs], prompt: Go.}]\n"
    )
    text += "  # end\n"
    text = text.replace("    driver: gemini\n", "    agent: mine\n")
    plan = compile_text(text).plan
    assert plan is not None
    assert [cell.model for cell in plan.suites[0].tests[0].cells] == ["codex"]


def test_the_digest_moves_with_the_driver() -> None:
    digests = [
        compilation.plan.digest
        for driver in ("codex", "{preset: codex, tool_search: off}", "{preset: codex, timeout_s: 9}", "gemini")
        if (compilation := compile_driver(driver)).plan
    ]
    assert len(set(digests)) == 4
