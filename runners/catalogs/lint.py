"""Findings about a catalog as a model reads it. There are few kinds, and the author can act on each."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import msgspec

from ...foundations.lookalikes import find_lookalikes
from ...foundations.untrusted_text import find_hidden_character
from ..agents.search_words import extract_search_words
from .fingerprint import ServerListing
from .near_duplicates import group_near_duplicates
from .token_surface import CatalogTokens

Kind = Literal["orders", "hidden", "lookalike", "clash", "duplicate", "undescribed", "large", "schema"]

LARGE_TOKENS = 1000
_READ_OF_DESCRIPTION = 100_000
_EXCERPT = 80
# The variation selector that ends many an emoji hides nothing.
_EMOJI_STYLE = re.compile(r"(?<=[^\w\s])\ufe0f|(?<=[0-9])\ufe0f(?=\u20e3)")
_CALL = r"(?:call|invoke|run|use)"
_TOOL = r"(?:this|the|that|it|other|any other|[`'\"]?[\w.]+[`'\"]?)(?: (?:tool|function))?"
_ORDERS = re.compile(
    r"(?i)"
    r"\balways (?:call|invoke|run)\b"
    rf"|\balways use (?:this|the [\w.`'\"-]+) (?:tool|function)\b"
    rf"|\b(?:must|have to) (?:always )?{_CALL} {_TOOL}\s.{{0,60}}?\b(?:first|before)\b"
    r"|\b(?:ignore|disregard|forget) (?:all |any |the )?(?:previous|prior|earlier|other|above)\b"
    r"|\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show)\b.{0,40}\buser\b"
    r"|\b(?:never|do not|don't) (?:call|use|invoke) (?:any )?other tools?\b"
    r"|\binstead of (?:any|all|every)? ?other tools?\b"
    r"|<(?:important|system|instructions?|secret)>"
    r"|(?:~|/home|/root)/?\.(?:ssh|aws|config|env)\b|\bid_rsa\b"
)


class CatalogFinding(msgspec.Struct, frozen=True):
    """A finding about some tools, named `server.tool`, in one sentence."""

    kind: Kind
    tools: tuple[str, ...]
    message: str


class _ListedTool(NamedTuple):
    server: str
    name: str
    tool: Mapping[str, Any]

    @property
    def id(self) -> str:
        return f"{self.server}.{self.name}"

    @property
    def description(self) -> str:
        text = self.tool.get("description")
        return text[:_READ_OF_DESCRIPTION] if isinstance(text, str) else ""


def lint_catalog(listings: Mapping[str, ServerListing], surface: CatalogTokens) -> tuple[CatalogFinding, ...]:
    """Return every finding about a merged catalog, the most severe kind first."""
    tools = [
        _ListedTool(server, str(tool.get("name", "(no name)")), tool)
        for server, listing in sorted(listings.items())
        for tool in listing.tools
    ]
    return (
        *_find_orders(tools),
        *_find_hidden_characters(tools),
        *_find_lookalikes(tools),
        *_find_clashes(tools),
        *_find_duplicates(tools),
        *_find_undescribed(tools),
        *_find_large_tools(surface),
        *_find_bad_schemas(tools),
    )


def _find_orders(tools: Sequence[_ListedTool]) -> Iterator[CatalogFinding]:
    """Find descriptions that give the model orders instead of describing the tool; they steer its choices."""
    for listed in tools:
        if match := _ORDERS.search(listed.description):
            yield CatalogFinding(
                "orders", (listed.id,), f"gives the model orders: {_cut_excerpt(listed.description, match)}"
            )


def _find_hidden_characters(tools: Sequence[_ListedTool]) -> Iterator[CatalogFinding]:
    for listed in tools:
        if hidden := find_hidden_character(listed.name + _EMOJI_STYLE.sub("", listed.description)):
            yield CatalogFinding("hidden", (listed.id,), f"holds an invisible character (U+{ord(hidden):04X})")


def _find_lookalikes(tools: Sequence[_ListedTool]) -> Iterator[CatalogFinding]:
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for listed in tools:
        ids[listed.name].append(listed.id)
    for first, second, reason in find_lookalikes(ids):
        yield CatalogFinding("lookalike", (*ids[first], *ids[second]), f"names that look alike: {reason}")


def _find_clashes(tools: Sequence[_ListedTool]) -> Iterator[CatalogFinding]:
    """Find names that several servers list; names of the same servers make one finding."""
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for listed in tools:
        holders[listed.name].append(listed.server)
    shared: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, servers in holders.items():
        if len(servers) > 1:
            shared[tuple(servers)].append(name)
    for servers, names in shared.items():
        ids = tuple(f"{server}.{name}" for name in names for server in servers)
        yield CatalogFinding("clash", ids, f"one name on {', '.join(servers)}: a bare id means all of them")


def _find_duplicates(tools: Sequence[_ListedTool]) -> Iterator[CatalogFinding]:
    described = [listed for listed in tools if listed.description.strip()]
    texts = [
        frozenset(extract_search_words(f"{listed.name} {listed.description} {_join_parameter_names(listed)}"))
        for listed in described
    ]
    for group in group_near_duplicates(
        texts, [tuple(extract_search_words(listed.description)) for listed in described]
    ):
        ids = tuple(described[place].id for place in group)
        if len({described[place].name for place in group}) > 1:  # one name is a clash already
            yield CatalogFinding("duplicate", ids, "described in nearly the same words")


def _find_undescribed(tools: Sequence[_ListedTool]) -> Iterator[CatalogFinding]:
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for listed in tools:
        if not listed.description.strip():
            ids[listed.server].append(listed.id)
    for found in ids.values():
        yield CatalogFinding("undescribed", tuple(found), "no description: a model has the name alone to go by")


def _find_large_tools(surface: CatalogTokens) -> Iterator[CatalogFinding]:
    for tool in surface.tools:
        if tool.tokens > LARGE_TOKENS:
            field, tokens = max(tool.fields.items(), key=lambda item: item[1])
            share = f"{tool.tokens:,} tokens, {tokens:,} of them its {field}"
            yield CatalogFinding("large", (f"{tool.server}.{tool.name}",), share)


def _find_bad_schemas(tools: Sequence[_ListedTool]) -> Iterator[CatalogFinding]:
    for listed in tools:
        schema = listed.tool.get("inputSchema")
        if not isinstance(schema, dict):
            yield CatalogFinding("schema", (listed.id,), "its inputSchema is missing, or no object")


def _join_parameter_names(listed: _ListedTool) -> str:
    schema = listed.tool.get("inputSchema")
    properties: object = cast(dict[str, object], schema).get("properties") if isinstance(schema, dict) else None
    return " ".join(map(str, cast(dict[object, object], properties))) if isinstance(properties, dict) else ""


def _cut_excerpt(text: str, match: re.Match[str]) -> str:
    """Return the matched text with as much of the text after it as fits on a line."""
    found = " ".join(text[match.start() : match.start() + 2 * _EXCERPT].split())
    return f"“{found if len(found) <= _EXCERPT else found[: _EXCERPT - 1] + '…'}”"
