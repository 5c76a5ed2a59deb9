"""`xfail:` as authored: a reason, or a reason and the models that it is about."""

from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field, WithJsonSchema

from ..foundations.json_value import describe_value
from ..gates.block import Block, Name, make_finding, raise_findings

_HELP = "write `xfail: REASON`, or `xfail: {reason: …, models: [a, b]}`"


class XfailBlock(Block):
    """A test that is expected to fail, and why."""

    reason: Name = Field(description="Why the test fails for now.")
    models: Annotated[list[Name], Field(min_length=1)] = Field(
        default=cast(Any, None), description="The models that are expected to fail; all of the test by default."
    )


def _read_xfail(value: object) -> object:
    if isinstance(value, str) and value.strip():
        return {"reason": value}
    if not isinstance(value, dict):
        message = f"`xfail` gives the reason why the test fails, not {describe_value(value)}"
        raise_findings(make_finding("empty", message, help=_HELP))
    return cast(dict[str, Any], value)


Xfail = Annotated[
    XfailBlock,
    BeforeValidator(_read_xfail),
    # By hand: pydantic's schema describes the block behind the validator, and would refuse a bare reason.
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": r"\S"},
                {
                    "type": "object",
                    "required": ["reason"],
                    "additionalProperties": False,
                    "properties": {
                        "reason": {"type": "string", "pattern": r"\S"},
                        "models": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                    },
                },
            ]
        }
    ),
]
