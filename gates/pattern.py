"""Regular expressions and JSON Schemas in linear time; a schema is never fetched from another document.

Both come from one engine, whose patterns have no lookaround and no back-references: no text can make them hang.
"""

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema_rs import Validator


def explain_pattern_fault(pattern: str) -> str | None:
    """Return why `pattern` cannot be used, or None if it can."""
    try:
        # A pattern is compiled as part of a schema: the engine has no other door to its regular expressions.
        _build_validator(_serialize_schema({"pattern": pattern}))
    except ValueError:
        return _explain_unusable_pattern(pattern)
    return None


def has_pattern_match(pattern: str, text: str) -> bool:
    """Return whether `pattern` matches anywhere in `text`."""
    return _build_validator(_serialize_schema({"pattern": pattern})).is_valid(text)


def explain_schema_fault(schema: dict[str, Any]) -> str | None:
    """Return why `schema` is not a usable JSON Schema, or None if it is one."""
    try:
        _build_validator(_serialize_schema(schema))
    except ValueError as error:
        message = get_first_line(error).rpartition("ValueError: ")[2]
        return message.replace(_ENGINE_WORDS, "cannot stand here in a JSON Schema")
    return None


def find_schema_fault_path(schema: dict[str, Any]) -> tuple[str | int, ...]:
    """Return the path of the fault in `schema`; an empty one if the schema as a whole is at fault."""
    try:
        _build_validator(_serialize_schema(schema))
    except ValueError as error:
        return tuple(getattr(error, "instance_path", ()))
    return ()


def explain_schema_failure(schema: dict[str, Any], value: object) -> str | None:
    """Return why `value` breaks `schema`, or None if it does not."""
    for error in _build_validator(_serialize_schema(schema)).iter_errors(value):
        where = "".join(f"[{step!r}]" for step in error.instance_path)
        return f"{error.message}{f' at {where}' if where else ''}"
    return None


# What the engine says if a value fits none of the forms that a keyword may have; it names no keyword of ours.
_ENGINE_WORDS = "is not valid under any of the schemas listed in the 'anyOf' keyword"


def get_first_line(error: Exception) -> str:
    """Return the first sentence of an engine's message, without the excerpts below it."""
    return str(error).split("\n", 1)[0]


def _serialize_schema(schema: dict[str, Any]) -> str:
    # As text, since a dict cannot be a cache key.
    return json.dumps(schema, sort_keys=True, ensure_ascii=False)


# Compiling takes far longer than matching, and the same matcher meets every run of a test.
@lru_cache(maxsize=4096)
def _build_validator(schema: str) -> "Validator":
    import jsonschema_rs

    return jsonschema_rs.validator_for(schema, retriever=_refuse_to_fetch, pattern_options=jsonschema_rs.RegexOptions())


def _refuse_to_fetch(uri: str) -> Any:
    raise ValueError(f"`$ref` to {uri}: only references inside the schema are followed")


def _explain_unusable_pattern(pattern: str) -> str:
    import re

    try:
        # Python's engine knows more than the linear one: if it takes the pattern, an unsupported part is why.
        re.compile(pattern)
    except (re.error, OverflowError) as error:
        return f"{error}"
    except RecursionError:
        return "the groups are nested too deep"
    return "lookaround, back-references and very large repeats are not supported: patterns run in linear time"
