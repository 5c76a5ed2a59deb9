"""The rows of tests that got better or worse."""

from dataclasses import dataclass

from markupsafe import Markup, escape

from ...foundations.untrusted_text import escape_untrusted_text
from ...gates.grade import letter_grade
from ..outputs.comparison_text import format_causes
from ..report.comparison_model import ChangedTest, Identity, ReportedOutcome
from .addresses import make_suite_id
from .commit_view import CommitView


@dataclass(frozen=True, slots=True)
class GradedOutcome:
    """The status of a test and its F1, if it is graded."""

    status: str
    f1: int | None

    @property
    def grade(self) -> str | None:
        """The letter, or None if the test is not graded."""
        return None if self.f1 is None else letter_grade(self.f1)


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A test that changed; `page` is None if its page is not kept."""

    key: Identity
    verdict: str
    model: str | None
    suite_id: str
    page: str | None
    old: GradedOutcome | None
    new: GradedOutcome | None
    causes: tuple[Markup, ...]

    @property
    def name(self) -> str:
        """The name of the test."""
        return self.key[1]

    @property
    def suite(self) -> str:
        """The name of its suite."""
        return self.key[0]

    @property
    def delta(self) -> int | None:
        """The change of F1 in points, or None if a side is not graded."""
        if self.old is None or self.new is None or self.old.f1 is None or self.new.f1 is None:
            return None
        return self.new.f1 - self.old.f1


def make_change_rows(view: CommitView, *verdicts: str) -> tuple[ChangeRow, ...]:
    """Return the changes with these verdicts, the largest loss first; improvements, the largest gain first."""
    found = view.changes.changes if view.changes else ()
    rows = [_make_change_row(view, change) for change in found if change.verdict in verdicts]
    # The comparison has the largest loss first; among gains that is the smallest first, so they are sorted anew.
    return tuple(sorted(rows, key=lambda row: -(row.delta or 0))) if verdicts == ("improved",) else tuple(rows)


def format_code_html(text: str) -> str:
    """Return a text from outside as HTML that cannot act."""
    return f"<code>{escape(escape_untrusted_text(text))}</code>"


def _make_change_row(view: CommitView, change: ChangedTest) -> ChangeRow:
    key = (change.suite, change.test, change.model or "")
    return ChangeRow(
        key=key,
        verdict=change.verdict,
        model=view.label_model(change.model or None),
        suite_id=make_suite_id(change.suite),
        page=view.pages.get(key),
        old=_make_graded_outcome(change.old),
        new=_make_graded_outcome(change.new),
        # `format_causes` quotes every name with `format_code_html` and adds only words of its own.
        causes=tuple(Markup(line) for line in format_causes(change, format_code_html)),  # noqa: S704 - every text in it went through code()
    )


def _make_graded_outcome(standing: object) -> GradedOutcome | None:
    if not isinstance(standing, ReportedOutcome):
        return None
    return GradedOutcome(standing.status, standing.f1 if isinstance(standing.f1, int) else None)
