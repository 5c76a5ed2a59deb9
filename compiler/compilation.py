"""Compiles suite files into one plan, or into every diagnostic about them."""

import gc
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ..gates.registry import list_gates
from .catalogs import ToolsOf, read_catalogs, skip_catalog
from .diagnostic import Diagnostic, SourceText, Span, limit_errors
from .document import Document
from .plan import Plan, SuitePlan
from .plan_resolution import resolve_suite
from .schema import build_suite_model
from .suite_checks import check_document
from .validation_errors import translate_validation_errors
from .yaml_reader import read_document


@dataclass(frozen=True, slots=True)
class SuiteSource:
    """A suite file: its name in messages and in the plan, its bytes, and the catalogs beside it."""

    file: str
    data: bytes
    recorded: str = ""
    tools_of: ToolsOf = skip_catalog


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of compiling: sorted diagnostics, and the plan unless one of them is an error."""

    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]
    texts: dict[str, SourceText]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.is_error)


def compile_sources(sources: Iterable[SuiteSource], loader: Any = None) -> Compilation:
    """Compile suites that are run together into one plan."""
    with _pause_garbage_collector():
        return _compile_sources(sources, loader)


@contextmanager
def _pause_garbage_collector() -> Generator[None]:
    """Pause the garbage collector: compiling makes many small values and no cycles, and scanning them costs time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _compile_sources(sources: Iterable[SuiteSource], loader: Any) -> Compilation:
    plans: list[SuitePlan] = []
    found: list[Diagnostic] = []
    texts: dict[str, SourceText] = {}
    first: dict[str, str] = {}
    for source in sources:
        document, text, diagnostics = read_document(source.file, source.data, loader)
        # Kept also for files without a plan: diagnostics show their lines.
        texts[source.file] = text
        if document is not None:
            plan, more = _compile_document(document, source)
            diagnostics = [*diagnostics, *more]
            if plan is not None:
                plans.append(plan)
                diagnostics += _check_unique_name(document, plan, first)
        found += diagnostics
    # An aliased block is checked at each of its uses and yields the same finding; `dict.fromkeys` keeps one.
    ordered = tuple(sorted(dict.fromkeys(found), key=lambda diagnostic: diagnostic.order))
    has_errors = any(diagnostic.is_error for diagnostic in ordered)
    return Compilation(None if has_errors else Plan(tuple(plans)), ordered, texts)


def compile_text(text: str | bytes, file: str = "suite.yml") -> Compilation:
    """Compile one suite that is not in a file."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return compile_sources([SuiteSource(file, data)])


def _compile_document(document: Document, source: SuiteSource) -> tuple[SuitePlan | None, list[Diagnostic]]:
    catalogs, unreadable = read_catalogs(document, source.tools_of)
    found = [*unreadable, *limit_errors(check_document(document, catalogs))]
    try:
        suite = build_suite_model(list_gates()).model_validate(document.value)
    except ValidationError as error:
        return None, [*found, *limit_errors(translate_validation_errors(document, error.errors(include_url=False)))]
    if any(diagnostic.is_error for diagnostic in found):
        return None, found
    return resolve_suite(suite, source.recorded or source.file), found


def _check_unique_name(document: Document, plan: SuitePlan, first: dict[str, str]) -> list[Diagnostic]:
    """Return a finding if another suite of this run has the same name; upper and lower case count as equal."""
    # Suites share folders of cassettes by their id, and some file systems ignore case.
    key = plan.id.casefold()
    other = first.setdefault(key, document.source.file)
    if other == document.source.file:
        return []
    span = document.find_spans(("suite",))[1] if "suite" in document.value else Span(0, 0)
    message = f"the name `{plan.name}` is that of the suite in {other}"
    return [document.source.make_diagnostic("TG203", span, message, help="give one of them another `suite:`")]
