"""Drafting a first suite from what servers list: classes from similar words, prompts from descriptions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..agents.agent import OfferedTool
from ..agents.lexical import ToolIndex, choose_tools
from ..agents.search_words import extract_search_words
from .fingerprint import ServerListing
from .near_duplicates import group_near_duplicates

# Lower than for `doctor`: a wrong group in a draft is corrected by the author, a missed one is not noticed.
ALIKE = 0.6
# A task that no catalog of developer tools can do: the draft also tests that nothing is called.
NO_TOOL = "Order a pizza with extra cheese and a bottle of lemonade."
_MAX_PROMPT = 160
_LONGEST_NAME = 500
_READ_OF_DESCRIPTION = 20_000
_MAX_NAME = 60
_SENTENCE = re.compile(r"(.+?)(?:[.!?:;](?:\s|$)|\n\s*\n|$)", re.DOTALL)
# Verbs of tools that write, spend or start something; servers without `readOnlyHint` are judged by these.
_CHANGING = frozenset(
    [
        "add",
        "append",
        "apply",
        "approve",
        "archive",
        "assign",
        "book",
        "buy",
        "cancel",
        "change",
        "checkout",
        "clear",
        "click",
        "close",
        "comment",
        "commit",
        "copy",
        "create",
        "delete",
        "deploy",
        "disable",
        "drop",
        "edit",
        "enable",
        "end",
        "execute",
        "fill",
        "fork",
        "import",
        "init",
        "insert",
        "install",
        "invite",
        "kill",
        "launch",
        "lock",
        "merge",
        "modify",
        "move",
        "open",
        "order",
        "patch",
        "pay",
        "post",
        "press",
        "publish",
        "purge",
        "push",
        "put",
        "record",
        "register",
        "reindex",
        "remove",
        "rename",
        "replace",
        "reply",
        "reset",
        "restart",
        "restore",
        "revert",
        "revoke",
        "run",
        "save",
        "send",
        "set",
        "start",
        "stop",
        "submit",
        "sync",
        "terminate",
        "transfer",
        "trigger",
        "unlock",
        "update",
        "upload",
        "upsert",
        "write",
    ]
)
_VALUES = (
    (("url", "uri", "link"), "https://example.org"),
    (("path", "file", "dir", "directory", "folder", "repo", "repository"), "."),
    (("timezone", "tz", "zone"), "Europe/Lisbon"),
    (("date", "day"), "2024-05-01"),
    (("time",), "12:30"),
)


@dataclass(frozen=True, slots=True)
class DraftClass:
    """Tools that seem to be interchangeable, a prompt for them, and the tools that a text search finds for it."""

    name: str
    members: tuple[str, ...]
    prompt: str
    found: tuple[str, ...]

    @property
    def is_found(self) -> bool:
        """Return whether the text search finds any member."""
        return any(member in self.members for member in self.found)


def draft_classes(listings: Mapping[str, ServerListing], limit: int) -> tuple[DraftClass, ...]:
    """Return up to `limit` classes that a prompt can be drafted for, those with several members first.

    A tool that seems to change something gets no prompt, as a live run calls tools for real.
    """
    listed = list(_list_nameable_tools(listings))
    catalog = ToolIndex(tuple(_make_offered_tool(server, tool) for server, tool in listed))
    tools = [
        _make_offered_tool(server, tool)
        for server, tool in listed
        if _is_described(tool) and not seems_to_change(server, tool)
    ]
    names: set[str] = set()
    drafts: list[DraftClass] = []
    for group in sorted(_group_tools(tools), key=lambda group: -len(group))[:limit]:
        prompt = draft_prompt(group[0])
        found = tuple(_make_tool_id(choice.tool) for choice in choose_tools(catalog, prompt))
        drafts.append(
            DraftClass(
                _make_unique_name(_make_class_name(group[0]), names), tuple(map(_make_tool_id, group)), prompt, found
            )
        )
    return tuple(drafts)


def draft_prompt(tool: OfferedTool) -> str:
    """Return the first sentence of a description as a request, with a value for each required parameter."""
    # Without the tool's name: a prompt that names the tool would test nothing.
    match = _SENTENCE.match((tool.description or "").strip())
    text = _clean_text(match[1] if match else "").replace(tool.tool, " ".join(extract_search_words(tool.tool)))
    first, _, rest = text.partition(" ")
    request = f"{_to_imperative(first)} {rest}".strip()[:_MAX_PROMPT].rstrip(" ,")
    given = ", ".join(_list_required_values(tool.schema))
    return f"{request}, with {given}" if given else f"{request}."


def seems_to_change(server: str, tool: Mapping[str, Any]) -> bool:
    """Return whether a tool may do more than read, by its `readOnlyHint` or else by the words of its name."""
    # The hint may be wrong, but the server's author knows more than a list of verbs.
    hint = _to_object(tool.get("annotations")).get("readOnlyHint")
    if isinstance(hint, bool):
        return not hint
    return not _CHANGING.isdisjoint(_split_own_words(_make_offered_tool(server, tool)))


def list_left_out_tools(listings: Mapping[str, ServerListing]) -> tuple[str, ...]:
    """Return the ids of the tools that get no prompt because they seem to change something."""
    return tuple(
        f"{server}.{tool['name']}" for server, tool in _list_nameable_tools(listings) if seems_to_change(server, tool)
    )


def _list_nameable_tools(listings: Mapping[str, ServerListing]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the tools that a suite can name, each once."""
    for server, listing in listings.items():
        seen: set[str] = set()
        for tool in listing.tools:
            name = tool.get("name")
            if isinstance(name, str) and _is_nameable(name) and name not in seen:
                seen.add(name)
                yield server, tool


def _is_nameable(name: str) -> bool:
    """Whether a suite can hold a tool's name: all of it is seen, and no part of it would be read as a variable."""
    return name.isprintable() and bool(name.strip()) and "${" not in name and len(name) <= _LONGEST_NAME


def _make_offered_tool(server: str, tool: Mapping[str, Any]) -> OfferedTool:
    description = tool.get("description")
    text = description[:_READ_OF_DESCRIPTION] if isinstance(description, str) else None
    return OfferedTool(f"{server}.{tool['name']}", server, tool["name"], text, _to_object(tool.get("inputSchema")))


def _is_described(tool: Mapping[str, Any]) -> bool:
    return isinstance(tool.get("description"), str) and bool(extract_search_words(tool["description"]))


def _group_tools(tools: Sequence[OfferedTool]) -> Iterator[list[OfferedTool]]:
    """Yield groups of tools whose names or first sentences are similar and whose names begin with the same word."""
    # The same first word: `list_issues` and `close_issues` share most words, and are not interchangeable.
    own = [_split_own_words(tool) for tool in tools]
    texts = [
        frozenset((*name, *extract_search_words(draft_prompt(tool)))) for tool, name in zip(tools, own, strict=True)
    ]
    grouped = {
        index: group
        for group in group_near_duplicates(texts, [frozenset(name) for name in own], ALIKE)
        for index in group
    }
    done: set[int] = set()
    for index in range(len(tools)):
        if index in done:
            continue
        alike = [other for other in grouped.get(index, [index]) if own[other][:1] == own[index][:1]]
        done.update(alike)
        yield [tools[other] for other in alike]


def _split_own_words(tool: OfferedTool) -> list[str]:
    """Return the words of a tool's name without those of its server: `git_log` of `git` gives `log`."""
    named = extract_search_words(tool.tool)
    return [word for word in named if word not in extract_search_words(tool.server)] or named


def _to_imperative(verb: str) -> str:
    """Return a verb without its third-person ending: `Shows` gives `Show`."""
    lower = verb.lower()
    if lower.endswith("ies") and len(lower) > 4:
        return f"{verb[:-3]}y"
    if lower.endswith(("ches", "shes", "sses", "xes")):
        return verb[:-2]
    is_third_person = lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3
    return verb[:-1] if is_third_person else verb


def _list_required_values(schema: Mapping[str, Any]) -> Iterator[str]:
    required: object = schema.get("required")
    for name, part in _to_object(schema.get("properties")).items():
        if isinstance(required, list) and name in required and name.isprintable():
            yield f"{' '.join(extract_search_words(name)) or name} {_choose_sample_value(name, _to_object(part))}"


def _choose_sample_value(name: str, schema: Mapping[str, Any]) -> str:
    """Return a value for a parameter: from its schema, or else an example that fits its name."""
    choices: object = schema.get("enum")
    given = cast(list[object], choices)[0] if isinstance(choices, list) and choices else schema.get("default")
    if schema.get("type") in ("integer", "number", "boolean") and not isinstance(given, int | float):
        return "1"
    if isinstance(given, int | float):
        return str(given)
    named = extract_search_words(name)
    sample = next((value for hints, value in _VALUES if not set(hints).isdisjoint(named)), "example")
    return f"`{_clean_text(given) if isinstance(given, str) and given else sample}`"


def _make_class_name(tool: OfferedTool) -> str:
    return " ".join(_split_own_words(tool))[:_MAX_NAME] or "tools"


def _make_unique_name(name: str, taken: set[str]) -> str:
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name} {number}"
    taken.add(unique)
    return unique


def _clean_text(text: str) -> str:
    """Return a text on one line, with printable characters alone."""
    plain = text.replace("`", "'").replace("${", "{")  # `${env:…}` in a prompt is an error
    return " ".join("".join(char if char.isprintable() else " " for char in plain).split())


def _make_tool_id(tool: OfferedTool) -> str:
    return f"{tool.server}.{tool.tool}"


def _to_object(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
