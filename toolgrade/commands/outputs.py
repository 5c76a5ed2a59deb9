"""What a finished run is written as: the options for it, and the renderers behind them."""

import os
from collections.abc import Callable, Mapping
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
_OPTIONS = (
    click.option(
        "--format", "style", type=click.Choice(["text", "json", "github", "agent"]), default="text", show_default=True,
        help="On stdout: a table, the report, GitHub annotations at the suite's lines, or one line with the commands "
        "that reproduce what failed.",
    ),
    click.option("--junit", type=_FILE, metavar="FILE", help="Write JUnit XML too."),
    click.option("--markdown", type=_FILE, metavar="FILE", help="Write a summary for a job's page or a pull request."),
    click.option(
        "--base", metavar="REV|FILE",
        help="Compare with this report: a file, a folder or a git revision. It does not change the exit code.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Print only what did not pass."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What was asked for."""

    style: str
    junit: Path | None
    markdown: Path | None
    base: str | None
    is_quiet: bool

    def print_note(self, text: str) -> None:
        """A remark on stderr, for those who want to hear it."""
        if not self.is_quiet:
            click.echo(text, err=True)

    def print_next_step(self, text: str, is_needed: bool) -> None:
        """The last line on stderr; those who want quiet hear it only where they have to act."""
        if is_needed or not self.is_quiet:
            click.echo(f"next: {text}", err=True)

    def read_base(self, mode: str) -> "Report | None":
        """The report to compare with. It is read before a run begins: a wrong name costs nothing then."""
        from ..site.report.report_file import ReportNotCommitted, load_report

        if self.base is None:
            return None
        try:
            return load_report(self.base, f"reports/{mode}/report.json")
        except ReportNotCommitted as missing:
            self.print_note(f"nothing to compare with: {missing}")
            return None

    def write_all(self, run: "ReportContext") -> None:
        """Everything that was asked for."""
        from ..runners.atomic_file import write_durably
        from ..site.outputs.junit import render_junit
        from ..site.outputs.markdown_summary import render_markdown_summary

        if self.junit:
            write_durably(self.junit, render_junit(run.report, run.reproducer))
        if self.markdown:
            write_durably(self.markdown, render_markdown_summary(run.report, run.diff, self.base or "").encode())
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

    @property
    def reproducer(self) -> "Reproducer":
        from ..site.report.reproduce_command import Reproducer

        return Reproducer(self.places, self.report, self.options)


def add_output_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `Outputs` to a command; they reach it together, as `outputs`."""

    @wraps(command)
    def run_with_outputs(
        style: str, junit: Path | None, markdown: Path | None, base: str | None, quiet: bool, **rest: Any
    ) -> None:
        command(outputs=OutputOptions(style, junit, markdown, base, quiet), **rest)

    decorated: Callable[..., None] = run_with_outputs
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _to_checkout_path(file: str) -> str:
    """A file as GitHub names it: from the root of the checkout, wherever in it the command runs."""
    root = os.environ.get("GITHUB_WORKSPACE")
    path = Path.cwd() / file
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else file
