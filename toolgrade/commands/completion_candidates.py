"""Candidates for shell completion: suites on disk, and the tests, tags and models that they hold."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..compiler.plan import Plan

MAX_OFFERED = 200
Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def complete_suites(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Suite files and their folders below what was typed so far; without anything typed, those in `suites/`."""
    from ..runners.suite_files import DEFAULT_FOLDER

    start = Path(DEFAULT_FOLDER) if not incomplete and Path(DEFAULT_FOLDER).is_dir() else Path(incomplete).parent
    if incomplete.endswith("/"):
        start = Path(incomplete)
    # A name with a newline would be two candidates, and escape codes would reach the terminal.
    return [path for path in islice(_find_suite_paths(start, incomplete), MAX_OFFERED) if path.isprintable()]


def _find_suite_paths(folder: Path, incomplete: str) -> Iterator[str]:
    from ..runners.suite_files import SUFFIXES

    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir()):
        path = entry.as_posix()
        if entry.name.startswith(".") or not (path.startswith(incomplete) or incomplete.startswith(f"{path}/")):
            continue
        if entry.is_dir():
            below = list(islice(_find_suite_paths(entry, incomplete), MAX_OFFERED))
            yield from [path, *below] if below else []
        elif path.endswith(SUFFIXES):
            yield path


def make_plan_completer(names: "Callable[[Plan], Iterable[str]]") -> Completer:
    """Return a completer that offers names of the suites on the command line, or none if those do not compile."""

    def complete_name(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        from ..foundations.fault import Fault
        from ..runners.suite_files import compile_suites

        try:
            plan = compile_suites(_find_named_suites(context)).plan
        except Fault:
            # Anything printed here would land in the line that is being typed.
            return []
        found = dict.fromkeys(names(plan)) if plan else {}
        fitting = (name for name in found if name.isprintable() and name.casefold().startswith(incomplete.casefold()))
        return list(islice(fitting, MAX_OFFERED))

    return complete_name


def _find_named_suites(context: click.Context) -> list[str]:
    """Return the suites on the line so far. While an option lacks its value, click leaves all arguments in `args`."""
    left = [word for word in context.args if not word.startswith("-")]
    if "suite" in context.params:
        return [context.params["suite"]] if context.params["suite"] else left[:1]
    return list(context.params.get("suites") or left)


def _list_test_names(plan: "Plan") -> Iterator[str]:
    return (test.name for suite in plan.suites for test in suite.tests)


def _list_tags(plan: "Plan") -> Iterator[str]:
    return (tag for suite in plan.suites for test in suite.tests for tag in test.tags)


def _list_models(plan: "Plan") -> Iterator[str]:
    from ..runners.cell_selection import escape_model

    return (escape_model(model) for suite in plan.suites for model in suite.models)


complete_tests = make_plan_completer(_list_test_names)
complete_tags = make_plan_completer(_list_tags)
complete_models = make_plan_completer(_list_models)
