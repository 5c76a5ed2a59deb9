"""The record of the taps of one run: what each server listed, and every call that reached one, with its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import UNSET, Raw, UnsetType

from ..catalogs.fingerprint import ServerListing
from ..servers.bounded_result import cut_result
from ..servers.content import filter_result_fields
from ..servers.limits import ServerLimits
from .message_log import END

NO_ANSWER = "no_answer"
"""The status of a call that was never answered: the server or the program ended first."""

_CHUNK = 1024 * 1024
_CALL_IDS = ("callId", "claudecode/toolUseId")
"""Where programs put the id that a call has in their own trace, in `_meta`."""
_RESULT_BYTES = ServerLimits().result_bytes


@dataclass(slots=True)
class ExecutedCall:
    """A call that reached a server. Calls that were under way at once have the same `turn`."""

    server: str
    name: str
    turn: int
    args: Any = None
    call_id: str | None = None
    status: str = NO_ANSWER
    result: dict[str, Any] | None = None
    is_answered: bool = False


@dataclass(slots=True)
class TapRecord:
    """What was read of a log so far."""

    listings: dict[str, ServerListing] = field(default_factory=dict[str, ServerListing])
    """The first whole listing of each server."""
    later_listings: dict[str, ServerListing] = field(default_factory=dict[str, ServerListing])
    """The newest listing of each server that listed other tools later."""
    calls: list[ExecutedCall] = field(default_factory=list[ExecutedCall])
    listed_before_calls: frozenset[str] | None = None
    """The servers that had listed when the first call was made; None as long as there is none."""
    lost: int = 0


class _Line(msgspec.Struct, gc=False):
    tap: str
    pid: int
    seq: int
    dir: str
    message: Raw


class _Message(msgspec.Struct, gc=False):
    id: Raw | UnsetType = UNSET
    method: str | None = None
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


_LINE = msgspec.json.Decoder(_Line)
_MESSAGE = msgspec.json.Decoder(_Message)


@dataclass(slots=True)
class _Asked:
    """A request of the program that has no answer yet."""

    method: str
    cursor: Any = None
    call: ExecutedCall | None = None


class TapLogReader:
    """Reads the log of a run, as far as it is written each time it is asked."""

    def __init__(self, path: Path) -> None:
        self.record = TapRecord()
        self._path = path
        self._offset = 0
        self._rest = b""
        # The id is kept as JSON text: `1` and `"1"` are two requests.
        self._asked: dict[tuple[str, int, bytes], _Asked] = {}
        self._pages: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
        self._versions: dict[str, str] = {}
        self._lines: dict[int, int] = {}
        self._turn = 0

    def read_on(self) -> TapRecord:
        """Return what is known after reading what was appended since the last time."""
        if self._path.exists():
            with self._path.open("rb") as file:
                file.seek(self._offset)
                while chunk := file.read(_CHUNK):
                    self._offset += len(chunk)
                    *whole, self._rest = (self._rest + chunk).split(b"\n")
                    for line in whole:
                        self._read_line(line)
        return self.record

    def _read_line(self, data: bytes) -> None:
        try:
            line = _LINE.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.record.lost += bool(data)
            return
        self.record.lost += max(0, line.seq - self._lines.get(line.pid, 0) - 1)
        self._lines[line.pid] = line.seq
        try:
            message = _MESSAGE.decode(line.message)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return  # no message of the protocol
        if message.method == END:
            self.record.lost += _decode_mapping(message.params).get("lost", 0)
        elif isinstance(message.id, UnsetType):
            return
        elif line.dir == "client" and message.method is not None:
            self._read_request(line, bytes(message.id), message.method, _decode_mapping(message.params))
        elif line.dir == "server" and message.method is None:
            asked = self._asked.pop((line.tap, line.pid, bytes(message.id)), None)
            if asked is not None:
                self._read_answer(line, asked, message)

    def _read_request(self, line: _Line, number: bytes, method: str, params: dict[str, Any]) -> None:
        asked = self._asked[line.tap, line.pid, number] = _Asked(method, params.get("cursor"))
        if method == "tools/call":
            asked.call = self._add_call(line.tap, params)

    def _add_call(self, server: str, params: dict[str, Any]) -> ExecutedCall:
        if self.record.listed_before_calls is None:
            self.record.listed_before_calls = frozenset(self.record.listings)
        # The taps do not see the model: calls that overlap were asked for in one turn.
        if all(call.is_answered for call in self.record.calls):
            self._turn += 1
        meta = _as_mapping(params.get("_meta"))
        call_id = next((meta[key] for key in _CALL_IDS if isinstance(meta.get(key), str)), None)
        call = ExecutedCall(server, str(params.get("name")), self._turn, params.get("arguments"), call_id)
        self.record.calls.append(call)
        return call

    def _read_answer(self, line: _Line, asked: _Asked, message: _Message) -> None:
        result = _decode_mapping(message.result)
        if asked.call is not None:
            _set_answer(asked.call, None if isinstance(message.error, UnsetType) else message.error, result)
        elif asked.method == "tools/list" and isinstance(result.get("tools"), list):
            self._read_page(line, asked, result)
        version = _get_server_info(result).get("version")
        if isinstance(version, str):
            self._versions[line.tap] = version

    def _read_page(self, line: _Line, asked: _Asked, result: dict[str, Any]) -> None:
        """Put the pages of a listing together; a listing is known when its last page is here."""
        key = (line.tap, line.pid)
        before = self._pages.get(key, []) if asked.cursor is not None else []
        self._pages[key] = [*before, *(tool for tool in result["tools"] if isinstance(tool, dict))]
        if result.get("nextCursor") is not None:
            return
        listing = ServerListing(self._versions.get(line.tap), tuple(self._pages.pop(key)))
        first = self.record.listings.setdefault(line.tap, listing)
        if listing != first:
            self.record.later_listings[line.tap] = listing


def _get_server_info(result: dict[str, Any]) -> dict[str, Any]:
    """Return what a server says of itself: once at the start, or in the newest protocol beside every result."""
    beside = _as_mapping(result.get("_meta")).get("io.modelcontextprotocol/serverInfo")
    return _as_mapping(result.get("serverInfo") or beside)


def _decode_mapping(raw: Raw | UnsetType) -> dict[str, Any]:
    return {} if isinstance(raw, UnsetType) else _as_mapping(msgspec.json.decode(raw))


def _as_mapping(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _set_answer(call: ExecutedCall, error: Raw | None, result: dict[str, Any]) -> None:
    """Set what became of a call, in the words that our own loop uses."""
    call.is_answered = True
    if error is not None:
        call.status = "protocol_error"
        call.result = {key: _decode_mapping(error).get(key) for key in ("code", "message")}
    else:
        kept = filter_result_fields(result)
        call.status = "error" if result.get("isError") is True else "ok" if kept else "empty"
        call.result = cut_result(kept, _RESULT_BYTES)
