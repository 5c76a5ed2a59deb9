"""Counts how often each class of a suite was missed, and what was called in the same runs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...gates.gate_result import UnexpectedTool
from ...gates.grade import letter_grade
from ..report.report_model import SuiteReport, TestReport
from ..report.test_runs import count_calls_when_missed, find_class_gate, list_test_classes
from .addresses import make_suite_id

_MOST_COLUMNS = 30
_MOST_ROWS = 60


@dataclass(slots=True)
class ClassRow:
    """A class over all tests of a suite that ask for it."""

    name: str
    suite: str
    suite_id: str
    # A dict as a set that keeps its order: the same report gives the same bytes.
    members: dict[str, None] = field(default_factory=dict[str, None])
    runs: int = 0
    hits: int = 0
    matched_by: Counter[str] = field(default_factory=Counter[str])
    called: Counter[str] = field(default_factory=Counter[str])
    is_traced: bool = False

    @property
    def missed(self) -> int:
        """The number of runs that missed it."""
        return self.runs - self.hits

    @property
    def recall(self) -> int:
        """The share of runs that reached it, in whole percent."""
        return 100 * self.hits // self.runs if self.runs else 100

    @property
    def grade(self) -> str:
        """The letter of its recall."""
        return letter_grade(self.recall)

    @property
    def called_most(self) -> list[tuple[str, int]]:
        """The three tools that were called most in runs that missed it."""
        return sorted(self.called.items(), key=lambda row: (-row[1], row[0]))[:3]


@dataclass(frozen=True, slots=True)
class MatrixEntry:
    """A count in the matrix, such as the runs in which a tool reached a class; `heat` is 0 or from 1 to 9."""

    count: int
    heat: int
    is_member: bool


@dataclass(frozen=True, slots=True)
class ClassMatrix:
    """Classes by tools, with a column of misses and a row of calls outside every class."""

    tools: tuple[str, ...]
    rows: tuple[tuple[ClassRow, tuple[MatrixEntry, ...], MatrixEntry], ...]
    unexpected: tuple[MatrixEntry, ...]
    left_out: int


def make_class_rows(suite: SuiteReport) -> list[ClassRow]:
    """Return the classes of a suite, most often missed first."""
    rows: dict[str, ClassRow] = {}
    for test in suite.tests:
        called = count_calls_when_missed(test)
        for found in list_test_classes(test):
            if found.optional:
                continue
            row = rows.setdefault(found.name, ClassRow(found.name, suite.name, make_suite_id(suite.name)))
            row.members.update(dict.fromkeys(found.members))
            row.runs += found.runs
            row.hits += found.hit_runs
            row.matched_by.update(found.matched_by)
            row.called.update(called.get(found.name, {}))
            # Without traces, nothing is known of what was called instead.
            row.is_traced = row.is_traced or bool(test.traces)
    return sorted(rows.values(), key=lambda row: (-row.missed, row.recall, row.name))


def make_class_matrix(suite: SuiteReport, rows: Iterable[ClassRow]) -> ClassMatrix | None:
    """Return which tools reached which class, or None if no class was asked for and no tool called."""
    unexpected = _count_unexpected_calls(suite.tests)
    ordered = sorted(rows, key=lambda row: row.name)[:_MOST_ROWS]
    calls: Counter[str] = Counter()
    for row in ordered:
        calls.update(row.matched_by)
    # Tools that reach a class stand before those that reach none.
    tools = [*sorted(calls), *sorted(set(unexpected) - set(calls))]
    if len(tools) > _MOST_COLUMNS:
        # The columns that are kept stay in their order; only the choice is by calls.
        most = sorted(tools, key=lambda tool: (-(calls[tool] + unexpected[tool]), tool))[:_MOST_COLUMNS]
        tools = [tool for tool in tools if tool in set(most)]
    if not tools and not ordered:
        return None
    top = max([*calls.values(), *unexpected.values(), *(row.missed for row in ordered), 1])
    cells = tuple(
        (
            row,
            tuple(_make_matrix_entry(row.matched_by[tool], top, _is_member(row, tool)) for tool in tools),
            _make_matrix_entry(row.missed, top),
        )
        for row in ordered
    )
    left_out = len(set(calls) | set(unexpected)) - len(tools)
    return ClassMatrix(
        tuple(tools), cells, tuple(_make_matrix_entry(unexpected[tool], top) for tool in tools), left_out
    )


def _make_matrix_entry(count: int, top: int, is_member: bool = False) -> MatrixEntry:
    # A count above 0 has some colour, however small its share.
    return MatrixEntry(count, max(1, 9 * count // top) if count else 0, is_member)


def _is_member(row: ClassRow, tool: str) -> bool:
    """Return whether a tool is a member, by its id or by its bare name."""
    return tool in row.members or tool.rpartition(".")[2] in row.members


def _count_unexpected_calls(tests: Iterable[TestReport]) -> Counter[str]:
    found: Counter[str] = Counter()
    for test in tests:
        gate = find_class_gate(test)
        tools: tuple[UnexpectedTool, ...] = (gate.unexpected_tools or ()) if gate else ()
        found.update({tool.tool: tool.calls for tool in tools})
    return found
