"""Reading cassettes, and refusing those that are missing, damaged or recorded before a change of the suite."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET

from ...foundations.canonical_json import encode_compact, to_json
from ...foundations.shell_words import quote_word
from ..atomic_file import read_regular
from ..cell_selection import PlannedCell
from .cassette import FORMAT, KIND, MAX_BYTES, Cassette, RunShape, is_intact

_WHOLE = msgspec.json.Decoder(Cassette)
_MAX_SIDE_BY_SIDE = 100


class _CassetteHeader(msgspec.Struct):
    """The fields that every format has, to recognise a file of a newer one."""

    format: int
    kind: str


_HEAD = msgspec.json.Decoder(_CassetteHeader)


class Refusal(Exception):
    """The reason why a cassette is not used; `details` are printed below the message."""

    def __init__(self, message: str, details: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.details = details


def load_cassette(path: Path | str) -> Cassette:
    """Return the cassette in a file. Raise `Refusal` if it is missing, damaged or of a newer format."""
    data = _read_cassette_bytes(path)
    try:
        cassette = _WHOLE.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        # A file of a newer format may not decode; it must be called newer, not corrupt.
        _refuse_other_formats(data)
        raise Refusal("corrupt", (str(error),)) from None
    if cassette.kind != KIND or cassette.format > FORMAT:
        _refuse_other_formats(data)
    # Checked after decoding: the file itself says which hash it should have.
    if not is_intact(data, cassette.integrity):
        raise Refusal("corrupt", ("its integrity hash does not fit its content",))
    return cassette


def _read_cassette_bytes(path: Path | str) -> bytes:
    try:
        data = read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        raise Refusal("not recorded yet") from None
    except OSError as error:
        raise Refusal(f"cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise Refusal(f"larger than {MAX_BYTES:,} bytes")
    return data


def _refuse_other_formats(data: bytes) -> None:
    try:
        head = _HEAD.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal("corrupt", (str(error),)) from None
    if head.kind != KIND:
        raise Refusal("not a cassette")
    if head.format > FORMAT:
        raise Refusal(f"written in format {head.format}; this toolgrade reads up to {FORMAT}: upgrade toolgrade")


def check_fit(cassette: Cassette, planned: PlannedCell, run: int, shape: RunShape, digest: str) -> None:
    """Raise `Refusal` if a cassette is of another run, or if the inputs of the run have changed since."""
    test, model, key = planned.test, planned.cell.model, cassette.key
    if cassette.status != "complete":
        raise Refusal("incomplete: the recording was interrupted")
    if key.model != model:
        raise Refusal("recorded with another model", (f"recorded: {key.model}", f"suite:    {model}"))
    if key.run != run or key.test != test.name or key.suite != planned.suite.name:
        raise Refusal("recorded for another test or run", (f"recorded: {key.suite}, {key.test}, run {key.run}",))
    if key.runs != test.runs:
        details = (f"recorded: {key.runs} runs", f"suite:    {test.runs} runs")
        raise Refusal("recorded with another number of runs", details)
    if key.digest != digest:
        raise Refusal(*_describe_shape_change(key.shape, shape))


def format_record_command(files: Iterable[str], tests: Sequence[str]) -> str:
    """Return the command that records these tests of these suite files again."""
    narrowed = [f"--test={quote_word(tests[0])}"] if len(tests) == 1 else []
    return " ".join(["toolgrade run", *map(quote_word, files), "--mode live", *narrowed])


def _describe_shape_change(old: RunShape, new: RunShape) -> tuple[str, tuple[str, ...]]:
    names = [name for name in RunShape.__struct_fields__ if getattr(old, name) != getattr(new, name)]
    details = [line for name in names for line in _format_field_change(name, getattr(old, name), getattr(new, name))]
    # The digests differ though no field does if another version hashed a field that this one does not know.
    what = ", ".join(name.replace("_", " ") for name in names) or "the inputs of the run"
    return f"recorded before a change of {what}", tuple(details)


def _format_field_change(name: str, old: object, new: object) -> Iterator[str]:
    """Yield the old and the new value below each other if both are short, else a diff."""
    before, after = _format_field_value(old), _format_field_value(new)
    if "\n" in before or "\n" in after or max(len(before), len(after)) > _MAX_SIDE_BY_SIDE:
        yield f"{name}:"
        diff = difflib.unified_diff(before.splitlines(), after.splitlines(), "recorded", "suite", lineterm="", n=1)
        yield from (f"  {line}" for line in diff)
    else:
        yield f"{name} recorded: {before}"
        yield f"{name} in suite: {after}"


def _format_field_value(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None or value is UNSET:
        return "(none)"
    compact = encode_compact(value).decode()
    return compact if len(compact) <= _MAX_SIDE_BY_SIDE else to_json(value).decode()
