"""The suite language as authored: every key, its type and its help. The JSON Schema is made from it."""

import re
from decimal import Decimal
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, WithJsonSchema, create_model

from ..gates.block import Block, Name, make_finding, raise_findings
from ..gates.registry import GATES, GateDescription, list_gates, load_gate_block
from ..gates.trace import MAX_COST
from .driver_block import AnyDriverBlock
from .plan import DEFAULT_MAX_TOKENS, DEFAULT_MAX_TURNS, LEXICAL, Protocol
from .xfail import Xfail

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ENV_REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


def leaves_folder(path: str) -> bool:
    """Return whether a path could lead out of the folder it is relative to, on any system."""
    # A backslash, a drive letter or `~` leads outside on other systems than the one that checks.
    pure = PurePosixPath(path)
    return pure.is_absolute() or ".." in pure.parts or path.startswith("~") or "\\" in path or ":" in path


def _require_inside(folder: str) -> AfterValidator:
    def check_path(path: str) -> str:
        if leaves_folder(path):
            raise_findings(
                make_finding("path", f"`{path}` leaves {folder}", help=f"give a path below {folder}, with `/`")
            )
        return path

    return AfterValidator(check_path)


def _check_web_address(url: str) -> str:
    if not url.startswith(("http://", "https://", "${env:")):
        hint = "a server on this machine is started with `command`" if "://" in url else f"write `http://{url}`"
        raise_findings(make_finding("choice", f"`{url}` is not an http:// or https:// address", help=hint))
    return url


WebAddress = Annotated[
    str, AfterValidator(_check_web_address), Field(json_schema_extra={"pattern": r"^(https?://|\$\{env:)"})
]


def _check_variable_name(name: str) -> str:
    if not VARIABLE.fullmatch(name):
        raise_findings(
            make_finding(
                "choice", f"`{name}` is not the name of an environment variable", help="name it, never its value"
            )
        )
    return name


def _parse_dollars(value: object) -> Decimal:
    """Return dollars exactly as written: 0.1 is a tenth of a dollar."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < MAX_COST:
        raise_findings(make_finding("choice", "expected dollars, more than 0", help="write a number, such as 1.50"))
    return Decimal(str(value))


ABSENT: Any = None
"""The value of a key that was left out. Null is not a way to leave a key out, so no type here admits it."""

_Seconds = Annotated[int, Field(ge=1, le=3600)]


class TimeoutBlock(Block):
    """Whole seconds that a server may take."""

    start: _Seconds = Field(default=ABSENT, description="To start and introduce itself; 30 by default.")
    list: _Seconds = Field(default=ABSENT, description="To list its tools; 30 by default.")
    call: _Seconds = Field(default=ABSENT, description="For one call; 60 by default.")


class _ServerBlock(Block):
    """The keys of every server."""

    timeout_s: TimeoutBlock = Field(default=ABSENT, description="Seconds to start, to list and for a call.")


class _RunningServerBlock(_ServerBlock):
    """The keys of a server that is not ours."""

    isolate: bool = Field(default=False, description="A connection of its own for every run; else they share one.")
    protocol: Protocol = Field(
        default="auto", description="`legacy` starts with `initialize`, for servers that the newest protocol confuses."
    )


class StdioBlock(_RunningServerBlock):
    """A server started as a process."""

    command: Annotated[list[Name], Field(min_length=1)] = Field(
        description="Program and arguments. No shell is involved. Arguments may hold `${env:NAME}`."
    )
    env: dict[str, str] = Field(default={}, description="Variables for the process; may hold `${env:NAME}`.")
    cwd: Annotated[Name, _require_inside("the working folder")] = Field(
        default=".", description="The folder it is started in, below the working folder; that one by default."
    )


class HttpBlock(_RunningServerBlock):
    """A server reached over HTTP."""

    url: WebAddress = Field(description="http:// or https://; may hold `${env:NAME}`.")
    headers: dict[str, str] = Field(default={}, description="Request headers; may hold `${env:NAME}`.")
    transport: Literal["http", "sse"] = Field(
        default="http", description="`sse` for servers older than streamable HTTP."
    )


class CatalogBlock(_ServerBlock):
    """A frozen tools/list, served by toolgrade itself."""

    catalog: Annotated[Name, _require_inside("the suite's folder")] = Field(
        description="A JSON file below the suite's folder."
    )


def _detect_transport(value: object) -> str:
    keys = cast(dict[object, object], value) if isinstance(value, dict) else {}
    # A block that names no transport is validated as a process, and `command` is what it misses.
    return next((f"<{key}>" for key in ("url", "catalog") if key in keys), "<command>")


ServerBlock = Annotated[
    Annotated[StdioBlock, Tag("<command>")]
    | Annotated[HttpBlock, Tag("<url>")]
    | Annotated[CatalogBlock, Tag("<catalog>")],
    Discriminator(_detect_transport),
]


class SamplingBlock(Block):
    """How the model is asked. The recording depends on it."""

    temperature: Annotated[float, Field(ge=0, le=2)] = Field(
        default=ABSENT, description="The provider's default if it is left out."
    )
    seed: int = Field(default=ABSENT, description="For providers that take one.")
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=ABSENT, description=f"The longest answer of a turn; {DEFAULT_MAX_TOKENS} by default."
    )
    parallel_tool_calls: bool = Field(default=ABSENT, description="Whether one turn may call several tools.")


class BudgetBlock(Block):
    """What a live run may spend."""

    max_cost: Annotated[
        Decimal, BeforeValidator(_parse_dollars), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})
    ] = Field(description="Dollars. A request that could go over is not sent.")


class _RunBlock(Block):
    """The keys that agents and tests have in common: how to run, and what to check."""

    name: Name = Field(description="Distinct within the suite.")
    model: Name = Field(default=ABSENT, description=f"The model; `{LEXICAL}` by default.")
    models: Annotated[list[Name], Field(min_length=1)] = Field(
        default=ABSENT, description="Several models: the test is run with each of them."
    )
    driver: AnyDriverBlock = Field(
        default=ABSENT, description="A program that runs the conversation; toolgrade's own loop by default."
    )
    servers: list[Name] = Field(default=ABSENT, description="Names from `servers:`.")
    system_prompt: str = Field(default=ABSENT, description="Instructions for the agent.")
    prompt: Name = Field(default=ABSENT, description="The task. Name what is wanted, never the tool.")
    max_turns: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=ABSENT, description=f"The most model calls in a run; {DEFAULT_MAX_TURNS} by default."
    )
    runs: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=ABSENT, description="How often to run; 1 by default. Counts are summed over runs."
    )
    tags: list[Name] = Field(default=ABSENT, description="Words to select tests by.")
    xfail: Xfail = Field(
        default=ABSENT, description="Why the test is expected to fail; a test of an agent does not inherit it."
    )
    sampling: SamplingBlock = Field(default=ABSENT, description="Temperature, seed, longest answer, parallel calls.")
    base_url: WebAddress = Field(
        default=ABSENT, description="Another address for the model: any that speaks the OpenAI or Anthropic protocol."
    )
    api_key_env: Annotated[str, AfterValidator(_check_variable_name)] = Field(
        default=ABSENT,
        description="The environment variable that holds the key for `base_url`.",
        json_schema_extra={"pattern": f"^{VARIABLE.pattern}$"},
    )


class SuiteBlock(Block):
    """A toolgrade suite, but for the gates of its agents and tests; `build_suite_model` adds them."""

    suite: Name = Field(default=ABSENT, description="The suite's name; the file's stem by default.")
    description: str = Field(default=ABSENT, description="A sentence for the report.")
    budget: BudgetBlock = Field(default=ABSENT, description="What a live run may spend.")
    servers: dict[Name, ServerBlock] = Field(default={}, description="MCP servers by name.")
    agents: list[Any] = Field(default=[], description="Agents; an entry with a gate is a test.")
    tests: list[Any] = Field(default=[], description="Tests.")


def _allow_several(block: Any) -> Any:
    """Return the type of a gate's key: a block, or a list of blocks, each for other models."""
    one: Any = Annotated[block, Tag("<one>")]
    several: Any = Annotated[list[block], Field(min_length=1), Tag("<several>")]
    return Annotated[one | several, Discriminator(_detect_several)]


def _detect_several(value: object) -> str:
    # A list of texts is the short form of one gate (`forbidden_tools`), not several blocks.
    items = cast(list[object], value) if isinstance(value, list) else []
    return "<several>" if any(isinstance(item, dict) for item in items) else "<one>"


@lru_cache(maxsize=1)
def build_suite_model(gates: tuple[GateDescription, ...]) -> type[SuiteBlock]:
    """Return the model of a suite whose agents and tests may have these gates."""
    blocks = {gate.name: load_gate_block(gate) for gate in gates}
    checks: dict[str, Any] = {
        name: (
            _allow_several(block) if GATES[name].can_differ_by_model else block,
            Field(default=ABSENT, description=block.__doc__),
        )
        for name, block in blocks.items()
    }
    # Not a class statement, as the keys are those of the gates that are registered.
    checked = create_model("CheckedBlock", __base__=_RunBlock, **checks)

    class AgentBlock(checked):
        """An agent. With a gate or an `expect` it is a test; without one, a definition that tests refer to."""

    class TestBlock(checked):
        """A test."""

        type: Literal["agent"] = Field(default="agent", description="The only type; may be left out.")
        agent: Name = Field(
            default=ABSENT, description="Takes model, servers and prompts from that agent; fields here win."
        )

    fields = SuiteBlock.model_fields
    return create_model(
        "SuiteBlock",
        __base__=SuiteBlock,
        __doc__="A toolgrade suite.",
        agents=(list[AgentBlock], Field(default=[], description=fields["agents"].description)),
        tests=(list[TestBlock], Field(default=[], description=fields["tests"].description)),
    )


def build_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the language, for editors."""
    schema = build_suite_model(list_gates()).model_json_schema(by_alias=True)
    _strip_generated_keys(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "toolgrade suite"}


def _strip_generated_keys(node: Any) -> None:
    """Remove what says nothing to an author: generated titles, and defaults that mean "left out"."""
    if isinstance(node, dict):
        part = cast(dict[str, Any], node)
        if isinstance(part.get("title"), str):
            del part["title"]
        if part.get("default", ABSENT) is None:
            part.pop("default", None)
        for child in part.values():
            _strip_generated_keys(child)
    elif isinstance(node, list):
        for child in cast(list[Any], node):
            _strip_generated_keys(child)
