"""Cassettes: a run as it happened, in a file that says when it is damaged or no longer fits the suite.

The integrity hash finds corruption. It is not a signature: who can write the file can write the hash.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ..compiler.canonical import digest, to_json
from ..compiler.identity import hashed_slug
from ..compiler.plan import AnyServer, Cell, PlannedTest, SuitePlan
from ..gates.trace import Call, Trace, Usage
from .durable import write_durably
from .fault import Fault
from .redaction import REDACTED, Redactor

FORMAT = 1
KIND = "toolgrade.cassette"
MAX_BYTES = 64 * 1024 * 1024
_UNSEALED = f"sha256:{'0' * 64}"


class Shape(msgspec.Struct, frozen=True, omit_defaults=True):
    """What shapes a run, and so has to be the same for a recording to stand for it. Gates are not in it."""

    driver: str
    max_turns: int
    servers: tuple[AnyServer, ...]
    prompt: str | None = None
    system_prompt: str | None = None

    @property
    def digest(self) -> str:
        return digest(self)


class Key(msgspec.Struct, frozen=True):
    """Which run of which cell this is."""

    suite: str
    test: str
    model: str
    run: int
    runs: int
    digest: str
    shape: Shape


class RecordedToolset(msgspec.Struct, frozen=True):
    """The fingerprint of the tools the agent saw; the tools themselves are in the suite's lock file."""

    scheme: str
    fingerprint: str
    tools: int
    servers: tuple[str, ...]


class RecordedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call with its turn, its arguments and what came back."""

    turn: int
    name: str
    server: str | None = None
    args: Any = UNSET
    status: str | None = None
    result: Any = UNSET


class Cassette(msgspec.Struct, frozen=True, omit_defaults=True):
    """One run of one cell. It is a trace, too: `toolgrade score` reads it as it is."""

    format: int
    kind: str
    status: Literal["complete", "incomplete"]
    key: Key
    toolset: RecordedToolset
    tool_calls: tuple[RecordedCall, ...]
    redactions: int
    integrity: str
    final_response: str | UnsetType = UNSET
    turns: int | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    cost: str | UnsetType = UNSET

    def trace(self) -> Trace:
        """The run for scoring."""
        calls = tuple(
            Call(call.name, call.server, UNSET if call.args is UNSET else _raw(call.args), call.status, call.turn)
            for call in self.tool_calls
        )
        return Trace(calls, _known(self.final_response), _known(self.turns), _known(self.usage), _cost(self.cost))


def shape_of(suite: SuitePlan, test: PlannedTest, cell: Cell) -> Shape:
    """What shapes the runs of a cell, as the suite has it now."""
    servers = tuple(server for server in suite.servers if server.name in test.servers)
    driver = cell.model if cell.model == "lexical" else "model"
    return Shape(driver or "model", test.max_turns, servers, test.prompt, test.system_prompt)


def cassette_path(root: Path, suite: SuitePlan, test: PlannedTest, cell: Cell, run: int) -> Path:
    """Where a run is kept: below the suite's folder, under names that no other test or model shares."""
    return root / suite.id / test.id / f"{hashed_slug(cell.model or '')}.run{run}.json"


def lock_path(root: Path, suite: SuitePlan) -> Path:
    """The per-tool, per-field hashes of every tool set that a suite's cassettes name."""
    return root / suite.id / "toolsets.lock.json"


def seal(cassette: Cassette) -> bytes:
    """The file's bytes, with the hash of all of them but itself."""
    blank = to_json(msgspec.structs.replace(cassette, integrity=_UNSEALED))
    whole = f"sha256:{sha256(blank).hexdigest()}"
    return blank.replace(_entry(_UNSEALED), _entry(whole), 1)


def is_intact(data: bytes, integrity: str) -> bool:
    """Whether a file's bytes are those that were sealed."""
    blank = data.replace(_entry(integrity), _entry(_UNSEALED), 1)
    return integrity == f"sha256:{sha256(blank).hexdigest()}"


def _entry(integrity: str) -> bytes:
    """The line of the hash: no key that sorts before it holds anything but text and numbers."""
    return f'\n  "integrity": "{integrity}"'.encode()


def write_cassette(path: Path, cassette: Cassette, redactor: Redactor | None = None) -> None:
    """Redact, seal and write a run; the recording that was there stays until the new one is whole."""
    redactor = redactor or Redactor()
    calls = tuple(_redacted(call, redactor) for call in cassette.tool_calls)
    answer = cassette.final_response
    cassette = msgspec.structs.replace(
        cassette,
        tool_calls=calls,
        final_response=redactor.text(answer) if isinstance(answer, str) else UNSET,
        redactions=cassette.redactions + redactor.count,
    )
    data = seal(cassette)
    if redactor.leaks(data):
        raise Fault(f"{path}: a secret is still in the recording; nothing was written", "this is a bug in toolgrade")
    write_durably(path, data)


def has_redacted_args(call: RecordedCall) -> bool:
    """Whether an argument was taken out, so that an assertion on it means little."""
    return call.args is not UNSET and REDACTED.encode() in msgspec.json.encode(call.args)


def _redacted(call: RecordedCall, redactor: Redactor) -> RecordedCall:
    args = UNSET if call.args is UNSET else redactor.value(call.args)
    result = UNSET if call.result is UNSET else redactor.value(call.result)
    return msgspec.structs.replace(call, args=args, result=result)


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _known(value: Any) -> Any:
    return None if value is UNSET else value


def _cost(value: str | UnsetType) -> Any:
    from decimal import Decimal

    return None if isinstance(value, UnsetType) else Decimal(value)
