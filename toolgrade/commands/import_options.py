"""The options of commands that take traces of other programs, and the lines that say what was read."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .completion_candidates import complete_tests

if TYPE_CHECKING:
    from ..runners.cell_result import CellResult
    from ..runners.trace_import import FormatCount, ImportOptions, ImportSummary

_SHOWN = 4


def _parse_server_of(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for value in values:
        name, equals, server = value.partition("=")
        if not (name and equals and server):
            raise click.BadParameter("write NAME=SERVER, such as search=docs")
        chosen[name] = server
    return chosen


_OPTIONS = (
    click.option(
        "--from", "source", metavar="FORMAT", default="auto", show_default=True,
        help="The format of the traces; `auto` tells it by their shape.",
    ),
    click.option("--test", metavar="NAME", shell_complete=complete_tests, help="The test that the traces belong to."),
    click.option("--model", metavar="NAME", help="The model that the traces are of, if the test has several."),
    click.option(
        "--server-of", metavar="NAME=SERVER", multiple=True, callback=_parse_server_of,
        help="The server of a name that several may have; may be repeated.",
    ),
    click.option("--resolve-names", is_flag=True, help="Resolve names in toolgrade's own format, too."),
    click.option(
        "--cassettes", type=click.Path(path_type=Path), default=Path("cassettes"), show_default=True,
        help="Where recordings are: their lock files say what servers list.",
    ),
)  # fmt: skip


def add_import_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of trace imports to a command; they reach it together, as `imports`."""

    @wraps(command)
    def run_with_imports(
        source: str,
        test: str | None,
        model: str | None,
        server_of: Mapping[str, str],
        resolve_names: bool,
        cassettes: Path,
        **rest: Any,
    ) -> None:
        from ..runners.trace_import import ImportOptions

        command(imports=ImportOptions(source, test, model, server_of, resolve_names, cassettes), **rest)

    decorated: Callable[..., None] = run_with_imports
    # The decorator applied last comes first in --help.
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def collect_reproduce_options(imports: "ImportOptions") -> dict[str, str]:
    """Return the options without which traces are read in another way."""
    options = {} if imports.format == "auto" else {"--from": imports.format}
    if imports.cassettes != Path("cassettes"):
        options["--cassettes"] = imports.cassettes.as_posix()
    return options


def describe_import(summary: "ImportSummary") -> list[str]:
    """Return what is said once of traces of other programs: the format taken, what was read, what was left out."""
    lines = [_describe_format(count) for count in summary.formats.values()]
    changed = {name: tool for name, tool in summary.renamed.items() if name != tool}
    if changed:
        shown = [f"`{name}` is `{tool}`" for name, tool in list(changed.items())[:_SHOWN]]
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        lines.append(f"names: {', '.join(shown)}{more}")
    return lines


def describe_offers(results: "Iterable[CellResult]") -> list[str]:
    """Return what traces say of the tools that the model was offered."""
    from ..console import format_counted_noun

    lines: dict[str, None] = {}
    for result in results:
        if result.tools is not None and result.tools.source == "trace":
            tokens = f", {result.surface.tokens:,} tokens" if result.surface else ""
            shown = f"{format_counted_noun(result.tools.tools, 'tool')} of {', '.join(result.tools.servers)}{tokens}"
            lines[f"offered to the model, as the trace says: {shown}; {result.tools.fingerprint}"] = None
    return list(lines)


def _describe_format(count: "FormatCount") -> str:
    from ..console import format_counted_noun

    left_out = [
        _describe_named(count.left_out, "call", "of the program's own tools"),
        f"{format_counted_noun(count.sub_agent_calls, 'call')} of sub-agents" if count.sub_agent_calls else "",
        _describe_named(count.skipped, "event", "that this version does not know"),
    ]
    said = "; ".join(filter(None, left_out))
    read = ", ".join(
        format_counted_noun(number, noun)
        for number, noun in ((count.files, "file"), (count.runs, "run"), (count.calls, "call"))
    )
    return f"{count.label}: {read}{f'; left out: {said}' if said else ''}"


def _describe_named(named: Mapping[str, int], noun: str, what: str) -> str:
    """Return how many there are, with the most frequent names."""
    from ..console import format_counted_noun

    if not named:
        return ""
    names = [name for name, _ in sorted(named.items(), key=lambda item: (-item[1], item[0]))]
    more = ", …" if len(names) > _SHOWN else ""
    return f"{format_counted_noun(sum(named.values()), noun)} {what} ({', '.join(names[:_SHOWN])}{more})"
