"""The `lexical` agent: a plain text search that picks tools by their own words. Free, deterministic, no key.

It is a baseline: can the right tool be found in this catalog at all? docs/agents.md says how its limits were chosen.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from .agent import AskedCall, OfferedTool, Task, ToolAnswer, Turn
from .bm25 import BM25Index
from .call_arguments import fill_arguments
from .prompt_values import MENTION, QUOTED, PromptValues
from .search_words import extract_search_words

_NAME_WEIGHT = 3
_SERVER_WEIGHT = 2
_MAX_ANSWER = 2000
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9\0])|\n+")
_SEQUENCE = re.compile(r"(?i)(?:^|[,;.]?\s+)(?:and\s+)?(?:then|afterwards|after that|finally|lastly|next,)(?:,?\s+|$)")
_NAMED = re.compile(r"(?<=[\w,;:] )[A-Z][a-z]+\b")


class LexicalAgent:
    """Searches the catalog for each step of the prompt; keeps the index of the last catalog it saw."""

    def __init__(self) -> None:
        self._catalog: ToolIndex | None = None

    def begin(self, task: Task) -> "LexicalConversation":
        # The same tools come with every run of a cell, and indexing 2,000 of them takes a while.
        if self._catalog is None or self._catalog.tools != task.tools:
            self._catalog = ToolIndex(task.tools)
        return LexicalConversation(choose_tools(self._catalog, task.prompt), task.prompt)


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """A tool for a step of the prompt."""

    tool: OfferedTool
    step: str
    score: int


class ToolIndex:
    """The tools of a task, indexed."""

    def __init__(self, tools: tuple[OfferedTool, ...]) -> None:
        self.tools = tools
        self._index = BM25Index([_count_tool_words(tool) for tool in tools])

    def find_best_tool(self, step: str) -> ToolChoice | None:
        """Return the tool that fits a step best, or None if none has a third of its words, and two if it has several.

        Words that are values (quoted text, paths, addresses, numbers) do not count, nor names that no tool knows.
        """
        text = MENTION.sub(" ", step)
        wanted = list(dict.fromkeys(extract_search_words(text)))
        scores = self._index.score_documents(wanted)
        if not scores:
            return None
        # Ties go by name: the choice does not depend on the order in which a server lists its tools.
        best = min(scores, key=lambda place: (-scores[place], self.tools[place].server, self.tools[place].tool))
        unknown = {
            word for name in _NAMED.findall(text) for word in extract_search_words(name) if word not in self._index
        }
        # A name that no tool knows ("Berlin") is a value, and must not make every tool look unfit.
        needed = len(wanted) - len(unknown)
        shared = self._index.count_shared_words(best, wanted)
        is_fit = 3 * shared >= needed and shared >= min(2, needed)
        return ToolChoice(self.tools[best], step, scores[best]) if is_fit else None


class LexicalConversation:
    """A call a turn, in the order of the steps; the last turn says what the tools answered."""

    def __init__(self, choices: Sequence[ToolChoice], prompt: str) -> None:
        self._choices = choices
        self._prompt = prompt
        self._answers: list[str] = []
        self._asked = 0

    async def turn(self, answers: Sequence[ToolAnswer]) -> Turn:
        self._answers += [answer.text for answer in answers]
        if self._asked == len(self._choices):
            return Turn(text="\n".join(self._answers)[:_MAX_ANSWER] or "No tool fits.")
        choice = self._choices[self._asked]
        self._asked += 1
        args = fill_arguments(choice.tool.schema, PromptValues(choice.step, self._prompt))
        return Turn(calls=(AskedCall(f"call-{self._asked}", choice.tool.name, args),))


def choose_tools(catalog: ToolIndex, prompt: str) -> list[ToolChoice]:
    """Return a tool for each step that one fits, each tool once; a step below half of the best score is detail."""
    found = [choice for step in split_into_steps(prompt) if (choice := catalog.find_best_tool(step))]
    best = max((choice.score for choice in found), default=0)
    chosen: dict[str, ToolChoice] = {}
    for choice in found:
        if 2 * choice.score >= best:
            chosen.setdefault(choice.tool.name, choice)
    return list(chosen.values())


def split_into_steps(prompt: str) -> list[str]:
    """Split a prompt at sentences, list items and "then", but never within quoted text."""
    quoted: list[str] = QUOTED.findall(prompt)
    # Quoted text is put aside behind a NUL, so that sentences and "then" inside it do not split.
    masked = QUOTED.sub("\0", prompt)
    parts = [part for sentence in _SENTENCE_END.split(masked) for part in _SEQUENCE.split(sentence)]
    given = iter(quoted)
    whole = [re.sub("\0", lambda _: next(given), part) for part in parts]
    return [step for step in whole if step.strip()]


def _count_tool_words(tool: OfferedTool) -> Mapping[str, int]:
    """Count the words of a tool: its name three times, its server's twice, description and parameters once."""
    counts: Counter[str] = Counter()
    for text, weight in _list_weighted_texts(tool):
        for word in extract_search_words(text):
            counts[word] += weight
    return counts


def _list_weighted_texts(tool: OfferedTool) -> Iterator[tuple[str, int]]:
    yield tool.tool, _NAME_WEIGHT
    yield tool.server, _SERVER_WEIGHT
    yield tool.description or "", 1
    properties: object = tool.schema.get("properties")
    if isinstance(properties, dict):
        yield " ".join(map(str, cast(dict[object, object], properties))), 1
