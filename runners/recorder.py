"""Recording: a run that happened, wherever it did, as a cassette with the fingerprint of its tools."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from ..compiler.canonical import to_json
from ..compiler.plan import Cell, Plan, PlannedTest, SuitePlan
from ..gates.nearest import did_you_mean
from ..gates.trace import Usage
from .cassette import (
    FORMAT,
    KIND,
    MAX_BYTES,
    Cassette,
    Key,
    RecordedCall,
    RecordedToolset,
    cassette_path,
    lock_path,
    shape_of,
    write_cassette,
)
from .durable import read_regular, write_durably
from .fault import BadInput, Fault
from .fingerprint import ServerListing, Toolset, fingerprint
from .lock import recording_lock
from .redaction import Redactor
from .selection import PlannedCell, all_cells


class ToolsetLock(msgspec.Struct, frozen=True):
    """The tool sets that a suite's cassettes name, by their fingerprint."""

    format: int
    toolsets: dict[str, Toolset]


class Recorder:
    """Writes cassettes for the tests of a plan. `secrets` are values that must never reach a file."""

    def __init__(self, plan: Plan, root: Path | str = "cassettes", secrets: Iterable[str] = ()) -> None:
        self._plan = plan
        self._root = Path(root)
        self._secrets = tuple(secrets)

    def record(
        self,
        test: str,
        *,
        run: int = 1,
        model: str | None = None,
        tool_calls: Sequence[Mapping[str, Any]],
        tools: Mapping[str, ServerListing | Sequence[Mapping[str, Any]]],
        final_response: str | None = None,
        turns: int | None = None,
        usage: Mapping[str, int] | None = None,
        cost: Decimal | str | None = None,
    ) -> Path:
        """Write one run, and the fingerprint of `tools`: what each server listed, as it sent it."""
        suite, planned, cell = self._cell(test, model)
        if not 1 <= run <= planned.runs:
            raise BadInput(f"`{test}` has runs 1 to {planned.runs}, not {run}")
        toolset = fingerprint({name: _listing(listed) for name, listed in tools.items()})
        shape = shape_of(suite, planned, cell)
        cassette = _checked(
            lambda: Cassette(
                format=FORMAT,
                kind=KIND,
                status="complete",
                key=Key(suite.name, planned.name, cell.model or "", run, planned.runs, shape.digest, shape),
                toolset=_summary(toolset),
                tool_calls=tuple(_call(call) for call in tool_calls),
                redactions=0,
                integrity="",
                final_response=UNSET if final_response is None else final_response,
                turns=UNSET if turns is None else turns,
                usage=UNSET if usage is None else msgspec.convert(dict(usage), Usage),
                cost=UNSET if cost is None else str(cost),
            )
        )
        return self._write(suite, planned, cell, cassette, toolset)

    def _write(self, suite: SuitePlan, test: PlannedTest, cell: Cell, cassette: Cassette, toolset: Toolset) -> Path:
        path = cassette_path(self._root, suite, test, cell, cassette.key.run)
        with recording_lock(self._root / suite.id):
            lock = lock_path(self._root, suite)
            known = read_lock(lock)
            if toolset.fingerprint not in known.toolsets:
                toolsets = {**known.toolsets, toolset.fingerprint: toolset}
                write_durably(lock, to_json(msgspec.structs.replace(known, toolsets=toolsets)))
            write_cassette(path, cassette, Redactor(self._secrets))
        return path

    def _cell(self, name: str, model: str | None) -> PlannedCell:
        cells = [planned for planned in all_cells(self._plan) if planned[1].name == name]
        if not cells:
            names = [test.name for _, test, _ in all_cells(self._plan)]
            raise BadInput(f"no test is named `{name}`", did_you_mean(name, names))
        chosen = [planned for planned in cells if model is None or planned[2].model == model]
        if len(chosen) != 1 or chosen[0][2].model is None:
            models = ", ".join(str(cell.model) for _, _, cell in cells if cell.model)
            raise BadInput(f"`{name}`: say which model", f"one of {models}" if models else "set `model:` in the suite")
        return chosen[0]


def read_lock(path: Path) -> ToolsetLock:
    """The lock file of a suite; an empty one where there is none yet."""
    try:
        return msgspec.json.decode(read_regular(path, MAX_BYTES), type=ToolsetLock)
    except FileNotFoundError:
        return ToolsetLock(FORMAT, {})
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Fault(f"{path.as_posix()}: {error}", "restore it from git, or delete it and record again") from None


def _listing(listed: ServerListing | Sequence[Mapping[str, Any]]) -> ServerListing:
    return listed if isinstance(listed, ServerListing) else ServerListing(None, listed)


def _summary(toolset: Toolset) -> RecordedToolset:
    servers = tuple(sorted(server.name for server in toolset.servers))
    return RecordedToolset(toolset.scheme, toolset.fingerprint, len(toolset.tools), servers)


def _checked(make: Callable[[], Cassette]) -> Cassette:
    """A cassette that can be written and scored; what its maker got wrong is found before anything is touched."""
    try:
        cassette = make()
        to_json(cassette)
        cassette.trace()
    except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
        raise BadInput(f"this run cannot be recorded: {error or type(error).__name__}") from None
    return cassette


def _call(call: Mapping[str, Any]) -> RecordedCall:
    return msgspec.convert({"turn": 1, **call}, RecordedCall)
