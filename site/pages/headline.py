"""The sentence that says what moved: which class is missed, in how many tests, and what was called instead."""

from collections import Counter

from markupsafe import Markup

from ..report.change_causes import Frequency
from ..report.comparison_model import ChangedTest
from ..report.test_runs import count_calls_when_missed
from .commit_view import CommitView


def describe_score_change(view: CommitView) -> Markup:
    """Return one or two sentences that compare this commit with the one before."""
    score, before = view.summary.score, view.before
    if not score:
        return Markup("No test of this commit asks for classes of tools, so there is no grade.")
    if before is None or not before.score:
        return Markup("The first commit with a grade: there is nothing to compare it with yet.")
    delta = score.f1 - before.score.f1
    cause = _explain_delta(view, "regressed" if delta < 0 else "improved") if delta else None
    told = _describe_delta(delta)
    if cause is None:
        return told + (_describe_level_score(view) if not delta else Markup("."))
    return Markup("{}: {}.").format(told, cause)


def _describe_delta(delta: int) -> Markup:
    if not delta:
        return Markup("Level with the commit before")
    points = f"{abs(delta)} point{'' if abs(delta) == 1 else 's'}"
    return Markup("{} {} since the commit before").format("Up" if delta > 0 else "Down", points)


def _describe_level_score(view: CommitView) -> Markup:
    tally = view.changes.tally if view.changes else None
    if tally is None or not (tally.regressed or tally.improved):
        return Markup(": no test got better or worse.")
    return Markup(": {} got worse, {} better.").format(tally.regressed, tally.improved)


def _explain_delta(view: CommitView, verdict: str) -> Markup | None:
    found = [change for change in view.changes.changes if change.verdict == verdict] if view.changes else []
    if not found:
        return _describe_added_and_removed(view)
    kinds = ("class_missed", "unexpected_more") if verdict == "regressed" else ("class_reached", "unexpected_fewer")
    # A missed class says more than an unexpected call, so it is tried first.
    return _explain_by_class(view, found, kinds[0]) or _explain_by_tool(found, kinds[1])


def _describe_added_and_removed(view: CommitView) -> Markup | None:
    tally = view.changes.tally if view.changes else None
    if tally is None or not (tally.added or tally.removed):
        return None
    counts = ((tally.added, "added"), (tally.removed, "removed"))
    return Markup("{}").format(
        " and ".join(f"{_format_test_count(number)} {word}" for number, word in counts if number)
    )


def _explain_by_class(view: CommitView, changes: list[ChangedTest], kind: str) -> Markup | None:
    """Return the class that most tests now miss, or no longer miss."""
    tests: dict[tuple[str, str], list[ChangedTest]] = {}
    for change in changes:
        for name in dict.fromkeys(cause.name for cause in change.causes if cause.kind == kind):
            tests.setdefault((change.suite, name), []).append(change)
    if not tests:
        return None
    # The most tests; with equal numbers, the most runs. `max` keeps the first, so the order is stable.
    (suite, name), found = max(tests.items(), key=lambda row: (len(row[1]), _count_runs(row[1], row[0][1])))
    where = Markup("{} of {}").format(_format_test_count(len(found)), suite)
    if kind == "class_reached":
        return Markup("<code>{}</code> is reached again in {}").format(name, where)
    called = _find_tool_called_instead(view, found, name)
    told = Markup("<code>{}</code> is now missed in {}").format(name, where)
    return told + (Markup(", with <code>{}</code> called in the same runs").format(called) if called else Markup(""))


def _count_runs(changes: list[ChangedTest], name: str) -> int:
    shares = [cause.new for change in changes for cause in change.causes if cause.name == name]
    return sum(share.count for share in shares if isinstance(share, Frequency))


def _find_tool_called_instead(view: CommitView, changes: list[ChangedTest], name: str) -> str | None:
    calls: Counter[str] = Counter()
    for change in changes:
        test = view.tests.get((change.suite, change.test, change.model or ""))
        calls.update(count_calls_when_missed(test).get(name, {}) if test else {})
    # The most calls; with equal numbers, the first by name.
    return min(calls, key=lambda tool: (-calls[tool], tool)) if calls else None


def _explain_by_tool(changes: list[ChangedTest], kind: str) -> Markup | None:
    tools = Counter(cause.name for change in changes for cause in change.causes if cause.kind == kind)
    if not tools:
        return None
    tool = min(tools, key=lambda name: (-tools[name], name))
    verb = "called outside every class" if kind == "unexpected_more" else "no longer called outside every class"
    return Markup("<code>{}</code> is {} in {}").format(tool, verb, _format_test_count(tools[tool]))


def _format_test_count(number: int) -> str:
    return f"{number:,} test{'' if number == 1 else 's'}"
