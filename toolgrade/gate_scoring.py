"""The Python calls that score runs with one gate, without a suite."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any, cast

import msgspec
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .compiler.diagnostic import Diagnostic, SourceText, Span
from .compiler.document import Document, SourceMarks
from .compiler.validation_errors import translate_validation_errors
from .foundations.fault import BadInput
from .foundations.json_value import narrow_to_list, narrow_to_mapping
from .gates.expect import Expect, ExpectBlock
from .gates.gate import Gate, ScoringConditions, score_gate
from .gates.gate_result import GateResult
from .gates.registry import GATES, load_gate_block
from .gates.tool_selection import ToolClass
from .gates.trace import Trace
from .runners.models.budget import parse_dollars
from .runners.scoring import Run
from .runners.trace_file import explain_decode_error

Runs = Run | Iterable[Run]
"""One run, or several: each a `Trace`, or a mapping with `tool_calls`."""

_SCORED = ScoringConditions("score")


def score_selection(
    classes: Sequence[ToolClass | Mapping[str, Any]], runs: Runs, expect: Sequence[Any] = ()
) -> GateResult:
    """Return precision, recall and F1 over classes of interchangeable tools: the gate `equal_function_sets`.

    Raise `BadInput` if the classes, the expectations or a run cannot be read.
    """
    return _score_runs(_resolve_class_gate("equal_function_sets", classes, expect), _list_traces(runs), _SCORED)


def score_correctness(
    expected_tools: Sequence[str],
    runs: Runs,
    *,
    exact_match: bool = False,
    check_ordering: bool = False,
    **more: Any,
) -> GateResult:
    """Return the share of expected tools that were called, exactly or in order: the gate `tool_correctness`.

    `more` are the other keys of the gate, such as `threshold`. Raise `BadInput` if one of them, or a run, cannot be
    read.
    """
    fields = {
        "expected_tools": _to_plain_list(expected_tools),
        "exact_match": exact_match,
        "check_ordering": check_ordering,
    }
    return _score_runs(_resolve_gate("tool_correctness", {**fields, **more}), _list_traces(runs), _SCORED)


def score_efficiency(
    classes: Sequence[ToolClass | Mapping[str, Any]],
    runs: Runs,
    *,
    tool_surface_tokens: int,
    cost: Decimal | str | None = None,
    expect: Sequence[Any] = (),
) -> GateResult:
    """Return what a catalog costs per correct selection: the gate `token_efficiency`.

    `cost` is what all runs cost together; without it, the costs on the traces are added up. Raise `BadInput` if the
    classes, the expectations, the cost or a run cannot be read.
    """
    gate = _resolve_class_gate("token_efficiency", classes, expect)
    traces = _list_traces(runs)
    if cost is not None:
        # The gate adds up the costs of traces: the first gets all of it, the others none.
        shares = [parse_dollars(cost), *[Decimal(0)] * (len(traces) - 1)]
        traces = [msgspec.structs.replace(trace, cost=share) for trace, share in zip(traces, shares, strict=False)]
    # The gate is of live runs alone; here the caller says what was offered.
    return _score_runs(gate, traces, ScoringConditions("live", tool_surface_tokens))


def check_trace(expect: Sequence[Any], runs: Runs) -> GateResult:
    """Return whether plain assertions hold on the trace of every run: the `expect:` of a test.

    Raise `BadInput` if an assertion or a run cannot be read.
    """
    try:
        block = ExpectBlock.model_validate(_to_plain_list(expect))
    except ValidationError as error:
        raise _make_bad_input(("expect",), error) from None
    return _score_runs(Expect(block.root), _list_traces(runs), _SCORED)


def iterate_runs(runs: Runs) -> Iterable[Run]:
    """Return the runs, also if there is only one. Raise `BadInput` if `runs` is something else."""
    if isinstance(runs, Trace | Mapping):
        return [cast(Run, runs)]
    if not isinstance(runs, Iterable) or isinstance(runs, str | bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput("`runs` must be a run or a list of runs", 'a run is {"tool_calls": [{"name": …, "server": …}]}')
    return runs


def _list_traces(runs: Runs) -> list[Trace]:
    return [_convert_to_trace(run, number) for number, run in enumerate(iterate_runs(runs), 1)]


def _convert_to_trace(run: Run, number: int) -> Trace:
    """Return a run as a trace; a mapping is read exactly as from a file."""
    if isinstance(run, Trace):
        return run
    try:
        return msgspec.json.decode(msgspec.json.encode(run), type=Trace)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"run {number}: {explain_decode_error(error)}") from None


def _score_runs(gate: Gate, traces: Iterable[Trace], conditions: ScoringConditions) -> GateResult:
    try:
        return score_gate(gate, traces, conditions)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:  # args are decoded when they are asserted on
        raise BadInput(f"`args`: {explain_decode_error(error)}") from None


def _resolve_class_gate(name: str, classes: object, expect: object) -> Gate:
    """Return a gate over classes, which may be mappings as in YAML, or resolved."""
    entries = narrow_to_list(classes)
    plain = classes if entries is None else [_to_plain_class(entry) for entry in entries]
    return _resolve_gate(name, {"classes": plain, "expect": _to_plain_list(expect)})


def _resolve_gate(name: str, fields: Mapping[str, Any]) -> Gate:
    try:
        return load_gate_block(GATES[name]).model_validate(fields).resolve()
    except ValidationError as error:
        raise _make_bad_input((name,), error) from None


def _make_bad_input(place: tuple[str, ...], error: ValidationError) -> BadInput:
    """Return pydantic's errors in the words of `toolgrade check`, each with where it is below the arguments."""
    below = place if place != ("expect",) else ()
    found = [
        (_format_path((*place, *parent)[len(below) :]), diagnostic)
        for parent, group in groupby(error.errors(include_url=False), key=lambda line: line["loc"][:-1])
        for diagnostic in _translate_group(place, list(group))
    ]
    text = "\n".join(f"{where}: {one.message}" if where else one.message for where, one in found)
    return BadInput(text, next((one.help for _, one in found if one.help), None))


def _translate_group(place: tuple[str, ...], errors: list[ErrorDetails]) -> Iterator[Diagnostic]:
    """Yield the diagnostics of errors in one mapping or list, as if it stood in a test of a suite."""
    document = Document(SourceText("", ""), {}, SourceMarks(), Span(0, 0))
    placed: list[ErrorDetails] = [{**error, "loc": ("tests", 0, *place, *error["loc"])} for error in errors]
    return translate_validation_errors(document, placed)


def _format_path(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _to_plain_class(entry: Any) -> Any:
    """Return a class as it stands in YAML; what is wrong with it is found there."""
    if isinstance(entry, ToolClass):
        return msgspec.to_builtins(entry)
    fields = narrow_to_mapping(entry)
    return entry if fields is None else dict(fields)


def _to_plain_list(value: object) -> object:
    """Return a list or tuple as a list, as YAML has it; the gate refuses anything else."""
    entries = narrow_to_list(value)
    return value if entries is None else entries
