"""Arguments for a tool from its schema and the prompt: what is required, and what the prompt gives by name."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from .prompt_values import Kind, PromptValues
from .search_words import extract_search_words

_MAX_DEPTH = 5  # a schema may refer to itself
_MAX_ITEMS = 20
_FORMATS: dict[str, Kind] = {
    "uri": "url", "url": "url", "email": "email", "date": "date", "date-time": "date", "time": "time",
}  # fmt: skip
# The first kind that fits wins: `time_zone` is a zone, so zones stand before times.
_HINTS: dict[Kind, frozenset[str]] = {
    "url": frozenset(("url", "uri", "link", "href", "website", "webpage")),
    "email": frozenset(("email", "mail", "recipient")),
    "zone": frozenset(("timezone", "tz", "zone")),
    "date": frozenset(("date", "day", "since", "until", "deadline")),
    "time": frozenset(("time",)),
    "path": frozenset(("path", "file", "filename", "filepath", "dir", "directory", "folder", "repo", "repository")),
    "sum": frozenset(("expression", "formula", "calculation")),
}
# Parameters that take the request itself: a name in it would be only a part.
_WHOLE = frozenset(("query", "question", "prompt", "search", "text", "message", "content", "input", "q"))
Schema = Mapping[str, Any]


def fill_arguments(schema: Schema, values: PromptValues) -> dict[str, Any]:
    """Return the arguments of a call that fits a schema, with what the prompt gives."""
    return _ArgumentFiller(schema, values).fill_object(schema, _MAX_DEPTH)


class _ArgumentFiller:
    """Fills one call; the root schema holds what `$ref` points to."""

    def __init__(self, root: Schema, values: PromptValues) -> None:
        self._root, self._values = root, values

    def fill_object(self, schema: Schema, depth: int) -> dict[str, Any]:
        parts = {name: self._resolve_schema(part) for name, part in _to_dict(schema.get("properties")).items()}
        given = {name: self._take_named_value(name, part) for name, part in parts.items()}
        required = _to_list(schema.get("required"))
        filled: dict[str, Any] = {}
        for name, part in parts.items():
            if given[name] is not None:
                filled[name] = given[name]
            elif name in required:
                filled[name] = self._fill_value(name, part, depth)
        return filled

    def _fill_value(self, name: str, schema: Schema, depth: int) -> Any:
        if "const" in schema:
            return schema["const"]
        if choices := _to_list(schema.get("enum")):
            return self._choose_enum_value(choices, schema.get("default", choices[0]))
        match _get_schema_type(schema):
            case "object":
                return self.fill_object(schema, depth - 1) if depth else {}
            case "array":
                return self._fill_array(name, schema, depth)
            case "boolean":
                return schema.get("default", False)
            case "integer" | "number":
                return self._fill_number(schema)
            case _:
                return schema["default"] if "default" in schema else self._fill_text(name, schema)

    def _take_named_value(self, name: str, schema: Schema) -> Any:
        """Return the value that the prompt gives by the parameter's name, or None."""
        kind = _get_schema_type(schema)
        # The last word says most: `max_results` is about results, `page_title` about a title.
        for word in reversed(extract_search_words(name)):
            if kind in ("integer", "number") and (number := self._values.take_named(word, "number")) is not None:
                return _parse_number_in_bounds(number, schema)
            if (
                kind == "string"
                and "enum" not in schema
                and (text := self._values.take_named(word, "quoted")) is not None
            ):
                return text
        return None

    def _choose_enum_value(self, choices: list[Any], otherwise: Any) -> Any:
        said = [choice for choice in choices if isinstance(choice, str) and self._values.has_word(choice)]
        # The longest: a prompt that says "created_at" also says "created".
        return max(said, key=len, default=otherwise)

    def _fill_array(self, name: str, schema: Schema, depth: int) -> list[Any]:
        items = self._resolve_schema(schema.get("items"))
        kind = _guess_value_kind(name, items) or "quoted"
        if _get_schema_type(items) == "string" and "enum" not in items:
            found = [value for value, _ in zip(self._values.take_all(kind), range(_MAX_ITEMS), strict=False)]
            if found:
                return found
        return [self._fill_value(name, items, depth - 1)] if items and depth else []

    def _fill_number(self, schema: Schema) -> int | float:
        for text in self._values.take_all("number"):
            if (number := _parse_number_in_bounds(text, schema)) is not None:
                return number
        default, least = schema.get("default"), schema.get("minimum")
        return next((value for value in (default, least) if isinstance(value, int | float)), 1)

    def _fill_text(self, name: str, schema: Schema) -> str:
        kind = _guess_value_kind(name, schema)
        kinds: list[Kind] = [kind, "quoted"] if kind else ["quoted"]
        if kind is None and _WHOLE.isdisjoint(extract_search_words(name)):
            kinds.append("name")
        found = next((value for each in kinds if (value := self._values.take_next(each)) is not None), None)
        if found is not None:
            return found
        return "." if kind == "path" else self._values.step

    def _resolve_schema(self, schema: Any) -> Schema:
        """Return the schema behind references and alternatives, or the empty one after `_MAX_DEPTH` steps."""
        for _ in range(_MAX_DEPTH):
            part = _to_dict(schema)
            ref = part.get("$ref")
            options = _to_list(part.get("anyOf")) or _to_list(part.get("oneOf")) or _to_list(part.get("allOf"))
            if isinstance(ref, str):
                schema = self._resolve_reference(ref)
            elif options:
                first = next((one for one in map(_to_dict, options) if one.get("type") != "null"), part)
                schema = {"default": part["default"], **first} if "default" in part else first
            else:
                return part
        return {}

    def _resolve_reference(self, ref: str) -> Schema:
        place: Any = self._root
        for key in ref.removeprefix("#").strip("/").split("/"):
            place = _to_dict(place).get(key)
        return _to_dict(place)


def _get_schema_type(schema: Schema) -> str:
    kinds = list(_list_type_names(schema.get("type")))
    if not kinds:
        return "object" if "properties" in schema else "array" if "items" in schema else "string"
    return next((kind for kind in kinds if kind != "null"), "null")


def _list_type_names(value: Any) -> Iterator[str]:
    yield from (kind for kind in (_to_list(value) or [value]) if isinstance(kind, str))


def _guess_value_kind(name: str, schema: Schema) -> Kind | None:
    """Return the kind of text that a parameter is for, by its format or its name, or None."""
    form = schema.get("format")
    if isinstance(form, str) and form in _FORMATS:
        return _FORMATS[form]
    named = extract_search_words(name)
    return next((kind for kind, hints in _HINTS.items() if not hints.isdisjoint(named)), None)


def _parse_number_in_bounds(text: str, schema: Schema) -> int | float | None:
    number = float(text)
    if _get_schema_type(schema) == "integer" or number.is_integer():
        if not number.is_integer():
            return None
        number = int(number)
    least, most = schema.get("minimum"), schema.get("maximum")
    if (isinstance(least, int | float) and number < least) or (isinstance(most, int | float) and number > most):
        return None
    return number


def _to_dict(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _to_list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []
