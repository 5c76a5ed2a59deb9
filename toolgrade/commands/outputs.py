"""What a finished run is written as: the options for it, and the renderers behind them."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..compiler.compile import Compilation
    from ..site.diff import Diff
    from ..site.report import Report, SuiteReport, TestReport

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
class Outputs:
    """What was asked for."""

    style: str
    junit: Path | None
    markdown: Path | None
    base: str | None
    is_quiet: bool

    def note(self, text: str) -> None:
        """A remark on stderr, for those who want to hear it."""
        if not self.is_quiet:
            click.echo(text, err=True)

    def read_base(self, mode: str) -> "Report | None":
        """The report to compare with. It is read before a run begins: a wrong name costs nothing then."""
        from ..site.read_report import NotCommitted, load_report

        if self.base is None:
            return None
        try:
            return load_report(self.base, f"reports/{mode}/report.json")
        except NotCommitted as missing:
            self.note(f"nothing to compare with: {missing}")
            return None

    def write(
        self,
        report: "Report",
        compilation: "Compilation",
        base: "Report | None",
        is_compared: "IsCompared",
        options: Sequence[str],
    ) -> None:
        """Everything that was asked for; `options` are those that the command of one test needs."""
        from ..compiler.places import Places
        from ..site.diff import diff
        from ..site.report import narrowed
        from ..site.reproduce import Reproducer

        found = diff(narrowed(base, is_compared), report) if base else None
        reproducer = Reproducer(Places(compilation), report, options)
        self._write_files(report, found, reproducer)
        click.echo(self._shown(report, compilation, found, reproducer), nl=False)

    def _write_files(self, report: "Report", found: "Diff | None", reproducer: Any) -> None:
        from ..runners.durable import write_durably
        from ..site.junit import render_junit
        from ..site.markdown_summary import render_summary

        if self.junit:
            write_durably(self.junit, render_junit(report, reproducer))
        if self.markdown:
            write_durably(self.markdown, render_summary(report, found, self.base or "").encode())

    def _shown(
        self, report: "Report", compilation: "Compilation", found: "Diff | None", reproducer: Any
    ) -> str | bytes:
        from ..compiler.canonical import to_json
        from ..compiler.places import Places
        from ..console import painter
        from ..scorecard import scorecard
        from ..site.agent_line import render_agent_line
        from ..site.annotations import render_annotations
        from ..site.diff_text import render_text

        if self.style == "json":
            return to_json(report)
        if self.style == "agent":
            return render_agent_line(report, reproducer)
        has_failures = bool(report.summary.failed or report.summary.errors)
        if self.is_quiet:
            table = scorecard(report, painter(), ("failed", "error")) if has_failures else ""
        else:
            table = scorecard(report, painter()) + (f"\n{render_text(found, painter())}" if found else "")
        annotations = render_annotations(report, Places(compilation), _from_root) if self.style == "github" else ""
        return annotations + table


IsCompared = Callable[["SuiteReport", "TestReport"], bool]


def output_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `Outputs` to a command; they reach it together, as `outputs`."""

    @wraps(command)
    def with_outputs(
        style: str, junit: Path | None, markdown: Path | None, base: str | None, quiet: bool, **rest: Any
    ) -> None:
        command(outputs=Outputs(style, junit, markdown, base, quiet), **rest)

    decorated: Callable[..., None] = with_outputs
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _from_root(file: str) -> str:
    """A file as GitHub names it: from the root of the checkout, wherever in it the command runs."""
    root = os.environ.get("GITHUB_WORKSPACE")
    path = Path.cwd() / file
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else file
