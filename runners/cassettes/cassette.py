"""The format of cassettes: a recorded run in a file, with the inputs that shaped it and an integrity hash.

The integrity hash detects corruption. It is not a signature: whoever can write the file can write the hash.
"""

from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from ...compiler.driver_plan import DEFAULT_TIMEOUT_S, DriverPlan
from ...compiler.identity import make_hashed_slug
from ...compiler.plan import LEXICAL, AnyServer, Cell, PlannedTest, Sampling, SuitePlan
from ...foundations.canonical_json import digest_bytes, digest_json, to_json
from ...gates.trace import Call, Trace, Usage
from ..cell_selection import PlannedCell

FORMAT = 1
KIND = "toolgrade.cassette"
MAX_BYTES = 64 * 1024 * 1024
_UNSEALED = f"sha256:{'0' * 64}"


class RunShape(msgspec.Struct, frozen=True, omit_defaults=True):
    """The inputs that shape a run. A recording fits a test only if they are unchanged; gates are not among them."""

    driver: str
    max_turns: int
    servers: tuple[dict[str, Any], ...]
    prompt: str | None = None
    system_prompt: str | None = None
    sampling: Sampling | UnsetType = UNSET
    base_url: str | None = None
    program: DriverPlan | None = None

    @property
    def digest(self) -> str:
        """Return the sha256 of the canonical JSON of these inputs."""
        return digest_json(self)


class CassetteKey(msgspec.Struct, frozen=True):
    """The run and the cell that a cassette belongs to."""

    suite: str
    test: str
    model: str
    run: int
    runs: int
    digest: str
    shape: RunShape


class RecordedToolset(msgspec.Struct, frozen=True):
    """The fingerprint of the tools that the agent was offered; the suite's lock file holds the hash of each."""

    scheme: str
    fingerprint: str
    tools: int
    servers: tuple[str, ...]


class RecordedCall(Call, frozen=True, omit_defaults=True):
    """A call with its result, as undecoded JSON: no gate reads results, so a replay does not parse them."""

    result: Raw | UnsetType = UNSET


class Cassette(msgspec.Struct, frozen=True, omit_defaults=True):
    """One run of one cell. It is a valid trace: `toolgrade score` reads the same file."""

    format: int
    kind: str
    status: Literal["complete", "incomplete"]
    key: CassetteKey
    toolset: RecordedToolset
    tool_calls: tuple[RecordedCall, ...]
    redactions: int
    integrity: str
    final_response: str | UnsetType = UNSET
    turns: int | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    cost: str | UnsetType = UNSET
    warnings: tuple[str, ...] = ()

    def to_trace(self) -> Trace:
        """Return the run as a trace for scoring. Raise `ArithmeticError` if its cost is not a number."""
        # Dollars are text in the file: a JSON number might lose digits in other programs.
        cost = None if isinstance(self.cost, UnsetType) else Decimal(self.cost)
        return Trace(
            self.tool_calls,
            _replace_unset(self.final_response),
            _replace_unset(self.turns),
            _replace_unset(self.usage),
            cost,
        )


def make_run_shape(planned: PlannedCell) -> RunShape:
    """Return the inputs that shape the runs of a cell, as the suite has them now."""
    test = planned.test
    by_name = {server.name: server for server in planned.suite.servers}
    servers = tuple(_collect_server_settings(by_name[name]) for name in dict.fromkeys(test.servers))
    driver = "program" if test.driver else LEXICAL if planned.cell.model == LEXICAL else "model"
    # How long a program may take does not shape what it does.
    program = test.driver and msgspec.structs.replace(test.driver, timeout_s=DEFAULT_TIMEOUT_S)
    # Default sampling is left out, so that recordings of tests without it keep their digest.
    sampling = UNSET if test.sampling == Sampling() else test.sampling
    return RunShape(driver, test.max_turns, servers, test.prompt, test.system_prompt, sampling, test.base_url, program)


def cassette_path(root: Path, suite: SuitePlan, test: PlannedTest, cell: Cell, run: int) -> Path:
    """Return the path of the cassette of a run; `toolgrade.cassette` exports this function."""
    return locate_cassette(root, PlannedCell(suite, test, cell), run)


def locate_cassette(root: Path, planned: PlannedCell, run: int) -> Path:
    """Return the path of the cassette of a run: in the suite's folder, under a name unique to test, model and run."""
    return Path(list_cassette_files(root, planned)[run - 1])


def list_cassette_files(root: Path, planned: PlannedCell) -> list[str]:
    """Return the files of all runs of a cell, as text."""
    # Text, not Path objects: a replay of thousands of cells would spend a large part of its time on making them.
    start = f"{root.as_posix()}/{planned.suite.id}/{planned.test.id}/{make_hashed_slug(planned.cell.model or '')}.run"
    return [f"{start}{run}.json" for run in range(1, planned.test.runs + 1)]


def get_meta_path(cassette: Path) -> Path:
    """Return the file beside a cassette for what varies between equal runs: times, request ids, versions."""
    return cassette.with_suffix(".meta.json")


def seal_cassette(cassette: Cassette) -> bytes:
    """Return the bytes of the cassette's file, with the sha256 of all of them except the hash itself."""
    # The hash is taken over the file with zeros in its place, and then put there: the file need not be parsed to check.
    blank = to_json(msgspec.structs.replace(cassette, integrity=_UNSEALED))
    whole = digest_bytes(blank)
    return blank.replace(_format_integrity_line(_UNSEALED), _format_integrity_line(whole), 1)


def is_intact(data: bytes, integrity: str) -> bool:
    """Return whether the bytes of a file are those that were sealed."""
    blank = data.replace(_format_integrity_line(integrity), _format_integrity_line(_UNSEALED), 1)
    return integrity == digest_bytes(blank)


def _format_integrity_line(integrity: str) -> bytes:
    """Return the line of the file that holds the hash."""
    # Its first match is the hash: the keys that sort before it hold text and numbers, and text has no raw line breaks.
    return f'\n  "integrity": "{integrity}"'.encode()


def _collect_server_settings(server: AnyServer) -> dict[str, Any]:
    """Return the settings of a server that shape a run."""
    # A timeout decides whether a run finishes, not what the agent does in it.
    written: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(server))
    return {name: value for name, value in written.items() if name != "timeout_s"}


def _replace_unset(value: Any) -> Any:
    return None if value is UNSET else value
