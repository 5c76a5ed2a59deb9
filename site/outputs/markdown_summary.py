"""A report as Markdown for a job's page or a pull request: the verdict, the changes and the failures."""

from collections.abc import Iterable, Iterator, Sequence

from ...foundations.untrusted_text import format_inline_code
from ..report.comparison_model import Diff
from ..report.report_model import Report, SelectionCounts, SuiteReport, TestReport, find_graded_counts
from ..report.status_reasons import list_status_reasons
from .comparison_text import MARKDOWN_HEAD, format_markdown_headline, format_markdown_row

# Below GitHub's limit by enough for the lines around the tables.
MAX_CHARACTERS = 50_000
"""GitHub refuses a comment of more than 65,536."""
_NAMED = 5
_HEAD = ("| test | status | F1 | why |", "|---|---|---|---|")


def render_markdown_summary(report: Report, diff: Diff | None = None, base: str = "") -> str:
    """Return the summary; three lines if nothing changed since the base report. Names cannot act as Markdown."""
    failures = [(suite, test) for suite in report.suites for test in suite.tests if test.is_broken]
    head = [f"### toolgrade: {'failed' if failures else 'passed'}", ""]
    if diff is not None and not diff.changes:
        still = (
            f"; not passed, as before: {', '.join(_limit_lines([_format_test_name(*pair) for pair in failures]))}"
            if failures
            else ""
        )
        return "\n".join(
            [*head, f"{_format_totals(report)}; nothing changed against {format_inline_code(base)}{still}", ""]
        )
    parts = [*head, _format_totals(report)]
    if diff is not None:
        parts += ["", f"**Against {format_inline_code(base)}:** {format_markdown_headline(diff)}"]
        parts += _render_table(
            MARKDOWN_HEAD, (format_markdown_row(change) for change in diff.changes), len(diff.changes)
        )
    elif base:
        parts += ["", f"No report is committed at {format_inline_code(base)}: there is nothing to compare with yet."]
    if failures:
        parts += ["", "**Not passed**"]
        parts += _render_table(_HEAD, (_format_row(suite, test) for suite, test in failures), len(failures))
    return "\n".join([*parts, ""])


def _format_totals(report: Report) -> str:
    found = report.summary
    grade = (
        f"grade {format_inline_code(str(found.grade))}, F1 {found.selection.f1}; "
        if isinstance(found.selection, SelectionCounts)
        else ""
    )
    written = ", ".join(f"{number:,} {word}" for number, word in found.list_counts() if number)
    return f"{grade}{found.tests:,} test{'' if found.tests == 1 else 's'}: {written or 'none'}"


def _render_table(head: Sequence[str], rows: Iterable[str], total: int) -> Iterator[str]:
    """Yield as many rows as fit, and below them the number of rows that do not."""
    yield from ("", *head)
    # The page has at most two tables, so each may fill half of it.
    room, count = MAX_CHARACTERS // 2, 0
    for row in rows:
        room -= len(row) + 1
        if room < 0:
            break
        count += 1
        yield row
    if count < total:
        yield from ("", f"and {total - count:,} more")


def _format_row(suite: SuiteReport, test: TestReport) -> str:
    counts = find_graded_counts(test.gates)
    why = "<br>".join(_limit_lines(list(list_status_reasons(test, format_inline_code))))
    return f"| {_format_test_name(suite, test)} | {test.status} | {counts.f1 if counts else ''} | {why} |"


def _format_test_name(suite: SuiteReport, test: TestReport) -> str:
    return " · ".join(format_inline_code(part) for part in (suite.name, test.name, test.model) if isinstance(part, str))


def _limit_lines(lines: Sequence[str]) -> list[str]:
    return [*lines[:_NAMED], *([f"and {len(lines) - _NAMED:,} more"] if len(lines) > _NAMED else [])]
