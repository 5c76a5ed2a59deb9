"""The gate `tool_correctness`: whether the expected tools were called, as a share, exactly, or in order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any, cast

import msgspec
from msgspec import UNSET, UnsetType
from pydantic import Field, PlainValidator, WithJsonSchema, model_validator
from pydantic_core import InitErrorDetails

from ..foundations.exact_number import is_number, to_exact
from ..foundations.json_value import describe_value
from .block import GATE_MODELS, Block, GateModels, Name, make_collecting_validator, make_finding, raise_findings
from .expect_list import make_expect_list
from .expectation import Expectation
from .gate import NamedTool, ScoringConditions, check_values
from .gate_result import ExpectedTool, GateResult, UnexpectedTool
from .run_judge import RunJudge, choose_run_expectations
from .tool_selection import CallKey, rank_unexpected_tools
from .trace import MALFORMED, Trace, format_tool_id

NAME = "tool_correctness"
TARGET = "tool_correctness.score"
DEFAULT_THRESHOLD = 0.5


def _validate_threshold(value: Any) -> float:
    if not is_number(value) or not 0 <= value <= 1:
        is_percent = is_number(value) and 1 < value <= 100
        hint = f"for {describe_value(value)} % write {value / 100:g}" if is_percent else "write a number such as 0.5"
        message = f"`threshold` is a fraction from 0 to 1, not {describe_value(value)}"
        raise_findings(make_finding("range", message, help=hint))
    return value


class ToolCorrectness(msgspec.Struct, frozen=True, tag=NAME, tag_field="gate"):
    """The resolved gate."""

    expected_tools: tuple[str, ...]
    expect: tuple[Expectation, ...]
    exact_match: bool = False
    check_ordering: bool = False
    run_expect: tuple[Expectation, ...] | UnsetType = UNSET
    threshold: float | UnsetType = UNSET
    """The least share, if `expect` cannot say it in whole percents, or asks for run targets alone."""

    @property
    def name(self) -> str:
        return NAME

    def begin(self, conditions: ScoringConditions) -> "ToolCorrectnessTally":  # noqa: ARG002 - scores under any
        return ToolCorrectnessTally(self)

    def list_classes(self) -> None:
        return None

    def list_tool_ids(self) -> Iterable[NamedTool]:
        return (NamedTool("expected_tools", tool) for tool in self.expected_tools)


def _find_contradictions(value: object) -> Iterator[InitErrorDetails]:
    block = cast(dict[str, Any], value) if isinstance(value, dict) else {}
    is_loose = block.get("check_ordering") is True or block.get("exact_match", False) is False
    if block.get("expected_tools") == [] and is_loose:
        message = "an empty `expected_tools` asserts something with `exact_match: true` alone"
        hint = "list the tools, or set `exact_match: true` to assert that no tool is called"
        yield make_finding("empty", message, at=("expected_tools",), help=hint)
    if "threshold" in block and (block.get("run_expect") or _asserts_score(block.get("expect"))):
        message = "`threshold` has no effect beside an assertion on the score"
        yield make_finding("conflict", message, at=("threshold",), on_key=True, help="remove one of them")


def _asserts_score(expect: object) -> bool:
    items = cast(list[object], expect) if isinstance(expect, list) else []
    blocks = [cast(dict[str, object], item) for item in items if isinstance(item, dict)]
    return any(TARGET in block or block.get("target") == TARGET for block in blocks)


class ToolCorrectnessBlock(Block):
    """The share of the expected tools that were called; or the exact set, the order, or the exact list."""

    expected_tools: list[Name] = Field(
        description="Tool ids: `server.tool`, or a bare tool name. One listed twice needs two calls."
    )
    exact_match: bool = Field(default=False, description="Nothing else may be called.")
    check_ordering: bool = Field(default=False, description="Called in this order.")
    threshold: Annotated[
        float, PlainValidator(_validate_threshold), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})
    ] = Field(default=DEFAULT_THRESHOLD, description="The least share that passes, if there is no `expect`.")
    expect: Annotated[tuple[Expectation, ...], make_expect_list(NAME)] = Field(
        default=(), description="By default `score >= 100 * threshold`."
    )
    run_expect: Annotated[tuple[Expectation, ...], make_expect_list(NAME, is_of_runs=True)] = Field(
        default=(), description="What a single run has to meet to pass; by default what `expect` asks of the score."
    )
    models: GateModels = Field(default=cast(Any, None), description=GATE_MODELS)

    @model_validator(mode="wrap")
    @classmethod
    def _reject_contradictions(cls, value: Any, handler: Any) -> Any:
        return make_collecting_validator(_find_contradictions)(value, handler)

    def resolve(self) -> ToolCorrectness:
        default = make_default_expectation(self.threshold)
        # A threshold in whole percents is in `expect` already: the plan says it once.
        is_said = "threshold" not in self.model_fields_set if self.expect else _is_whole_percent(self.threshold)
        return ToolCorrectness(
            expected_tools=tuple(self.expected_tools),
            expect=self.expect or (default,),
            exact_match=self.exact_match,
            check_ordering=self.check_ordering,
            run_expect=self.run_expect or UNSET,
            threshold=UNSET if is_said else self.threshold,
        )


BLOCK = ToolCorrectnessBlock


def _is_whole_percent(threshold: float) -> bool:
    return Fraction(100 * to_exact(threshold)).denominator == 1


def make_default_expectation(threshold: float) -> Expectation:
    """Return the expectation of a gate without `expect`: a score of at least the threshold."""
    percent = 100 * to_exact(threshold)
    return Expectation(TARGET, {">=": percent.numerator if percent.denominator == 1 else float(percent)})


class ToolCorrectnessTally:
    """Scores runs one by one; over several runs, matched and expected tools are summed before they are divided."""

    def __init__(self, gate: ToolCorrectness) -> None:
        self._gate = gate
        self._score = _SCORES[gate.exact_match, gate.check_ordering]
        self._places = _ExpectedPositions(gate.expected_tools)
        # An exact match is met or not: a run is one point, whatever the number of tools.
        self._whole = 1 if gate.exact_match else len(gate.expected_tools)
        self._runs = self._matched = 0
        self._runs_by_reach: dict[int, int] = {}
        self._extra: dict[CallKey, int] = {}
        threshold = DEFAULT_THRESHOLD if isinstance(gate.threshold, UnsetType) else gate.threshold
        default = (make_default_expectation(threshold),)
        self._judge = RunJudge(choose_run_expectations(NAME, gate.run_expect or (), gate.expect, default))

    def add(self, trace: Trace) -> bool:
        places, is_exact = self._places, self._gate.exact_match
        masks: list[int] = []
        reach = 0
        for call in trace.tool_calls:
            key = (call.server, call.name)
            mask = places[key]
            if mask and call.status != MALFORMED:
                reach |= mask
            else:
                mask = 0
                if is_exact:
                    self._extra[key] = self._extra.get(key, 0) + 1
            masks.append(mask)
        self._runs += 1
        self._runs_by_reach[reach] = self._runs_by_reach.get(reach, 0) + 1
        matched = self._score(places, masks)
        self._matched += matched
        # Runs that matched as many tools share a verdict, so most runs cost no matcher.
        verdict = self._judge.count_run(matched)
        if verdict is None:
            return self._judge.judge_run(matched, {TARGET: self._compute_score(matched, self._whole)})
        return verdict

    def _compute_score(self, matched: int, expected: int) -> int | Fraction:
        """Return the percent: exact if a threshold is asked of it, else floored."""
        share = Fraction(100 * matched, expected) if expected else Fraction(0)
        is_exact = not isinstance(self._gate.threshold, UnsetType)
        return share if is_exact else share.numerator // share.denominator

    def compute_result(self) -> GateResult:
        expected = self._whole * self._runs
        score = 100 * self._matched // expected if expected else 0
        runs = self._judge.compute_values(self._gate.expect)
        status, assertions = check_values(
            self._gate.expect, {TARGET: self._compute_score(self._matched, expected), **runs}
        )
        return GateResult(
            gate=NAME,
            status=status,
            counts={"matched": self._matched, "expected": expected},
            values={TARGET: score, **runs},
            runs_passed=self._judge.runs_passed,
            expected_tools=self._list_expected_tools(),
            unexpected_tools=self._list_unexpected_tools() if self._gate.exact_match else UNSET,
            assertions=assertions,
        )

    def _list_unexpected_tools(self) -> tuple[UnexpectedTool, ...]:
        return rank_unexpected_tools((format_tool_id(*key), calls, {}) for key, calls in self._extra.items())

    def _list_expected_tools(self) -> tuple[ExpectedTool, ...]:
        # A tool that is listed twice is one row of the report, and both positions have the same bits.
        places = {tool: place for place, tool in enumerate(self._gate.expected_tools)}
        return tuple(ExpectedTool(tool, self._count_hit_runs(place), self._runs) for tool, place in places.items())

    def _count_hit_runs(self, place: int) -> int:
        return sum(runs for reach, runs in self._runs_by_reach.items() if reach >> place & 1)


class _ExpectedPositions(dict[CallKey, int]):
    """The positions of the expected list that a call can fill, as bits; computed once for each tool."""

    def __init__(self, expected: Sequence[str]) -> None:
        super().__init__()
        self.all = (1 << len(expected)) - 1
        self.has_rivals = False
        self._bits: dict[str, int] = {}
        for place, tool in enumerate(expected):
            self._bits[tool] = self._bits.get(tool, 0) | 1 << place

    def __missing__(self, key: CallKey) -> int:
        whole, bare = self._bits.get(format_tool_id(*key), 0), self._bits.get(key[1], 0)
        # Set as soon as one called tool fits positions of both spellings.
        self.has_rivals |= bool(whole and bare and whole != bare)
        self[key] = whole | bare
        return whole | bare


def _score_share(places: _ExpectedPositions, masks: list[int]) -> int:
    """Return how many positions the calls fill, one call for each position."""
    # A bare id and a full id may fit the same call. Only then does the choice of a position matter.
    if places.has_rivals:
        return _count_maximum_matching(masks)
    free = places.all
    for mask in masks:
        if mask:
            # All fitting positions name the same tool here, so that the lowest free one is as good as any.
            # `x & -x` is the lowest bit of x.
            fit = free & mask
            free ^= fit & -fit
    return (places.all ^ free).bit_count()


def _count_maximum_matching(masks: list[int]) -> int:
    """Return the size of a maximum matching between calls and positions."""
    # Kuhn's augmenting paths: each call may displace an earlier one that fits elsewhere.
    holder: dict[int, int] = {}
    for call in range(len(masks)):
        _match_call(call, masks, holder)
    return len(holder)


def _match_call(call: int, masks: list[int], holder: dict[int, int]) -> None:
    """Find a position for the call, if needed by moving earlier calls to other positions."""
    place_of = {held_by: place for place, held_by in holder.items()}
    came_from: dict[int, int] = {}
    # Depth first with a stack of its own: a recursion would overflow on thousands of calls. No position is tried
    # twice, as a position that led nowhere for one call leads nowhere for the next.
    tried = 0
    waiting = [call]
    while waiting:
        mover = waiting.pop()
        for place in _iterate_bits(masks[mover] & ~tried):
            came_from[place] = mover
            if place not in holder:
                _apply_augmenting_path(place, came_from, place_of, holder)
                return
            waiting.append(holder[place])
        tried |= masks[mover]


def _apply_augmenting_path(
    place: int | None, came_from: dict[int, int], place_of: dict[int, int], holder: dict[int, int]
) -> None:
    while place is not None:
        # Walk the path backwards: each mover takes the position it asked for and gives up its old one.
        mover = came_from[place]
        holder[place] = mover
        place = place_of.get(mover)


def _iterate_bits(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


def _score_exact_set(places: _ExpectedPositions, masks: list[int]) -> int:
    reached = 0
    for mask in masks:
        if not mask:
            return 0
        reached |= mask
    return int(reached == places.all)


def _score_order(places: _ExpectedPositions, masks: list[int]) -> int:
    """Return the length of the longest common subsequence of expected and called tools."""
    # Hyyrö's bit-parallel algorithm: one integer holds a column of the dynamic programming table, with a 0 bit
    # wherever the length grows. A call costs a few operations on integers instead of a loop over the expected tools.
    row = places.all
    for mask in masks:
        fit = row & mask
        # The addition carries each match up to the next 0 bit; the subtraction keeps the rows without a match.
        row = ((row + fit) | (row - fit)) & places.all
    return (places.all ^ row).bit_count()


def _score_exact_list(places: _ExpectedPositions, masks: list[int]) -> int:
    if len(masks) != places.all.bit_length():
        return 0
    # Position by position: the n-th call must fit the n-th expected tool.
    return int(all(mask >> place & 1 for place, mask in enumerate(masks)))


_SCORES: dict[tuple[bool, bool], Callable[[_ExpectedPositions, list[int]], int]] = {
    (False, False): _score_share,
    (True, False): _score_exact_set,
    (False, True): _score_order,
    (True, True): _score_exact_list,
}
