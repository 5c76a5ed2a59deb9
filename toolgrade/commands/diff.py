"""`toolgrade diff`: compare two reports and fail on a regression."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fractions import Fraction

    from ..site.report.comparison_model import Diff


def _parse_alpha(_context: click.Context, _option: click.Parameter, value: str) -> "Fraction":
    from fractions import Fraction

    try:
        # Exact, as no float decides a verdict.
        level = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(f"`{value}` is not a number; write 0.05 or 1/20") from None
    if not 0 < level < 1:
        raise click.BadParameter(f"`{value}` is not between 0 and 1")
    return level


@click.command("diff")
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path())
@click.option(
    "--format", "style", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True,
    help="For a terminal, for a pull request, or for programs.",
)  # fmt: skip
@click.option(
    "--allow", metavar="TEST", multiple=True,
    help="A test that may regress: its name, SUITE/TEST or SUITE/TEST@MODEL. May be repeated.",
)  # fmt: skip
@click.option(
    "--alpha", metavar="P", default="0.05", show_default=True, callback=_parse_alpha,
    help="How often an unchanged agent may be called worse: the level of the whole comparison.",
)  # fmt: skip
@click.option(
    "--strict", is_flag=True,
    help="Count every fall, also one that chance explains, and tests that were asked differently and fail now.",
)  # fmt: skip
@click.option(
    "--report", "committed", metavar="PATH", default="reports/replay/report.json", show_default=True,
    help="Where a git revision has its report, from the root of the repository.",
)  # fmt: skip
def diff_command(
    old: str, new: str, style: str, allow: tuple[str, ...], alpha: "Fraction", strict: bool, committed: str
) -> None:
    """Show what changed between two reports, worst first; exit 1 if a test or the whole regressed.

    OLD and NEW are each a report.json, a folder that holds one, or a git revision at which one is committed. What
    exists on disk wins over a revision of the same name.

    A test regressed if its runs got worse by more than chance explains, at one level over the whole comparison; of the
    lexical agent, which has no chance in it, every fall counts. A test whose question changed (prompt, classes,
    expectations) is neither better nor worse. Under each stands why: the class it misses, the unexpected tool, the
    assertion that fails. Removed tests are listed and are no regression.

    \b
    toolgrade diff old.json new.json
    toolgrade diff main reports/replay              this branch against main
    toolgrade diff HEAD~1 HEAD --report reports/live/report.json
    toolgrade diff main HEAD --allow "research/picks search@claude-sonnet-4-5"
    toolgrade diff main HEAD --strict --alpha 0.01
    toolgrade diff main HEAD --format markdown >> "$GITHUB_STEP_SUMMARY"
    """
    from ..site.report.comparison import diff as compare
    from ..site.report.report_file import load_report

    found = compare(load_report(old, committed), load_report(new, committed), allow, alpha=alpha, is_strict=strict)
    click.echo(_render_diff(found, style), nl=False)
    _note_unneeded_allows(found, allow)
    if found.has_regressed:
        raise click.exceptions.Exit(1)


def _render_diff(found: "Diff", style: str) -> str | bytes:
    from ..console import choose_paint
    from ..foundations.canonical_json import to_json
    from ..site.outputs.comparison_text import render_comparison_markdown, render_comparison_text

    if style == "json":
        return to_json(found)
    return render_comparison_markdown(found) if style == "markdown" else render_comparison_text(found, choose_paint())


def _note_unneeded_allows(found: "Diff", allow: tuple[str, ...]) -> None:
    """Name each --allow that nothing needs any more, so that it gets removed."""
    from ..console import format_fault_message
    from ..site.report.comparison import list_test_spellings

    changes = [change for change in found.changes if change.is_allowed]
    needed = {
        name for change in changes for name in list_test_spellings((change.suite, change.test, change.model or ""))
    }
    for name in dict.fromkeys(allow):
        if name not in needed:
            click.echo(format_fault_message(f"--allow `{name}`: it did not regress"), err=True)
