"""The base of every authored block of YAML, and the findings that its validators raise."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, LiteralString, NoReturn, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

Name = Annotated[str, Field(min_length=1, pattern=r"\S")]
"""Text that names something: not empty, not blank."""


GateModels = Annotated[list[Name], Field(min_length=1)]
"""The `models:` of a gate: it applies to the cells of these models alone."""

GATE_MODELS = "Models that the gate applies to; all of the test by default."


class Block(BaseModel):
    """A mapping in a suite: it refuses unknown keys and never converts a value to another type."""

    # `defer_build`: the schema of a model is built when a suite first needs it, which keeps imports short.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


def make_finding(
    kind: str,
    message: str,
    *,
    help: str | None = None,  # noqa: A002 - the word a diagnostic uses
    label: str | None = None,
    at: tuple[str | int, ...] = (),
    first_at: tuple[str | int, ...] = (),
    on_key: bool = False,
) -> InitErrorDetails:
    """Return one mistake in a block, `at` a path below it; the compiler gives it a code, a file and a line.

    If a name is used twice, `first_at` is the path of its first use; it has as many steps as `at`.
    """
    # pydantic carries errors as a type, a message template and a context: our facts travel in the context.
    facts: dict[str, Any] = {"message": message, "help": help, "label": label, "first_at": first_at, "on_key": on_key}
    return InitErrorDetails(type=PydanticCustomError(cast(LiteralString, kind), "{message}", facts), loc=at, input=None)


def raise_findings(*findings: InitErrorDetails) -> NoReturn:
    """Raise the ValidationError that rejects the block being validated, with all of these findings."""
    raise ValidationError.from_exception_data("block", list(findings))


def find_duplicates(names: Iterable[str]) -> Iterable[tuple[int, int]]:
    """Yield the index of each repeated name, and the index of its first use."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if first.setdefault(name, index) != index:
            yield index, first[name]


def make_collecting_validator(check: Callable[[object], Iterable[InitErrorDetails]]) -> Callable[[Any, Any], Any]:
    """Return a wrap validator that reports the findings of `check` together with those of pydantic."""

    def validate_and_collect(value: object, handler: Callable[[object], object]) -> object:
        # `check` runs on the raw value, before pydantic: a wrong type elsewhere must not hide its findings.
        found = list(check(value))
        try:
            result = handler(value)
        except ValidationError as error:
            raise_findings(*found, *(_copy_finding(line) for line in error.errors(include_url=False)))
        if found:
            raise_findings(*found)
        return result

    return validate_and_collect


def _copy_finding(line: ErrorDetails) -> InitErrorDetails:
    """Return a finding of an inner validator in the form in which it can be raised again."""
    facts = line.get("ctx", {})
    kind = (
        PydanticCustomError(cast(LiteralString, line["type"]), "{message}", facts)
        if "message" in facts
        else line["type"]
    )
    return InitErrorDetails(type=kind, loc=line["loc"], input=line["input"], ctx=facts)
