"""The outputs of a finished run: a row for each, the options that are made of the rows, and the table on stdout."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..compiler.suite_locations import SuiteLocations
    from ..site.report.comparison_model import Diff
    from ..site.report.report_model import Report
    from ..site.report.reproduce_command import Reproducer

_FILE = click.Path(dir_okay=False, path_type=Path)
_FORMAT_OPTION = click.option(
    "--format", "style", type=click.Choice(["text", "json", "github", "agent"]), default="text", show_default=True,
    help="On stdout: a table, the report, GitHub annotations at the suite's lines, or one line with the commands "
    "that reproduce what failed.",
)  # fmt: skip
_OTHER_OPTIONS = (
    click.option(
        "--base", metavar="REV|FILE",
        help="Compare with this report: a file, a folder or a git revision. It does not change the exit code.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Print only what did not pass."),
)  # fmt: skip


def compare_with_base(
    base: "Report | None", report: "Report", suites: Sequence[str], is_everything: bool
) -> "Diff | None":
    """Return the comparison with the base report, or None if there is no base; nothing is imported for it then."""
    if base is None:
        return None
    from ..site.report.baseline import select_comparable_tests
    from ..site.report.comparison import diff

    return diff(select_comparable_tests(base, report, suites, is_everything), report)


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What was asked for."""

    style: str
    files: "Mapping[FileOutput, Path]"
    base: str | None
    is_quiet: bool

    def print_note(self, text: str) -> None:
        """Print a remark on stderr, unless --quiet is given."""
        if not self.is_quiet:
            click.echo(text, err=True)

    def print_next_step(self, text: str, is_needed: bool) -> None:
        """Print the last line on stderr; with --quiet only if the user has to act."""
        if is_needed or not self.is_quiet:
            click.echo(f"next: {text}", err=True)

    def read_base(self, mode: str) -> "Report | None":
        """Return the report to compare with, or None. It is read before the run: a wrong name then costs nothing."""
        from ..site.report.report_file import ReportNotCommitted, load_report

        if self.base is None:
            return None
        try:
            return load_report(self.base, f"reports/{mode}/report.json")
        except ReportNotCommitted as missing:
            self.print_note(f"nothing to compare with: {missing}")
            return None

    def write_all(self, run: "ReportContext") -> None:
        """Write the files that were asked for, and print the run in the format that was asked for."""
        from ..runners.atomic_file import write_durably

        for output, path in self.files.items():
            write_durably(path, output.render(run))
        click.echo(self._render_stdout(run), nl=False)

    def _render_stdout(self, run: "ReportContext") -> str | bytes:
        from ..foundations.canonical_json import to_json
        from ..site.outputs.agent_line import render_agent_line
        from ..site.outputs.github_annotations import render_annotations

        if self.style == "json":
            return to_json(run.report)
        if self.style == "agent":
            return render_agent_line(run.report, run.reproducer)
        annotations = render_annotations(run.report, run.places, _to_checkout_path) if self.style == "github" else ""
        return annotations + self._render_table(run)

    def _render_table(self, run: "ReportContext") -> str:
        from ..console import choose_paint
        from ..scorecard import format_scorecard
        from ..site.outputs.comparison_text import render_comparison_text
        from ..site.report.report_model import BROKEN

        if not self.is_quiet:
            compared = f"\n{render_comparison_text(run.diff, choose_paint())}" if run.diff else ""
            return format_scorecard(run.report, choose_paint()) + compared
        has_failures = any(test.is_broken for suite in run.report.suites for test in suite.tests)
        return format_scorecard(run.report, choose_paint(), BROKEN) if has_failures else ""


@dataclass(frozen=True, slots=True)
class ReportContext:
    """A report with what its renderers ask about: what it is compared with, and where its tests stand."""

    report: "Report"
    diff: "Diff | None"
    places: "SuiteLocations"
    options: Mapping[str, str]
    base: str = ""
    traces: tuple[str, ...] = ()

    @property
    def reproducer(self) -> "Reproducer":
        from ..site.report.reproduce_command import Reproducer

        return Reproducer(self.places, self.report, self.options, self.traces)


def _render_junit(run: ReportContext) -> bytes:
    from ..site.outputs.junit import render_junit

    return render_junit(run.report, run.reproducer)


def _render_markdown(run: ReportContext) -> bytes:
    from ..site.outputs.markdown_summary import render_markdown_summary

    return render_markdown_summary(run.report, run.diff, run.base).encode()


@dataclass(frozen=True, slots=True)
class FileOutput:
    """A file that a finished run can be written as; `render` imports its module when it is called."""

    option: str
    help: str
    render: Callable[[ReportContext], bytes]


FILE_OUTPUTS = [
    FileOutput("junit", "Write JUnit XML too.", _render_junit),
    FileOutput("markdown", "Write a summary for a job's page or a pull request.", _render_markdown),
]


def add_output_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for outputs to a command; they reach it together, as `outputs`."""
    rows = tuple(FILE_OUTPUTS)

    @wraps(command)
    def run_with_outputs(style: str, base: str | None, quiet: bool, **rest: Any) -> None:
        paths: list[Path | None] = [rest.pop(row.option) for row in rows]
        files = {row: path for row, path in zip(rows, paths, strict=True) if path is not None}
        command(outputs=OutputOptions(style, files, base, quiet), **rest)

    file_options = [click.option(f"--{row.option}", type=_FILE, metavar="FILE", help=row.help) for row in rows]
    decorated: Callable[..., None] = run_with_outputs
    # The decorator applied last comes first in --help.
    for option in reversed((_FORMAT_OPTION, *file_options, *_OTHER_OPTIONS)):
        decorated = option(decorated)
    return decorated


def _to_checkout_path(file: str) -> str:
    """Return a path as GitHub names it: from the root of the checkout, wherever in it the command runs."""
    root = os.environ.get("GITHUB_WORKSPACE")
    path = Path.cwd() / file
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else file
