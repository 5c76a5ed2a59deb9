"""The lexical agent picks tools by their words, in the order of the steps, and none where none fits."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolgrade.runners.agents.agent import OfferedTool, Task, ToolAnswer, Turn
from toolgrade.runners.agents.lexical import LexicalAgent, ToolIndex, choose_tools, split_into_steps

ETOM = Path(__file__).parents[4] / "shared/data/etom"
PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (
    OfferedTool("files__read_file", "files", "read_file", "Read the whole text of a file.", PATH),
    OfferedTool("files__write_file", "files", "write_file", "Write text to a file.", PATH),
    OfferedTool("git__git_log", "git", "git_log", "Show the commit history of a repository.", {}),
    OfferedTool("time__get_current_time", "time", "get_current_time", "Get the current time in a timezone.", {}),
    OfferedTool("odd__silent", "odd", "silent", None, {"properties": 7}),
)


def chosen(prompt: str, tools: tuple[OfferedTool, ...] = TOOLS) -> list[str]:
    return [choice.tool.tool for choice in choose_tools(ToolIndex(tools), prompt)]


def converse(prompt: str, agent: LexicalAgent | None = None) -> list[Turn]:
    """Every turn; each call is answered by its own arguments."""

    async def run() -> list[Turn]:
        conversation = (agent or LexicalAgent()).begin(Task(prompt, None, TOOLS))
        turns = [await conversation.turn(())]
        while calls := turns[-1].calls:
            answers = [ToolAnswer(call.id, call.name, json.dumps(call.args), is_error=False) for call in calls]
            turns.append(await conversation.turn(answers))
        return turns

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("prompt", "tools"),
    [
        ("Read the file notes.txt to me.", ["read_file"]),
        ("What time is it in Tokyo right now?", ["get_current_time"]),
        ("Show the history of commits, then write the text to a file.", ["git_log", "write_file"]),
        ("1. Show the commit history\n2. Read the file a.txt", ["git_log", "read_file"]),
        ("Read the file a.txt. Then read the file b.txt.", ["read_file"]),
        ("Order a pizza with extra cheese and a bottle of lemonade.", []),
        ("Write a poem about the sea at night and the moon.", []),
        ("?", []),
        ('"read_file"', []),
    ],
)
def test_the_tools_are_chosen_by_their_words(prompt: str, tools: list[str]) -> None:
    assert chosen(prompt) == tools


def test_quoted_text_is_not_split() -> None:
    assert split_into_steps('Send "One. Two then three." Then stop; go') == ['Send "One. Two then three."', "stop; go"]


def test_a_tie_goes_to_the_first_by_name_in_whatever_order_they_are_listed() -> None:
    twins = tuple(OfferedTool(f"{server}__go", server, "go_home", "Go home.", {}) for server in ("b", "a", "c"))
    for tools in (twins, twins[::-1]):
        assert [choice.tool.server for choice in choose_tools(ToolIndex(tools), "Can you go home?")] == ["a"]


def test_it_calls_once_a_turn_and_answers_with_what_came_back() -> None:
    first, second, last = converse("Show the commit history, then read the file /srv/a.txt.")
    assert [(call.name, call.args) for call in first.calls] == [("git__git_log", {})]
    assert [(call.name, call.args) for call in second.calls] == [("files__read_file", {"path": "/srv/a.txt"})]
    assert (last.calls, last.text) == ((), '{}\n{"path": "/srv/a.txt"}')
    assert last.usage is None
    assert last.cost is None


def test_it_says_so_where_no_tool_fits() -> None:
    assert converse("Order a pizza with extra cheese.") == [Turn(text="No tool fits.")]


def test_one_agent_has_many_conversations() -> None:
    agent = LexicalAgent()
    assert converse("Read the file a.txt", agent) == converse("Read the file a.txt", agent)


def test_an_empty_catalog_has_nothing_to_choose() -> None:
    assert chosen("Read the file", ()) == []


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_choice_does_not_depend_on_the_process(seed: str) -> None:
    code = (
        "from toolgrade.runners.agents.agent import OfferedTool as T; from toolgrade.runners.agents.lexical import *\n"
        "tools = tuple(T(f't{n}', 's', f'find_{w}', f'Find the {w} of a thing.', {}) for n, w in enumerate('abc'))\n"
        "print([c.tool.tool for c in choose_tools(ToolIndex(tools), 'Find the thing')])"
    )
    env = {"PYTHONHASHSEED": seed, "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "['find_a']\n"


@pytest.mark.skipif(not ETOM.exists(), reason="the ETOM registry is not here")
def test_it_finds_four_of_five_tools_among_2375_and_refuses_five_of_six_tasks_that_none_fits() -> None:
    catalog = ToolIndex(registry_tools())
    wanted = json.loads((ETOM / "level_2.json").read_text(encoding="utf-8"))
    hits = sum(is_hit(catalog, query) for query in wanted)
    refused = [
        not choose_tools(catalog, query["query"])
        for query in json.loads((ETOM / "level_5.json").read_text(encoding="utf-8"))
    ]
    assert hits >= 240
    assert refused.count(True) >= 25


def registry_tools() -> tuple[OfferedTool, ...]:
    servers = json.loads((ETOM / "registry.json").read_text(encoding="utf-8"))["servers"]
    listed = [(server["server_name"], tool) for server in servers for tool in server["tools"]]
    return tuple(
        OfferedTool(f"t{n}", server, tool["tool_name"], tool.get("tool_description"), tool.get("input_schema") or {})
        for n, (server, tool) in enumerate(listed)
    )


def is_hit(catalog: ToolIndex, query: dict[str, Any]) -> bool:
    right = {(tool["server_name"], tool["tool_name"]) for group in query["ground_truth_tools"] for tool in group}
    choices = choose_tools(catalog, query["query"])
    return bool(choices) and (choices[0].tool.server, choices[0].tool.tool) in right
