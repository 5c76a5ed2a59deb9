"""A comparison of two reports, as text for a terminal and as Markdown for a pull request."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from ...compiler.diagnostic_output import Paint, apply_no_style
from ...foundations.untrusted_text import Quote, escape_untrusted_text, format_inline_code
from ..report.change_causes import ChangeCause, Frequency
from ..report.comparison_model import ChangedTest, Diff, ExactResult, ReportedOutcome

MARKDOWN_HEAD = ("| | test | status | F1 | why |", "|---|---|---|---|---|")
_SHOWN = 6
_STYLES = {"regressed": "error", "improved": "good"}
_WORDS = {"within_noise": "noise", "asked_differently": "asked differently"}
_WIDTH = 17


def render_comparison_text(diff: Diff, paint: Paint = apply_no_style) -> str:
    """Return a block for each test that changed, then the totals; three lines if no test changed."""
    if not diff.changes:
        return "\n".join(["nothing changed", *_format_totals(diff, escape_untrusted_text), ""])
    has_many = len({change.suite for change in diff.changes}) > 1
    lines: list[str] = []
    for change in diff.changes:
        name = " · ".join(escape_untrusted_text(part) for part in _list_name_parts(change, has_many))
        word = paint(
            f"{_get_verdict_word(change):<{_WIDTH}}",
            "warning" if change.is_allowed else _STYLES.get(change.verdict, "warning"),
        )
        lines.append(f"{word}  {name}")
        lines += [
            f"{'':{_WIDTH + 2}}{detail}"
            for detail in (
                _format_outcomes(change),
                *format_exact(change),
                *format_causes(change, escape_untrusted_text),
            )
        ]
    return "\n".join([*lines, "", *_format_totals(diff, escape_untrusted_text), ""])


def render_comparison_markdown(diff: Diff) -> str:
    """Return a table of the tests that changed; three lines if no test changed."""
    if not diff.changes:
        return f"**toolgrade: nothing changed**\n\n{format_markdown_headline(diff)}\n"
    verdict = "regressed" if diff.has_regressed else "no regression"
    rows = [format_markdown_row(change) for change in diff.changes]
    return "\n".join([f"**toolgrade: {verdict}**", "", format_markdown_headline(diff), "", *MARKDOWN_HEAD, *rows, ""])


def format_markdown_headline(diff: Diff) -> str:
    """Return the grades and the number of tests by verdict, in one line."""
    return "; ".join(_format_totals(diff, format_inline_code))


def format_markdown_row(change: ChangedTest) -> str:
    """Return the row of a test for the table below `MARKDOWN_HEAD`."""
    name = " · ".join(format_inline_code(part) for part in _list_name_parts(change, with_suite=True))
    why = "<br>".join(_format_why(change, format_inline_code))
    return f"| {_get_verdict_word(change)} | {name} | {_format_statuses(change)} | {_format_f1s(change)} | {why} |"


def _list_name_parts(change: ChangedTest, with_suite: bool) -> Iterator[str]:
    if with_suite:
        yield change.suite
    yield change.test
    if isinstance(change.model, str):
        yield change.model


def _format_why(change: ChangedTest, quote: Quote) -> Iterator[str]:
    yield from format_exact(change)
    yield from format_causes(change, quote)


def _get_verdict_word(change: ChangedTest) -> str:
    return "allowed" if change.is_allowed else _WORDS.get(change.verdict, change.verdict)


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
    # `dict.fromkeys` keeps the order and joins two equal sides into one.
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


def _format_totals(diff: Diff, quote: Quote) -> Iterator[str]:
    """Yield grades, counts, and what the comparison as a whole says, a line each."""
    yield _format_grades(diff, quote)
    yield _format_counts(diff)
    if diff.overall.verdict != "unchanged":
        yield _format_overall(diff)


def _format_counts(diff: Diff) -> str:
    tally = diff.tally
    asked = "asked differently" + (f" ({diff.newly_failed:,} from passed to failed)" if diff.newly_failed else "")
    counts = (
        (tally.regressed, "regressed"),
        (tally.allowed, "allowed"),
        (tally.improved, "improved"),
        (tally.within_noise, "within noise"),
        (tally.asked_differently, asked),
        (tally.added, "added"),
        (tally.removed, "removed"),
        (tally.unchanged, "unchanged"),
    )
    total = sum(number for number, _ in counts)
    written = ", ".join(f"{number:,} {word}" for number, word in counts if number)
    return f"{total:,} test{'' if total == 1 else 's'}: {written or 'none'}"


def _format_overall(diff: Diff) -> str:
    """Return the verdict on all tests that chance has a part in, and how much would have counted."""
    found = diff.overall
    words = {"regressed": "worse than chance explains", "improved": "better than chance explains"}
    told = words.get(found.verdict, "no more than chance")
    if isinstance(found.smallest, int):
        limit = f"a fall of {found.smallest:,} in all would have counted"
    else:
        limit = "these runs are too few for any fall to count"
    return f"as a whole: {told}, p {format_p_value(found.p)}; {limit}"


def format_exact(change: ChangedTest) -> Iterator[str]:
    """Yield what the exact test says of a test, if it was asked."""
    exact = change.exact
    if not isinstance(exact, ExactResult):
        return
    what = "class hits" if exact.unit == "hits" else "passed runs"
    verb = "would have counted" if change.verdict == "within_noise" else "counts"
    if isinstance(exact.smallest, int):
        limit = f"a {exact.direction} of {exact.smallest:,} {what} {verb}"
    else:
        limit = f"no {exact.direction} counts with so few runs"
    yield f"p {format_p_value(exact.p)}; {limit}"


def format_p_value(text: str) -> str:
    """Return a fraction as decimals, rounded up to two digits that count, as far as five places."""
    value = Fraction(text)
    places = 2
    while places < 5 and value * 10**places < 10:
        places += 1
    # Rounded up, so that a p-value that did not count is never shown as one that did.
    scaled = -(-value.numerator * 10**places // value.denominator)
    return f"{scaled // 10**places}.{scaled % 10**places:0{places}d}"


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


def _format_failing(cause: ChangeCause) -> str:
    return ", which fails" if isinstance(cause.reason, str) else ""


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
    "assertion_added": lambda cause, name: f"asserts {name} now{_format_failing(cause)}",
    "assertion_removed": lambda cause, name: f"no longer asserts {name} as it was{_format_failing(cause)}",
    "gate_skipped": lambda _, name: f"{name} is skipped",
    "gate_ran": lambda _, name: f"{name} is no longer skipped",
    "gate_added": lambda _, name: f"{name} is a new gate",
    "gate_removed": lambda _, name: f"{name} is no longer a gate",
    "class_changed": lambda _, name: f"asks for other tools or conditions in {name}",
    "prompt_changed": lambda _, __: "has another prompt",
    "xfail_added": lambda _, __: "is expected to fail now",
    "xfail_removed": lambda _, __: "is no longer expected to fail",
    "xfail_changed": lambda _, __: "is expected to fail for another reason",
    "tools_changed": lambda _, __: "the agent was offered other tools",
    "test_skipped": lambda _, __: "is skipped now",
    "test_unskipped": lambda _, __: "is no longer skipped",
    "test_stopped": lambda _, __: "stopped by an error",
    "test_ran": lambda _, __: "no longer stopped by an error",
}
