"""Checks the runs and models of a test: targets that draw more runs than there are, and models it does not have."""

from collections.abc import Iterator
from typing import Any, cast

from ..foundations.suggestion import format_suggestion
from ..gates.registry import GateDescription, list_gates
from ..gates.run_targets import get_drawn_runs
from .diagnostic import Diagnostic, Path
from .document import Document
from .raw_values import iterate_gate_blocks, iterate_texts, list_texts


def check_drawn_runs(document: Document, path: Path, test: dict[str, Any], runs: object) -> Iterator[Diagnostic]:
    """Yield a warning for each `pass^K` and `pass@K` of a test with fewer runs than K."""
    if not isinstance(runs, int):
        return
    for gate in list_gates():
        found = (
            target
            for place, block in iterate_gate_blocks(path, gate.name, test)
            for target in _iterate_targets(place, block)
        )
        for at, target, on_key in found:
            drawn = _get_drawn_runs_of(gate, target)
            if drawn is not None and drawn > runs:
                span = document.find_key_span(at) if on_key else document.find_value_span(at)
                message = f"`{target}` draws {drawn} runs, and the test has {runs}"
                help_ = f"set `runs: {drawn}` or more, or draw at most {runs}"
                yield document.source.make_diagnostic("TG226", span, message, help=help_)


def check_expected_failure(
    document: Document, path: Path, entry: dict[str, Any], models: list[str]
) -> Iterator[Diagnostic]:
    """Yield an error for each model of `xfail` that the test is not run with."""
    xfail = entry.get("xfail")
    named = cast(dict[str, Any], xfail).get("models") if isinstance(xfail, dict) else None
    for index, name in iterate_texts(named):
        if name not in models:
            span = document.find_value_span((*path, "xfail", "models", index))
            label = f"expected one of {', '.join(models)}" if models else None
            message = f"this test is not run with the model `{name}`"
            help_ = format_suggestion(name, models)
            yield document.source.make_diagnostic("TG204", span, message, help=help_, label=label)


def check_gate_models(
    document: Document, path: Path, test: dict[str, Any], models: list[str], inherited: dict[str, Any]
) -> Iterator[Diagnostic]:
    """Yield an error for each model that a gate names and the test lacks, or that gets one gate twice, or none."""
    blocks = [
        (gate.name, place, _list_gate_models(block))
        for gate in list_gates()
        for place, block in iterate_gate_blocks(path, gate.name, test)
    ]
    for _, place, named in blocks:
        for index, name in enumerate(named):
            if name not in models:
                span = document.find_value_span((*place, "models", index))
                label = f"expected one of {', '.join(models)}"
                message, help_ = f"this test is not run with the model `{name}`", format_suggestion(name, models)
                yield document.source.make_diagnostic("TG204", span, message, help=help_, label=label)
    yield from _find_double_gates(document, blocks, models)
    # A test without any gate is TG202, and a gate of its agent may check the other models.
    if not blocks or inherited:
        return
    for model in models:
        if not any(not named or model in named for _, _, named in blocks):
            span = document.find_value_span((*path, "name"))
            message = f"nothing is checked of the model `{model}`"
            yield document.source.make_diagnostic(
                "TG206", span, message, help="add a gate without `models:`, or one for it"
            )


def _find_double_gates(
    document: Document, blocks: list[tuple[str, Path, list[str]]], models: list[str]
) -> Iterator[Diagnostic]:
    owners: dict[tuple[str, str], Path] = {}
    for gate, place, named in blocks:
        for model in [model for model in models if not named or model in named]:
            first = owners.setdefault((gate, model), place)
            if first != place:
                yield document.source.make_diagnostic(
                    "TG206",
                    document.find_value_span(place),
                    f"the model `{model}` gets `{gate}` twice",
                    help="name different models in each: `models: [a, b]`",
                    related=((document.find_value_span(first), "here for the first time"),),
                )
                break


def _list_gate_models(block: object) -> list[str]:
    return list_texts(cast(dict[str, Any], block).get("models")) if isinstance(block, dict) else []


def check_definition(document: Document, path: Path, agent: dict[str, Any]) -> Iterator[Diagnostic]:
    """Yield a warning if an agent that is no test is expected to fail."""
    if "xfail" in agent:
        message = "`xfail` has no effect here: tests do not inherit it"
        help_ = "move it to the tests of this agent"
        span = document.find_key_span((*path, "xfail"))
        yield document.source.make_diagnostic("TG227", span, message, help=help_)


def _get_drawn_runs_of(gate: GateDescription, target: str) -> int | None:
    return get_drawn_runs(target.partition(".")[2]) if gate.find_target(target) else None


def _iterate_targets(path: Path, block: object) -> Iterator[tuple[Path, str, bool]]:
    """Yield every target of a gate's `expect`, its place, and whether it is a key there."""
    body = cast(dict[str, Any], block) if isinstance(block, dict) else {}
    for index, item in enumerate(
        cast(list[object], body.get("expect")) if isinstance(body.get("expect"), list) else []
    ):
        entry = cast(dict[str, Any], item) if isinstance(item, dict) else {}
        target = entry.get("target")
        if isinstance(target, str):
            yield (*path, "expect", index, "target"), target, False
        # The short form: the target is the only key.
        elif len(entry) == 1:
            yield (*path, "expect", index, next(iter(entry))), next(iter(entry)), True
