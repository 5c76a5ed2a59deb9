"""Blocks of content as the Messages API of Anthropic spells them; several formats are written in them."""

import msgspec
from msgspec import UNSET, UnsetType

from ...gates.trace import UNKNOWN_TOOL
from .imported_run import ERROR, OK
from .raw_json import first_bytes

# Nothing but the words, each program's own, tells an unknown tool from one that failed.
_NO_SUCH_TOOL = (
    b"No such tool available",
    b"[tool_call bridge refused]",
    b"not found on MCP server",
    b"not found in registry",
)
# The words stand at the beginning, and a result may have megabytes.
_LOOKED_AT = 300


class ContentBlock(msgspec.Struct, gc=False):
    """Any block: text, a call, or the result of one."""

    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    server_name: str | None = None
    input: msgspec.Raw | UnsetType = UNSET
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: msgspec.Raw | UnsetType = UNSET


class MessageUsage(msgspec.Struct, gc=False):
    """Tokens of one request; those from a cache are counted apart there."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    def count_input(self) -> int | None:
        """Return all tokens that went in, from a cache or not."""
        if self.input_tokens is None:
            return None
        return self.input_tokens + (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)


class Message(msgspec.Struct, gc=False):
    """One message of either side."""

    role: str | None = None
    id: str | None = None
    model: str | None = None
    content: str | list[ContentBlock] | None = None
    usage: MessageUsage | None = None

    def blocks(self) -> list[ContentBlock]:
        """Return the content as blocks."""
        if isinstance(self.content, str):
            return [ContentBlock("text", self.content)]
        return self.content or []

    def join_text(self) -> str | None:
        """Return the text of a message, or None if it has none."""
        texts = [block.text for block in self.blocks() if block.type == "text" and block.text]
        return "".join(texts) if texts else None


def result_status(block: ContentBlock) -> str:
    """Return what a result says of its call."""
    if not block.is_error:
        return OK
    text = first_bytes(block.content, _LOOKED_AT)
    return UNKNOWN_TOOL if any(words in text for words in _NO_SUCH_TOOL) else ERROR
