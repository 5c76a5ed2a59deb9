"""The plan: suites with every reference resolved and every default filled. It holds no positions."""

from decimal import Decimal
from functools import cached_property
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ..foundations.canonical_json import digest_json
from ..gates.gate import Gate
from .driver_plan import DriverPlan

SCHEMA = "toolgrade.plan/1"
LEXICAL = "lexical"
DEFAULT_MAX_TURNS = 8
DEFAULT_MAX_TOKENS = 4096

Protocol = Literal["auto", "legacy"]
"""How a connection begins: `auto` asks for the newest protocol first, `legacy` starts with `initialize`."""


class Timeouts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whole seconds that a server may take; what is left out has a default."""

    start: int | UnsetType = UNSET
    list: int | UnsetType = UNSET
    call: int | UnsetType = UNSET


class StdioServer(msgspec.Struct, frozen=True, tag="stdio", tag_field="transport"):
    """A server started as a process; `${env:NAME}` stays a reference until it runs.

    A program given as a relative path is found from the working folder, even if `cwd` is another.
    """

    name: str
    command: tuple[str, ...]
    env: dict[str, str] = {}
    cwd: str | UnsetType = UNSET
    isolate: bool | UnsetType = UNSET
    protocol: Protocol | UnsetType = UNSET
    timeout_s: Timeouts | UnsetType = UNSET


class HttpServer(msgspec.Struct, frozen=True, tag="http", tag_field="transport"):
    """A server reached at an address."""

    name: str
    url: str
    headers: dict[str, str] = {}
    sse: bool | UnsetType = UNSET
    isolate: bool | UnsetType = UNSET
    protocol: Protocol | UnsetType = UNSET
    timeout_s: Timeouts | UnsetType = UNSET


class CatalogServer(msgspec.Struct, frozen=True, tag="catalog", tag_field="transport"):
    """A frozen tools/list, in a file beside the suite."""

    name: str
    catalog: str
    timeout_s: Timeouts | UnsetType = UNSET


AnyServer = StdioServer | HttpServer | CatalogServer


class Sampling(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a model is asked; what is left out is left to the provider."""

    temperature: float | None = None
    seed: int | None = None
    max_tokens: int = DEFAULT_MAX_TOKENS
    parallel_tool_calls: bool | None = None


class Cell(msgspec.Struct, frozen=True, omit_defaults=True):
    """A test with one model; without a model, recorded traces can be scored and nothing run."""

    id: str
    model: str | None = None
    gates: tuple[int, ...] | None = None
    """The positions of its gates among those of the test, if the test has gates for some models alone."""
    xfail: str | None = None
    """Why the test is expected to fail with this model."""


class PlannedTest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A test with everything that is needed to run and to score it."""

    id: str
    name: str
    gates: tuple[Gate, ...]
    cells: tuple[Cell, ...]
    runs: int
    max_turns: int
    servers: tuple[str, ...]
    tags: tuple[str, ...]
    agent: str | None = None
    system_prompt: str | None = None
    prompt: str | None = None
    sampling: Sampling = Sampling()
    base_url: str | None = None
    api_key_env: str | None = None
    driver: DriverPlan | None = None


class SuitePlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """One suite file."""

    id: str
    name: str
    file: str
    servers: tuple[AnyServer, ...]
    tests: tuple[PlannedTest, ...]
    description: str | None = None
    max_cost: Decimal | None = None

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.model for test in self.tests for cell in test.cells if cell.model))

    @property
    def run_count(self) -> int:
        return sum(test.runs * len(test.cells) for test in self.tests)

    @property
    def call_bound(self) -> int:
        """Return the most model calls that a full live run can make."""
        return sum(test.runs * test.max_turns * len(test.cells) for test in self.tests if test.prompt)


class Plan(msgspec.Struct, frozen=True, dict=True):
    """Every suite that was compiled together, in the order of their files."""

    suites: tuple[SuitePlan, ...]

    @cached_property
    def digest(self) -> str:
        """Return the digest of what the suites mean; comments, layout, key order and file names do not change it."""
        # The file is a place, not a meaning: a suite that moves keeps its digest.
        return digest_json([msgspec.structs.replace(suite, file="") for suite in self.suites])

    def to_document(self) -> dict[str, object]:
        """Return the plan as `toolgrade plan` prints it."""
        return {"schema": SCHEMA, "digest": self.digest, "suites": self.suites}
