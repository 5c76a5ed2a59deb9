"""The log of taps: a JSON line for each message, appended by every tap of a run to one file.

`{"tap": NAME, "pid": 7, "seq": 1, "dir": "client", "message": {…}}`: `dir` is the side that sent the message, `seq`
counts the lines of one process. A line that is no message stands as a notification `$/tap/text`, and the last line of
every process is a notification `$/tap/end`: without it the tap was killed.
This module is imported by every tap that starts, so it imports nothing that takes long.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NoReturn, cast

from ...foundations.redaction import Redactor
from ..servers.line_splitter import LongLine

Direction = Literal["client", "server"]

MAX_MESSAGE_BYTES = 32 * 1024 * 1024
"""A longer message is passed on and not kept: its length and hash stand for it."""

TEXT = "$/tap/text"
END = "$/tap/end"
_SHOWN_TEXT = 2000
_SECRET_VARIABLE = re.compile(r"(?i)(^|_)(api_?key|key|token|secret|password|passwd|credentials?|pat)($|_)")
# Whatever the redactor finds without knowing a secret has one of these in it, in any case.
_SECRET_WORDS = (
    *("auth", "cookie", "passw", "secret", "credential", "key", "token", "bearer", "basic", "sig=", "signature="),
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "akia", "aiza", "glpat-", "hf_", "eyj"),
)
# A message too long to keep is not parsed: its id is looked for at both ends, where programs write it.
_ID_FIRST = re.compile(rb'^\s*\{[^{]*?"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")')
_ID_LAST = re.compile(rb'"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')
_METHOD = re.compile(rb'"method"\s*:\s*("(?:[^"\\]|\\.)*")')


class MessageLog:
    """Appends what one tap saw. Whatever stops it from writing is counted and never raised: the tap goes on."""

    def __init__(self, path: Path, tap: str, secrets: Iterable[str] = ()) -> None:
        self._path, self._tap = path, json.dumps(tap)
        self._redactor = Redactor(secrets)
        self._lock = Lock()
        self._seq = 0
        self._file: int | None = None
        self._is_cut = False
        self.lost = 0
        self.failure: str | None = None

    def note_line(self, sender: Direction, line: bytes | LongLine) -> None:
        """Append the messages of a line: one, a batch of them, or none."""
        with self._lock:
            for message in self._render(line):
                self._append(sender, message)

    def note_end(self, exit_code: int) -> None:
        """Append the last line of this process."""
        with self._lock:
            self._append("server", _render_note(END, exit_code=exit_code, lost=self.lost))
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _render(self, line: bytes | LongLine) -> list[str]:
        """Return the messages of a line as JSON; one without a secret stands as it was sent."""
        if isinstance(line, LongLine):
            return [_render_long_line(line)]
        if not line.strip():
            return []
        try:
            text = line.decode().strip()
            message = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            return [self._render_unreadable(line)]
        if isinstance(message, list):
            return [json.dumps(self._redact(part)) for part in cast(list[Any], message)]
        # A carriage return is white space to JSON, and the end of a line to some who read the log.
        if "\r" in text or self._may_hold_secret(line, text):
            redacted = self._redactor.count
            clean = self._redact(message)
            return [text if self._redactor.count == redacted and "\r" not in text else json.dumps(clean)]
        return [text]

    def _may_hold_secret(self, line: bytes, text: str) -> bool:
        """Return whether a message has to be searched for secrets: that takes longer than all the rest of a tap."""
        if "\\u" in text or "\\/" in text:  # an escape could spell any of the words
            return True
        lower = text.lower()
        return any(word in lower for word in _SECRET_WORDS) or self._redactor.has_leak(line)

    def _render_unreadable(self, line: bytes) -> str:
        """Return a message whose text is not UTF-8 with those bytes replaced, and anything else as text."""
        text = line.decode("utf-8", "replace").strip()
        try:
            message = json.loads(text, parse_constant=_refuse_constant)
            return json.dumps(self._redact(message))
        except (ValueError, RecursionError):
            return _render_note(TEXT, text=self._redact(text[:_SHOWN_TEXT]))

    def _redact(self, value: Any) -> Any:
        try:
            return self._redactor.redact_value(value)
        except RecursionError:
            self._redactor.count += 1
            return "[not kept: nested too deep]"

    def _append(self, sender: Direction, message: str) -> None:
        # Counted before it is written: a line that is lost leaves a gap that a reader sees.
        self._seq += 1
        head = f'{{"tap": {self._tap}, "pid": {os.getpid()}, "seq": {self._seq}, "dir": "{sender}"'
        # JSON may hold half of a surrogate pair, which UTF-8 cannot: `backslashreplace` writes it as JSON's own escape.
        data = f'{head}, "message": {message}}}\n'.encode("utf-8", "backslashreplace")
        try:
            self._write(data)
        except OSError as error:
            self.lost += 1
            self.failure = error.strerror or str(error)

    def _write(self, data: bytes) -> None:
        """Append in one write, which the system does not mix with those of other taps."""
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        # On a full disk a line may end in its middle: the next one must not continue it.
        if self._is_cut:
            data = b"\n" + data
        while data:
            written = os.write(self._file, data)
            self._is_cut = written < len(data)
            data = data[written:]


def find_secret_values(environment: Mapping[str, str], named: Iterable[str] = ()) -> list[str]:
    """Return the values of the variables that are named, and of those whose names say that they are secrets."""
    wanted = frozenset(named)
    return [value for name, value in environment.items() if name in wanted or _SECRET_VARIABLE.search(name)]


def _refuse_constant(name: str) -> NoReturn:
    # Python reads NaN and Infinity, which other readers of the log refuse.
    raise ValueError(f"{name} is not JSON")


def _render_long_line(line: LongLine) -> str:
    """Return a message that says of one too long to keep which it was, how long, and its hash."""
    kept = f"[not kept: a message of {line.length} bytes, sha256:{line.sha256}]"
    method = _METHOD.search(line.start)
    identifier = _ID_FIRST.search(line.start) or _ID_LAST.search(line.end)
    if identifier is None and method is None:
        return _render_note(TEXT, text=kept)
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if identifier is not None:
        message["id"] = json.loads(identifier[1])
    if method is not None:
        message |= {"method": json.loads(method[1]), "params": {"text": kept}}
    else:
        message["result"] = {"content": [{"type": "text", "text": kept}]}
    return json.dumps(message)


def _render_note(method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
