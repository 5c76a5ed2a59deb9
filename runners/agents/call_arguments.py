"""Arguments for a tool from its schema and the prompt: what is required, and what the prompt gives by name."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from .prompt_values import Kind, Values
from .search_words import words

_MAX_DEPTH = 5
_MAX_ITEMS = 20
_FORMATS: dict[str, Kind] = {
    "uri": "url", "url": "url", "email": "email", "date": "date", "date-time": "date", "time": "time",
}  # fmt: skip
_HINTS: dict[Kind, frozenset[str]] = {
    "url": frozenset(("url", "uri", "link", "href", "website", "webpage")),
    "email": frozenset(("email", "mail", "recipient")),
    "zone": frozenset(("timezone", "tz", "zone")),
    "date": frozenset(("date", "day", "since", "until", "deadline")),
    "time": frozenset(("time",)),
    "path": frozenset(("path", "file", "filename", "filepath", "dir", "directory", "folder", "repo", "repository")),
    "sum": frozenset(("expression", "formula", "calculation")),
}
_WHOLE = frozenset(("query", "question", "prompt", "search", "text", "message", "content", "input", "q"))
Schema = Mapping[str, Any]


def fill(schema: Schema, values: Values) -> dict[str, Any]:
    """The arguments of a call."""
    return _Filler(schema, values).object(schema, _MAX_DEPTH)


class _Filler:
    """Fills one call; the root schema holds what `$ref` points to."""

    def __init__(self, root: Schema, values: Values) -> None:
        self._root, self._values = root, values

    def object(self, schema: Schema, depth: int) -> dict[str, Any]:
        parts = {name: self._resolved(part) for name, part in _object(schema.get("properties")).items()}
        given = {name: self._given(name, part) for name, part in parts.items()}
        required = _list(schema.get("required"))
        filled: dict[str, Any] = {}
        for name, part in parts.items():
            if given[name] is not None:
                filled[name] = given[name]
            elif name in required:
                filled[name] = self._value(name, part, depth)
        return filled

    def _value(self, name: str, schema: Schema, depth: int) -> Any:
        if "const" in schema:
            return schema["const"]
        if choices := _list(schema.get("enum")):
            return self._chosen(choices, schema.get("default", choices[0]))
        match _type(schema):
            case "object":
                return self.object(schema, depth - 1) if depth else {}
            case "array":
                return self._array(name, schema, depth)
            case "boolean":
                return schema.get("default", False)
            case "integer" | "number":
                return self._number(schema)
            case _:
                return schema["default"] if "default" in schema else self._text(name, schema)

    def _given(self, name: str, schema: Schema) -> Any:
        """What the prompt gives by the parameter's name."""
        kind = _type(schema)
        for word in reversed(words(name)):
            if kind in ("integer", "number") and (number := self._values.named(word, "number")) is not None:
                return _in_bounds(number, schema)
            if kind == "string" and "enum" not in schema and (text := self._values.named(word, "quoted")) is not None:
                return text
        return None

    def _chosen(self, choices: list[Any], otherwise: Any) -> Any:
        said = [choice for choice in choices if isinstance(choice, str) and self._values.says(choice)]
        return max(said, key=len, default=otherwise)

    def _array(self, name: str, schema: Schema, depth: int) -> list[Any]:
        items = self._resolved(schema.get("items"))
        kind = _kind(name, items) or "quoted"
        if _type(items) == "string" and "enum" not in items:
            found = [value for value, _ in zip(self._values.take_all(kind), range(_MAX_ITEMS), strict=False)]
            if found:
                return found
        return [self._value(name, items, depth - 1)] if items and depth else []

    def _number(self, schema: Schema) -> int | float:
        for text in self._values.take_all("number"):
            if (number := _in_bounds(text, schema)) is not None:
                return number
        default, least = schema.get("default"), schema.get("minimum")
        return next((value for value in (default, least) if isinstance(value, int | float)), 1)

    def _text(self, name: str, schema: Schema) -> str:
        kind = _kind(name, schema)
        kinds: list[Kind] = [kind, "quoted"] if kind else ["quoted"]
        if kind is None and _WHOLE.isdisjoint(words(name)):
            kinds.append("name")
        found = next((value for each in kinds if (value := self._values.take(each)) is not None), None)
        if found is not None:
            return found
        return "." if kind == "path" else self._values.step

    def _resolved(self, schema: Any) -> Schema:
        """The schema behind references and alternatives, as far as a few steps lead."""
        for _ in range(_MAX_DEPTH):
            part = _object(schema)
            ref = part.get("$ref")
            options = _list(part.get("anyOf")) or _list(part.get("oneOf")) or _list(part.get("allOf"))
            if isinstance(ref, str):
                schema = self._target(ref)
            elif options:
                first = next((one for one in map(_object, options) if one.get("type") != "null"), part)
                schema = {"default": part["default"], **first} if "default" in part else first
            else:
                return part
        return {}

    def _target(self, ref: str) -> Schema:
        place: Any = self._root
        for key in ref.removeprefix("#").strip("/").split("/"):
            place = _object(place).get(key)
        return _object(place)


def _type(schema: Schema) -> str:
    kinds = list(_types(schema.get("type")))
    if not kinds:
        return "object" if "properties" in schema else "array" if "items" in schema else "string"
    return next((kind for kind in kinds if kind != "null"), "null")


def _types(value: Any) -> Iterator[str]:
    yield from (kind for kind in (_list(value) or [value]) if isinstance(kind, str))


def _kind(name: str, schema: Schema) -> Kind | None:
    """What sort of text a parameter is for, by its format or its name."""
    form = schema.get("format")
    if isinstance(form, str) and form in _FORMATS:
        return _FORMATS[form]
    named = words(name)
    return next((kind for kind, hints in _HINTS.items() if not hints.isdisjoint(named)), None)


def _in_bounds(text: str, schema: Schema) -> int | float | None:
    number = float(text)
    if _type(schema) == "integer" or number.is_integer():
        if not number.is_integer():
            return None
        number = int(number)
    least, most = schema.get("minimum"), schema.get("maximum")
    if (isinstance(least, int | float) and number < least) or (isinstance(most, int | float) and number > most):
        return None
    return number


def _object(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []
