"""`driver:` as it is authored: the name of a program that is known, or a mapping that says how one is started."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from ..foundations.suggestion import format_suggestion
from ..gates.block import Block, Name, make_finding, raise_findings
from .driver_plan import DEFAULT_TIMEOUT_S, PLACEHOLDER, PRESETS, DriverKind, DriverPlan, Permissions, ToolSearch

_KINDS = ("preset", "acp", "command")
_ABSENT: Any = None
_Argv = Annotated[list[Name], Field(min_length=1)]


def _check_preset(name: str) -> str:
    if name not in PRESETS:
        help_ = format_suggestion(name, PRESETS) or "any other program is `{command: […], trace: FORMAT}`"
        label = f"expected one of {', '.join(PRESETS)}"
        raise_findings(make_finding("choice", f"unknown driver `{name}`", help=help_, label=label))
    return name


class DriverBlock(Block):
    """A program that runs the conversation."""

    preset: Annotated[Name, Field(json_schema_extra={"enum": list(PRESETS)})] = Field(
        default=_ABSENT, description=f"A program that is known: {', '.join(PRESETS)}."
    )
    acp: _Argv = Field(default=_ABSENT, description="Program and arguments of an agent that speaks ACP over stdio.")
    command: _Argv = Field(
        default=_ABSENT,
        description="Program and arguments. `{prompt}`, `{system_prompt}`, `{model}`, `{mcp_config}` and `{workdir}` "
        "stand for their values.",
    )
    trace: Name = Field(default=_ABSENT, description="The format of what `command` prints; `tap` reads the taps alone.")
    env: dict[str, str] = Field(default={}, description="Variables for the program; may hold `${env:NAME}`.")
    permissions: Permissions = Field(
        default="allow_tools", description="What the program is told when it asks to call a tool."
    )
    tool_search: ToolSearch = Field(
        default=_ABSENT, description="`off` asks the program to show the model all tools at once."
    )
    workdir: Name = Field(default=_ABSENT, description="A folder below the suite's: each run gets a copy of it.")
    timeout_s: Annotated[int, Field(ge=1, le=3600)] = Field(
        default=DEFAULT_TIMEOUT_S, description=f"Seconds that a run may take; {DEFAULT_TIMEOUT_S} by default."
    )

    @model_validator(mode="after")
    def _check_keys(self) -> "DriverBlock":
        kinds = [key for key in _KINDS if key in self.model_fields_set]
        if not kinds:
            raise_findings(make_finding("missing_key", "a driver needs `acp`, `command` or `preset`", help=_EXAMPLE))
        if len(kinds) > 1:
            message = f"`{kinds[0]}` and `{kinds[1]}` exclude each other"
            raise_findings(make_finding("conflict", message, help="keep one", at=(kinds[1],), on_key=True))
        if kinds == ["preset"]:
            _check_preset_key(self.preset)
        elif kinds == ["command"]:
            self._check_command()
        if "trace" in self.model_fields_set and kinds != ["command"]:
            message = f"`trace` does not go with `{kinds[0]}`"
            raise_findings(make_finding("conflict", message, help="remove it", at=("trace",), on_key=True))
        return self

    def _check_command(self) -> None:
        if "trace" not in self.model_fields_set:
            help_ = "name the format of what it prints, or `trace: tap` to take the calls from the taps alone"
            raise_findings(make_finding("missing_key", "missing key `trace`", help=help_))
        used = {name for text in (*self.command, *self.env.values()) for name in PLACEHOLDER.findall(text)}
        if "prompt" not in used:
            message = "the program never gets the prompt"
            raise_findings(
                make_finding("choice", message, help="put `{prompt}` into `command` or `env`", at=("command",))
            )

    def resolve(self) -> DriverPlan:
        """Return the driver for the plan."""
        kind: DriverKind = "preset" if self.preset else "acp" if self.acp else "command"
        return DriverPlan(
            kind,
            self.preset,
            tuple(self.acp or self.command or ()),
            self.trace,
            self.env,
            self.permissions,
            self.tool_search,
            self.workdir,
            self.timeout_s,
        )


def _check_preset_key(name: str) -> None:
    if name not in PRESETS:
        help_ = format_suggestion(name, PRESETS) or "any other program is `{command: […], trace: FORMAT}`"
        raise_findings(make_finding("choice", f"unknown driver `{name}`", help=help_, at=("preset",)))


def _expand_name(value: object) -> object:
    """Return the mapping that the name of a preset stands for."""
    return {"preset": _check_preset(value)} if isinstance(value, str) and value.strip() else value


_EXAMPLE = 'write `driver: codex`, or `driver: {command: [program, "{prompt}"], trace: FORMAT}`'

AnyDriverBlock = Annotated[
    DriverBlock, BeforeValidator(_expand_name, json_schema_input_type=Literal[PRESETS] | DriverBlock)
]
"""A driver: the name of a preset, or a mapping."""
