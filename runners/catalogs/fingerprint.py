"""Fingerprints of what servers really listed: one for the set of tools, one for each tool and each of its fields."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, cast, get_args

import msgspec
import rfc8785

Scheme = Literal["toolgrade.toolset/1"]
Field = Literal["name", "description", "inputSchema"]
OutsideField = Literal["title", "annotations", "outputSchema", "execution", "icons", "_meta", "other"]

_FIELDS: tuple[Field, ...] = get_args(Field)
_OUTSIDE: tuple[OutsideField, ...] = get_args(OutsideField)[:-1]
_NAMED = frozenset((*_FIELDS, *_OUTSIDE))
_MAX_INT = 2**53 - 1
_MAX_PLAIN_DEPTH = 100
_MAX_SHOWN = 80
_MARK = "\0"
_SURROGATES = "\ud800"
_ENCODE = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


class ServerListing(msgspec.Struct, frozen=True):
    """What a server said of itself and answered to tools/list, in its own order."""

    version: str | None
    tools: Sequence[Mapping[str, Any]]


class ServerVersion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A server, and the version it gave."""

    name: str
    version: str | None = None


class ToolFingerprint(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool. A field that the server did not send has no hash; `fields` is all that the model sees."""

    server: str
    name: str
    fingerprint: str
    fields: dict[Field, str]
    outside: dict[OutsideField, str] = {}


class Toolset(msgspec.Struct, frozen=True, kw_only=True):
    """Servers by name, the tools of each in its own order. The fingerprint covers what the model sees, in any order."""

    scheme: Scheme = "toolgrade.toolset/1"
    fingerprint: str
    servers: tuple[ServerVersion, ...]
    tools: tuple[ToolFingerprint, ...]


def fingerprint(listings: Mapping[str, ServerListing]) -> Toolset:
    """The fingerprint of every tool of these servers, whatever shape a server gave them."""
    servers = sorted(listings.items())
    tools = tuple(_make_tool_fingerprint(name, tool) for name, listing in servers for tool in listing.tools)
    scheme: Scheme = "toolgrade.toolset/1"
    return Toolset(
        fingerprint=_hash_tools(scheme, tools),
        servers=tuple(ServerVersion(_escape_surrogates(name), _format_version(listing)) for name, listing in servers),
        tools=tools,
    )


def has_valid_fingerprint(toolset: Toolset) -> bool:
    """Whether a toolset that was read from a file is the one its fingerprint is of."""
    tools = toolset.tools
    is_same = all(tool.fingerprint == hash_rfc8785([tool.server, tool.fields]) for tool in tools)
    return is_same and toolset.fingerprint == _hash_tools(toolset.scheme, tools)


def _hash_tools(scheme: Scheme, tools: Iterable[ToolFingerprint]) -> str:
    return hash_rfc8785([scheme, *sorted(tool.fingerprint for tool in tools)])


def hash_rfc8785(value: Any) -> str:
    """The sha256 of a JSON value's canonical form."""
    return f"sha256:{sha256(encode_rfc8785(value)).hexdigest()}"


def encode_rfc8785(value: Any) -> bytes:
    """RFC 8785 JSON of any JSON value, however deep.

    What RFC 8785 refuses becomes an object with one key that starts with NUL, and a key that starts with NUL gets a
    second one: so no two values share a form, but for numbers that RFC 8785 itself holds equal (1 and 1.0).
    """
    if _is_plain(value):
        try:
            return _ENCODE(value).encode()
        except UnicodeEncodeError:  # a lone surrogate
            pass
    return b"".join(_encode_pieces(value))


def _make_tool_fingerprint(server: str, tool: Mapping[str, Any]) -> ToolFingerprint:
    fields: dict[Field, str] = {field: hash_rfc8785(tool[field]) for field in _FIELDS if field in tool}
    outside: dict[OutsideField, str] = {field: hash_rfc8785(tool[field]) for field in _OUTSIDE if field in tool}
    if len(tool) > len(fields) + len(outside):
        outside["other"] = hash_rfc8785({key: value for key, value in tool.items() if key not in _NAMED})
    name = _format_tool_name(tool["name"]) if "name" in tool else "(no name)"
    return ToolFingerprint(
        _escape_surrogates(server), name, hash_rfc8785([_escape_surrogates(server), fields]), fields, outside
    )


def _format_tool_name(name: Any) -> str:
    """A name for people and files; the hash of the field tells names apart."""
    return (
        _escape_surrogates(name)
        if isinstance(name, str)
        else f"{encode_rfc8785(name).decode()[:_MAX_SHOWN]} (not text)"
    )


def _format_version(listing: ServerListing) -> str | None:
    return None if listing.version is None else _escape_surrogates(listing.version)


def _escape_surrogates(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate as its escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def _is_plain(value: Any) -> bool:
    """Whether the json module's C encoder, which is faster, writes the bytes of RFC 8785 or refuses."""
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
    """Above the surrogates, the order of code points is not the order of UTF-16."""
    return type(key) is str and key[:1] != _MARK and (key.isascii() or max(key) < _SURROGATES)


def _is_plain_number(item: Any) -> bool:
    """Outside these bounds Python and ECMAScript write floats differently, and integers lose digits."""
    if type(item) is int:
        return -_MAX_INT <= item <= _MAX_INT
    return type(item) is float and 1e-4 <= abs(item) < 1e15 and not item.is_integer()


class _Piece(bytes):
    """Output that waits for its turn among values that are not yet written."""


def _encode_pieces(value: Any) -> Iterator[bytes]:
    """The canonical form in pieces, with a stack of its own: a schema may be deeper than Python's."""
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
    """What a stack must hold for a list or an object to come off it in order."""
    yield _Piece(end)
    for number in reversed(range(len(members))):
        label, member = members[number]
        yield member
        yield _Piece(b"," + label if number else label)
    yield _Piece(start)


def _sort_members(item: Mapping[Any, Any]) -> list[tuple[bytes, Any]]:
    """The members of an object in the order of their keys' UTF-16, each with its written key."""
    keyed = [(_escape_key(key), member) for key, member in item.items()]
    keyed.sort(key=lambda pair: pair[0].encode("utf-16be"))
    return [(_ENCODE(key).encode() + b":", member) for key, member in keyed]


def _replace_unencodable(item: Any) -> Any:
    """The item, or what stands for it; integers in hexadecimal, as Python bounds the digits of a decimal."""
    if isinstance(item, int) and not -_MAX_INT <= item <= _MAX_INT:
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
