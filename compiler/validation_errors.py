"""Translates pydantic's errors into diagnostics: a code, a place, and what to write instead."""

from collections.abc import Iterator
from typing import Any

from pydantic_core import ErrorDetails

from ..foundations.json_value import describe_value
from ..foundations.suggestion import find_nearest, format_suggestion
from .diagnostic import MAX_ERRORS, Diagnostic, Path, Span
from .document import Document
from .known_keys import find_known_keys

_CODES = {
    "key": "TG101",
    "missing_key": "TG102",
    "type": "TG103",
    "target": "TG104",
    "operator": "TG105",
    "operator_kind": "TG106",
    "operand": "TG106",
    "matcher": "TG106",
    "range": "TG107",
    "regex": "TG108",
    "schema": "TG109",
    "empty": "TG110",
    "expectation": "TG110",
    "duplicate_name": "TG112",
    "conflict": "TG113",
    "choice": "TG115",
    "path": "TG116",
    "order": "TG117",
}
_TYPES = {
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
}


def translate_validation_errors(document: Document, errors: list[ErrorDetails]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each error, but for those that only follow from a misspelt key."""
    # One more than is shown, by which `limit_errors` sees that there are too many.
    shown = errors[: MAX_ERRORS + 1]
    # A misspelt key is an unknown key and a missing one to pydantic; only the first is reported.
    misspelt = {_guess_path(error) for error in shown if error["type"] == "extra_forbidden"}
    for error in shown:
        path = _get_path(error)
        if error["type"] == "missing" and misspelt.intersection(_list_alternatives(path)):
            continue
        yield _translate_error(document, error, path)


def _list_alternatives(path: Path) -> list[Path]:
    # A server needs one of three keys: whichever was misspelt explains the one that pydantic misses.
    return [(*path[:-1], key) for key in _TRANSPORTS] if path[0] == "servers" else [path]


def _get_path(error: ErrorDetails) -> Path:
    """Return the path of an error in the document, without the tags of unions that pydantic adds."""
    # Discriminated unions put their tag into the location.
    return tuple(step for step in error["loc"] if not (isinstance(step, str) and step in _TAGS))


def _guess_path(error: ErrorDetails) -> Path:
    path = _get_path(error)
    return (*path[:-1], find_nearest(str(path[-1]), find_known_keys(path[:-1])) or "")


def _translate_error(document: Document, error: ErrorDetails, path: Path) -> Diagnostic:
    key_span, value_span = document.find_spans(path)
    kind, facts = error["type"], error.get("ctx", {})
    if kind in _CODES:
        span = key_span if facts.get("on_key") else value_span
        return document.source.make_diagnostic(
            _CODES[kind],
            span,
            facts["message"],
            help=facts.get("help"),
            label=facts.get("label"),
            related=_find_first_use(document, path, facts.get("first_at")),
        )
    if kind == "extra_forbidden":
        known = find_known_keys(path[:-1])
        # Known to another branch of the union: the key is right, and does not go with the transport.
        if path[-1] in known:
            return _make_transport_conflict(document, error, path)
        help_ = _make_placement_hint(path) or format_suggestion(str(path[-1]), known)
        # A long list of keys would bury the help line.
        label = f"expected one of {', '.join(known)}" if len(known) <= 6 or not help_ else None
        return document.source.make_diagnostic("TG101", key_span, f"unknown key `{path[-1]}`", help=help_, label=label)
    if kind == "missing":
        _, above = document.find_spans(path[:-1])
        message, help_ = _explain_missing_key(path)
        return document.source.make_diagnostic("TG102", above, message, help=help_)
    code, message, help_ = _explain_error(
        kind, facts, path, error["input"], document.source.text[value_span.start : value_span.end]
    )
    return document.source.make_diagnostic(
        code, value_span if value_span.end > value_span.start else key_span, message, help=help_
    )


def _find_first_use(document: Document, path: Path, first_at: Path | None) -> tuple[tuple[Span, str], ...]:
    if not first_at:
        return ()
    return ((document.find_spans((*path[: -len(first_at)], *first_at))[1], "first used here"),)


def _make_transport_conflict(document: Document, error: ErrorDetails, path: Path) -> Diagnostic:
    transport = str(error["loc"][len(path) - 1]).strip("<>")
    message = f"`{path[-1]}` does not go with `{transport}`"
    help_ = "a server has `command`, `env` and `cwd`, or `url` and `headers`, or `catalog`"
    return document.source.make_diagnostic("TG113", document.find_spans(path)[0], message, help=help_)


def _explain_missing_key(path: Path) -> tuple[str, str | None]:
    if path[0] == "servers":
        return "a server needs `command`, `url` or `catalog`", "write `{command: [program, argument]}`"
    return f"missing key `{path[-1]}`", _EXAMPLES.get(str(path[-1]))


def _explain_error(
    kind: str, facts: dict[str, Any], path: Path, value: object, written: str
) -> tuple[str, str, str | None]:
    """Return code, message and help for an error of pydantic's own."""
    what = _describe_subject(path)
    if kind == "string_type" and value is None:
        help_ = f'write the text, or quote it: `"{written}"`' if written else "write the text, or remove the key"
        return "TG111", f"{what} is empty; text is expected", help_
    if kind == "string_type" and isinstance(value, int | float):
        return "TG111", f"{what} must be text, not {_describe_type(value)}", f'quote it: `"{written}"`'
    if kind in _TYPES:
        help_ = _make_type_hint(kind, path, value, written)
        if value is None:
            return "TG103", f"{what} is empty; {_TYPES[kind]} is expected", help_
        return "TG103", f"{what} must be {_TYPES[kind]}, not {_describe_type(value)}", help_
    if kind in ("too_short", "string_too_short", "string_pattern_mismatch"):
        return "TG110", f"{what} is empty", _EMPTY.get(str(path[-1]), "write some text")
    if kind in ("greater_than_equal", "less_than_equal"):
        bound = f"at least {facts['ge']}" if "ge" in facts else f"at most {facts['le']}"
        return "TG107", f"{what} must be {bound}, not {describe_value(value)}", None
    if kind == "literal_error":
        expected = str(facts["expected"]).replace("'", "`")
        return "TG115", f"{what} must be {expected}, not {describe_value(value)}", "leave it out"
    return "TG103", f"{what}: {kind.replace('_', ' ')}", None


def _describe_subject(path: Path) -> str:
    last = path[-1] if path else "suite"
    if isinstance(last, int):
        owner = next((step for step in reversed(path) if isinstance(step, str)), "suite")
        return f"entry {last + 1} of `{owner}`"
    return f"`{last}`"


def _describe_type(value: object) -> str:
    match value:
        case None:
            return "empty"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {describe_value(value)}"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "a mapping"


def _make_type_hint(kind: str, path: Path, value: object, written: str) -> str | None:
    """Return what to write instead of a value of the wrong type."""
    if path[-1] == "command":
        return _make_command_hint(value)
    if path[0] in ("tests", "agents") and len(path) <= 2:
        return "write a list of entries that start with `- name: …`"
    if path[0] == "servers" and len(path) == 2:
        return "write `{command: [program, argument]}`"
    if kind == "list_type" and isinstance(value, str) and "\n" not in written:
        return f"write `[{written}]`"
    if kind == "int_type" and isinstance(value, str) and value.isdecimal():
        return f"write {value} without quotes"
    if kind == "bool_type":
        return _BOOLEANS.get(str(value).lower())
    keys = find_known_keys(path) if kind in ("model_type", "model_attributes_type") else []
    return f"its keys are {', '.join(keys)}" if keys else None


def _make_command_hint(value: object) -> str | None:
    import shlex

    if not isinstance(value, str):
        return None
    try:
        words = shlex.split(value)
    except ValueError:
        words = value.split()
    return f"no shell is involved: write `[{', '.join(words)}]`"


def _make_placement_hint(path: Path) -> str | None:
    return _ELSEWHERE.get(str(path[-1])) if len(path) > 1 else None


_TRANSPORTS = ("command", "url", "catalog")
_BOOLEANS = {
    **dict.fromkeys(("yes", "on", "true", "1"), "write `true`, without quotes"),
    **dict.fromkeys(("no", "off", "false", "0"), "write `false`, without quotes"),
}
_TAGS = {"<command>", "<url>", "<catalog>", "<list>", "<mapping>", "<one>", "<several>", "[key]"}
_ELSEWHERE = {
    "target": "`target` and `matcher` stand in an entry of `expect`",
    "matcher": "`target` and `matcher` stand in an entry of `expect`",
    "members": "`members` stands in a class: `classes: [{name: …, members: […]}]`",
    "args": "arguments belong into `command: [program, argument]`",
}
_EXAMPLES = {
    "name": "write `name: …`, distinct from the others",
    "classes": "write `classes: [{name: …, members: [server.tool]}]`",
    "members": "write `members: [server.tool]`: the tools that reach this class",
    "expected_tools": "write `expected_tools: [server.tool]`",
}
_EMPTY = {
    "members": "list at least one tool: a class without members can never be reached",
    "classes": "list at least one class: without one there is nothing to select",
    "command": "write `[program, argument]`",
    "tools": "list at least one tool",
    "models": "list a model, or leave the key out",
}
