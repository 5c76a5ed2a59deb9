"""Fingerprints of what servers listed: of the set of tools, of each tool, and of each of its fields."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast, get_args

import msgspec
import rfc8785

from ...foundations.canonical_json import digest_bytes

Scheme = Literal["toolgrade.toolset/1"]
Field = Literal["name", "description", "inputSchema"]
OutsideField = Literal["title", "annotations", "outputSchema", "execution", "icons", "_meta", "other"]

_FIELDS: tuple[Field, ...] = get_args(Field)
_OUTSIDE: tuple[OutsideField, ...] = get_args(OutsideField)[:-1]
_NAMED = frozenset((*_FIELDS, *_OUTSIDE))
# ECMAScript numbers, which RFC 8785 prescribes, hold integers exactly up to here.
_MAX_INT = 2**53 - 1
# Well below the depth at which the json module's recursive encoder fails.
_MAX_PLAIN_DEPTH = 100
_MAX_SHOWN = 80
_MARK = "\0"
# Above here the order of code points and the order of UTF-16 units, which RFC 8785 sorts keys by, may differ.
_SURROGATES = "\ud800"
_ENCODE = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


class ServerListing(msgspec.Struct, frozen=True):
    """A server's version and its answer to tools/list, unchanged and in its order."""

    version: str | None
    tools: Sequence[Mapping[str, Any]]


class ServerVersion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A server and its version, if it gave one."""

    name: str
    version: str | None = None


class ToolFingerprint(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool. `fields` are those that a model sees; a field that the server did not send has no hash."""

    server: str
    name: str
    fingerprint: str
    fields: dict[Field, str]
    outside: dict[OutsideField, str] = {}


class Toolset(msgspec.Struct, frozen=True, kw_only=True):
    """The tools of some servers. The fingerprint covers what a model sees, and does not depend on the order."""

    scheme: Scheme = "toolgrade.toolset/1"
    fingerprint: str
    servers: tuple[ServerVersion, ...]
    tools: tuple[ToolFingerprint, ...]


def fingerprint(listings: Mapping[str, ServerListing]) -> Toolset:
    """Return the fingerprints of all tools of these servers. Malformed tools get one too."""
    servers = sorted(listings.items())
    tools = tuple(_make_tool_fingerprint(name, tool) for name, listing in servers for tool in listing.tools)
    scheme: Scheme = "toolgrade.toolset/1"
    return Toolset(
        fingerprint=_hash_tools(scheme, tools),
        servers=tuple(ServerVersion(_escape_surrogates(name), _format_version(listing)) for name, listing in servers),
        tools=tools,
    )


def has_valid_fingerprint(toolset: Toolset) -> bool:
    """Return whether a tool set that was read from a file fits its fingerprint."""
    tools = toolset.tools
    is_same = all(tool.fingerprint == digest_rfc8785([tool.server, tool.fields]) for tool in tools)
    return is_same and toolset.fingerprint == _hash_tools(toolset.scheme, tools)


def _hash_tools(scheme: Scheme, tools: Iterable[ToolFingerprint]) -> str:
    # Sorted: a server may list its tools in another order each time.
    return digest_rfc8785([scheme, *sorted(tool.fingerprint for tool in tools)])


def digest_rfc8785(value: Any) -> str:
    """Return `sha256:` and the digest of the RFC 8785 form of a JSON value."""
    return digest_bytes(encode_rfc8785(value))


def encode_rfc8785(value: Any) -> bytes:
    """Return the RFC 8785 form of any JSON value, of any depth.

    A value that RFC 8785 refuses becomes an object with one key that starts with NUL, and a key that starts with NUL
    gets a second one. So no two values share a form, except numbers that RFC 8785 treats as equal (1 and 1.0).
    """
    if _is_plain(value):
        try:
            return _ENCODE(value).encode()
        except UnicodeEncodeError:  # a lone surrogate, which only the slow way can write
            pass
    return b"".join(_encode_pieces(value))


def _make_tool_fingerprint(server: str, tool: Mapping[str, Any]) -> ToolFingerprint:
    fields: dict[Field, str] = {field: digest_rfc8785(tool[field]) for field in _FIELDS if field in tool}
    outside: dict[OutsideField, str] = {field: digest_rfc8785(tool[field]) for field in _OUTSIDE if field in tool}
    # Extensions of the protocol that we do not know are hashed as one, so that no change goes unnoticed.
    if len(tool) > len(fields) + len(outside):
        outside["other"] = digest_rfc8785({key: value for key, value in tool.items() if key not in _NAMED})
    name = _format_tool_name(tool["name"]) if "name" in tool else "(no name)"
    return ToolFingerprint(
        _escape_surrogates(server), name, digest_rfc8785([_escape_surrogates(server), fields]), fields, outside
    )


def _format_tool_name(name: Any) -> str:
    """Return a name as people and files show it. Two names may look the same; their hashes differ."""
    return (
        _escape_surrogates(name)
        if isinstance(name, str)
        else f"{encode_rfc8785(name).decode()[:_MAX_SHOWN]} (not text)"
    )


def _format_version(listing: ServerListing) -> str | None:
    return None if listing.version is None else _escape_surrogates(listing.version)


def _escape_surrogates(text: str) -> str:
    """Return a text with every lone surrogate, which UTF-8 cannot hold, as its escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def _is_plain(value: Any) -> bool:
    """Return whether the json module's C encoder, which is faster, writes the bytes of RFC 8785 or raises."""
    # Layer by layer instead of recursively: a hostile schema may be deeper than Python's stack.
    layer: list[Any] = [value]
    for _ in range(_MAX_PLAIN_DEPTH):
        below: list[Any] = []
        for item in layer:
            kind: object = item.__class__
            if kind is dict:
                if not all(map(_is_plain_key, item)):
                    return False
                below += item.values()
            elif kind is list:
                below += item
            elif not (kind is str or kind is bool or item is None or _is_plain_number(item)):
                return False
        if not below:
            return True
        layer = below
    return False


def _is_plain_key(key: Any) -> bool:
    """Return whether sorting by code points puts a key where RFC 8785 does."""
    return type(key) is str and key[:1] != _MARK and (key.isascii() or max(key) < _SURROGATES)


def _is_plain_number(item: Any) -> bool:
    """Return whether the json module writes a number as ECMAScript does."""
    # Outside these bounds the two differ in when they switch to exponents, and ECMAScript's integers lose digits.
    if type(item) is int:
        return -_MAX_INT <= item <= _MAX_INT
    return type(item) is float and 1e-4 <= abs(item) < 1e15 and not item.is_integer()


class _Piece(bytes):
    """Encoded output on the stack, among values that are still to be encoded."""


def _encode_pieces(value: Any) -> Iterator[bytes]:
    """Yield the canonical form in pieces."""
    # An explicit stack instead of recursion: a hostile schema may be deeper than Python's.
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, _Piece):
            yield item
        elif isinstance(item, str) and _is_encodable(item):
            yield _ENCODE(item).encode()
        elif item is None or isinstance(item, str | int | float):
            yield rfc8785.dumps(_replace_unencodable(item))
        elif isinstance(item, list | tuple):
            todo += _reverse_members(b"[", [(b"", member) for member in cast(Sequence[Any], item)], b"]")
        else:
            todo += _reverse_members(b"{", _sort_members(item), b"}")


def _reverse_members(start: bytes, members: list[tuple[bytes, Any]], end: bytes) -> Iterator[Any]:
    """Yield what the stack must hold for a list or an object, last piece first."""
    yield _Piece(end)
    for number in reversed(range(len(members))):
        label, member = members[number]
        yield member
        yield _Piece(b"," + label if number else label)
    yield _Piece(start)


def _sort_members(item: Mapping[Any, Any]) -> list[tuple[bytes, Any]]:
    """Return the members of an object, each with its encoded key, sorted by UTF-16 units as RFC 8785 requires."""
    keyed = [(_escape_key(key), member) for key, member in item.items()]
    keyed.sort(key=lambda pair: pair[0].encode("utf-16be"))
    return [(_ENCODE(key).encode() + b":", member) for key, member in keyed]


def _replace_unencodable(item: Any) -> Any:
    """Return the item, or the object that stands for it if RFC 8785 refuses it."""
    if isinstance(item, int) and not -_MAX_INT <= item <= _MAX_INT:
        # Hexadecimal: Python refuses to write decimals of more than 4,300 digits.
        return {f"{_MARK}int": f"{item:x}"}
    if isinstance(item, float) and not math.isfinite(item):
        return {f"{_MARK}float": str(item)}
    if isinstance(item, str) and not _is_encodable(item):
        return {f"{_MARK}text": item.encode("utf-8", "surrogatepass").hex()}
    return item


def _escape_key(key: Any) -> str:
    if not isinstance(key, str):
        return f"{_MARK}key:{encode_rfc8785(key).decode()}"
    if not _is_encodable(key):
        return f"{_MARK}text:{key.encode('utf-8', 'surrogatepass').hex()}"
    return _MARK + key if key.startswith(_MARK) else key


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
