"""A comparison of two reports, as text for a terminal and as Markdown for a pull request."""

from collections.abc import Callable, Iterator

from ...compiler.diagnostic_output import Paint, apply_no_style
from ...foundations.untrusted_text import Quote, escape_untrusted_text, format_inline_code
from ..report.comparison import ChangeCause, ChangedTest, Diff, Frequency, ReportedOutcome

MARKDOWN_HEAD = ("| | test | status | F1 | why |", "|---|---|---|---|---|")
_SHOWN = 6
_STYLES = {"regressed": "error", "improved": "good"}


def render_comparison_text(diff: Diff, paint: Paint = apply_no_style) -> str:
    """Return a block for each test that changed, then the totals; three lines if no test changed."""
    if not diff.changes:
        return f"nothing changed\n{_format_grades(diff, escape_untrusted_text)}\n{_format_counts(diff)}\n"
    has_many = len({change.suite for change in diff.changes}) > 1
    lines: list[str] = []
    for change in diff.changes:
        name = " · ".join(escape_untrusted_text(part) for part in _list_name_parts(change, has_many))
        word = paint(
            f"{_get_verdict_word(change):<9}",
            "warning" if change.is_allowed else _STYLES.get(change.verdict, "warning"),
        )
        lines.append(f"{word}  {name}")
        lines += [
            f"{'':11}{detail}" for detail in (_format_outcomes(change), *format_causes(change, escape_untrusted_text))
        ]
    return "\n".join([*lines, "", _format_grades(diff, escape_untrusted_text), _format_counts(diff), ""])


def render_comparison_markdown(diff: Diff) -> str:
    """Return a table of the tests that changed; three lines if no test changed."""
    if not diff.changes:
        return f"**toolgrade: nothing changed**\n\n{format_markdown_headline(diff)}\n"
    verdict = "regressed" if diff.tally.regressed else "no regression"
    rows = [format_markdown_row(change) for change in diff.changes]
    return "\n".join([f"**toolgrade: {verdict}**", "", format_markdown_headline(diff), "", *MARKDOWN_HEAD, *rows, ""])


def format_markdown_headline(diff: Diff) -> str:
    """Return the grades and the number of tests by verdict, in one line."""
    return f"{_format_grades(diff, format_inline_code)}; {_format_counts(diff)}"


def format_markdown_row(change: ChangedTest) -> str:
    """Return the row of a test for the table below `MARKDOWN_HEAD`."""
    name = " · ".join(format_inline_code(part) for part in _list_name_parts(change, with_suite=True))
    why = "<br>".join(format_causes(change, format_inline_code))
    return f"| {_get_verdict_word(change)} | {name} | {_format_statuses(change)} | {_format_f1s(change)} | {why} |"


def _list_name_parts(change: ChangedTest, with_suite: bool) -> Iterator[str]:
    if with_suite:
        yield change.suite
    yield change.test
    if isinstance(change.model, str):
        yield change.model


def _get_verdict_word(change: ChangedTest) -> str:
    return "allowed" if change.is_allowed else change.verdict


def _format_outcomes(change: ChangedTest) -> str:
    f1 = _format_f1s(change)
    return f"{_format_statuses(change)}{f', F1 {f1}' if f1 else ''}"


def _format_statuses(change: ChangedTest) -> str:
    return _format_transition(
        *(side.status if isinstance(side, ReportedOutcome) else None for side in (change.old, change.new))
    )


def _format_f1s(change: ChangedTest) -> str:
    """Return both F1 values, with `none` for a side without one; empty if neither side has one."""
    f1s = [side.f1 for side in (change.old, change.new) if isinstance(side, ReportedOutcome)]
    if not any(isinstance(f1, int) for f1 in f1s):
        return ""
    return " → ".join(dict.fromkeys(str(f1) if isinstance(f1, int) else "none" for f1 in f1s))


def _format_transition(old: str | None, new: str | None) -> str:
    """Return `passed → failed`, or the value once if it did not change or only one side has it."""
    found = [text for text in (old, new) if text is not None]
    return " → ".join(dict.fromkeys(found))


def _format_grades(diff: Diff, quote: Quote) -> str:
    sides = (diff.old, diff.new)
    grades = [quote(side.grade) if isinstance(side.grade, str) else "none" for side in sides]
    numbers = [str(side.f1) if isinstance(side.f1, int) else "none" for side in sides]
    remarks = ["the suites differ"] if diff.old.plan != diff.new.plan else []
    if diff.old.mode != diff.new.mode:
        remarks.append(f"{diff.old.mode} against {diff.new.mode}")
    remark = f" ({', '.join(remarks)})" if remarks else ""
    return f"grade {_format_transition(*grades)}, F1 {_format_transition(*numbers)}{remark}"


def _format_counts(diff: Diff) -> str:
    tally = diff.tally
    words = ("regressed", "allowed", "improved", "added", "removed", "unchanged")
    numbers = (tally.regressed, tally.allowed, tally.improved, tally.added, tally.removed, tally.unchanged)
    total = sum(numbers)
    counts = [f"{number:,} {word}" for number, word in zip(numbers, words, strict=True) if number]
    return f"{total:,} test{'' if total == 1 else 's'}: {', '.join(counts) or 'none'}"


def format_causes(change: ChangedTest, quote: Quote) -> Iterator[str]:
    """Yield the first few reasons why a test changed, a line each."""
    for cause in change.causes[:_SHOWN]:
        yield _SENTENCES[cause.kind](cause, quote(cause.name)) + _format_reason(cause, quote)
    if len(change.causes) > _SHOWN:
        yield f"and {len(change.causes) - _SHOWN:,} more"


def _format_reason(cause: ChangeCause, quote: Quote) -> str:
    return f": {quote(cause.reason)}" if isinstance(cause.reason, str) and cause.kind != "assertion_held" else ""


def _format_frequency(cause: ChangeCause) -> str:
    """Return in how many runs it happens now and did before; empty if there is one run."""
    new, old = cause.new, cause.old
    if not isinstance(new, Frequency) or new.runs == 1:
        return ""
    was = f" (was {old.count:,} of {old.runs:,})" if isinstance(old, Frequency) and old.count else ""
    return f" in {new.count:,} of {new.runs:,} runs{was}"


def _format_call_counts(cause: ChangeCause) -> str:
    counts = [share.count if isinstance(share, Frequency) else 0 for share in (cause.old, cause.new)]
    return f"{counts[1]:,} time{'' if counts[1] == 1 else 's'}{f' (was {counts[0]:,})' if counts[0] else ''}"


def _is_none_left(cause: ChangeCause) -> bool:
    return not (isinstance(cause.new, Frequency) and cause.new.count)


_SENTENCES: dict[str, Callable[[ChangeCause, str], str]] = {
    "class_missed": lambda cause, name: f"misses {name}{_format_frequency(cause)}",
    "class_reached": lambda cause, name: (
        f"reaches {name} again" if _is_none_left(cause) else f"misses {name} less: {_format_frequency(cause).lstrip()}"
    ),
    "class_added": lambda cause, name: (
        f"asks for {name} now, and "
        + ("reaches it" if _is_none_left(cause) else f"misses it{_format_frequency(cause)}")
    ),
    "class_removed": lambda _, name: f"no longer asks for {name}",
    "tool_uncalled": lambda cause, name: f"does not call {name}{_format_frequency(cause)}",
    "tool_called": lambda cause, name: (
        f"calls {name} again" if _is_none_left(cause) else f"does not call {name}{_format_frequency(cause)}"
    ),
    "tool_added": lambda _, name: f"expects {name} now",
    "tool_removed": lambda _, name: f"no longer expects {name}",
    "unexpected_more": lambda cause, name: f"calls {name}, unexpected, {_format_call_counts(cause)}",
    "unexpected_fewer": lambda cause, name: (
        f"no longer calls {name}, unexpected"
        if _is_none_left(cause)
        else f"calls {name}, unexpected, {_format_call_counts(cause)}"
    ),
    "assertion_failed": lambda _, name: f"{name} fails",
    "assertion_held": lambda _, name: f"{name} holds again",
    "assertion_added": lambda _, name: f"{name} is newly asserted and fails",
    "assertion_removed": lambda _, name: f"{name} is no longer asserted as it was; it failed",
    "gate_skipped": lambda _, name: f"{name} is skipped",
    "gate_ran": lambda _, name: f"{name} is no longer skipped",
    "gate_added": lambda _, name: f"{name} is a new gate",
    "gate_removed": lambda _, name: f"{name} is no longer a gate",
    "test_stopped": lambda _, __: "stopped by an error",
    "test_ran": lambda _, __: "no longer stopped by an error",
}
