"""The gate `forbidden_tools`: was a tool called that must not be?"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, cast

import msgspec
from msgspec import UNSET
from pydantic import ConfigDict, Discriminator, Field, RootModel, Tag, WrapValidator
from pydantic_core import InitErrorDetails

from .block import GATE_MODELS, Block, GateModels, Name, find_duplicates, make_collecting_validator, make_finding
from .expect_list import make_expect_list
from .expectation import Expectation
from .gate import NamedTool, ScoringConditions, check_values
from .gate_result import ForbiddenTool, GateResult
from .registry import ALL_TOOLS, FORBIDDEN_TOOLS
from .trace import Call, Trace

NAME = FORBIDDEN_TOOLS
TARGET = "forbidden_tools.calls"
DEFAULT = (Expectation(TARGET, {"==": 0}),)


class ForbiddenTools(msgspec.Struct, frozen=True, tag=NAME, tag_field="gate"):
    """The resolved gate."""

    tools: tuple[str, ...]
    expect: tuple[Expectation, ...] = DEFAULT

    @property
    def name(self) -> str:
        return NAME

    def begin(self, conditions: ScoringConditions) -> "ForbiddenToolsTally":  # noqa: ARG002 - scores under any
        return ForbiddenToolsTally(self)

    def list_classes(self) -> None:
        return None

    def list_tool_ids(self) -> Iterable[NamedTool]:
        # `server.*` is no id: no catalog lists a tool of that name.
        return (NamedTool(NAME, tool) for tool in self.tools if not tool.endswith(ALL_TOOLS))


def _find_wrong_patterns(tools: object) -> Iterator[InitErrorDetails]:
    items = cast(list[object], tools) if isinstance(tools, list) else []
    texts = [item if isinstance(item, str) else f"\0{index}" for index, item in enumerate(items)]
    for index, first in find_duplicates(texts):
        message = f"`{texts[index]}` is listed twice"
        yield make_finding("duplicate_name", message, at=(index,), first_at=(first,), help="remove one of them")
    for index, text in enumerate(texts):
        if "*" in text and (not text.endswith(ALL_TOOLS) or "*" in text[:-1] or text == ALL_TOOLS):
            message = f"`{text}`: `*` stands for all tools of a server, and for nothing else"
            yield make_finding("choice", message, at=(index,), help='write `"server.*"`, or list the tools')


_Tools = Annotated[list[Name], WrapValidator(make_collecting_validator(_find_wrong_patterns))]


class _ForbiddenToolsBody(Block):
    """The tools, and what is asserted on the calls of them."""

    tools: Annotated[_Tools, Field(min_length=1)] = Field(
        description="Tool ids: `server.tool`, a bare tool name, or `server.*` for all tools of a server."
    )
    expect: Annotated[tuple[Expectation, ...], make_expect_list(NAME)] = Field(
        default=(), description="By default `forbidden_tools.calls == 0`."
    )
    models: GateModels = Field(default=cast(Any, None), description=GATE_MODELS)


def _choose_form(value: object) -> str:
    """Return the form that was meant, so that mistakes are told of that form alone."""
    return "<mapping>" if isinstance(value, dict | _ForbiddenToolsBody) else "<list>"


_Forms = Annotated[
    Annotated[_Tools, Tag("<list>")] | Annotated[_ForbiddenToolsBody, Tag("<mapping>")], Discriminator(_choose_form)
]


class ForbiddenToolsBlock(RootModel[_Forms]):
    """Tools that must not be called: a list of ids, or `tools:` with an `expect:`."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    @property
    def models(self) -> list[str] | None:
        return self.root.models if isinstance(self.root, _ForbiddenToolsBody) else None

    def resolve(self) -> ForbiddenTools | None:
        if isinstance(self.root, _ForbiddenToolsBody):
            return ForbiddenTools(tuple(self.root.tools), self.root.expect or DEFAULT)
        return ForbiddenTools(tuple(self.root)) if self.root else None


BLOCK = ForbiddenToolsBlock


class ForbiddenToolsTally:
    """Counts the forbidden calls of each run."""

    def __init__(self, gate: ForbiddenTools) -> None:
        self._gate = gate
        self._is_forbidden: dict[tuple[str | None, str], bool] = {}
        self._calls: dict[str, list[int]] = {}
        self._runs = self._clean_runs = 0

    def add(self, trace: Trace) -> bool:
        self._runs += 1
        found = [call.id for call in trace.tool_calls if self._matches(call)]
        for tool in found:
            self._calls.setdefault(tool, []).append(self._runs)
        self._clean_runs += not found
        return not found

    def _matches(self, call: Call) -> bool:
        # Patterns are compared once for each tool, as the runs of a test call the same few tools.
        key = (call.server, call.name)
        if key not in self._is_forbidden:
            self._is_forbidden[key] = any(is_forbidden_call(tool, call) for tool in self._gate.tools)
        return self._is_forbidden[key]

    def compute_result(self) -> GateResult:
        values = {TARGET: sum(len(runs) for runs in self._calls.values())}
        status, assertions = check_values(self._gate.expect, values)
        ranked = sorted(self._calls.items(), key=lambda item: (-len(item[1]), item[0]))
        return GateResult(
            gate=NAME,
            status=status,
            values={**values},
            runs_passed=self._clean_runs if self._runs > 1 else UNSET,
            forbidden_tools=tuple(ForbiddenTool(tool, len(runs), tuple(dict.fromkeys(runs))) for tool, runs in ranked),
            assertions=assertions,
        )


def is_forbidden_call(pattern: str, call: Call) -> bool:
    """Return whether a call names a forbidden tool, whatever became of the call."""
    if not pattern.endswith(ALL_TOOLS):
        return pattern in (call.id, call.name)
    server = pattern.removesuffix(ALL_TOOLS)
    # A trace that knows no servers may have the server before the dot of the name.
    return call.server == server if call.server else call.name.startswith(f"{server}.")
