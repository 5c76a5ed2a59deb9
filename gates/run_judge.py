"""Judges single runs: which of them pass a gate, and the run targets over all of them."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from .expectation import Expectation
from .registry import GATES
from .run_targets import compute_run_target, is_run_target


class RunJudge:
    """Judges single runs by their values, and remembers the verdict on equal runs."""

    def __init__(self, expect: Iterable[Expectation]) -> None:
        self._expect = tuple(expect)
        self._verdicts: dict[Hashable, bool] = {}
        self._passed = self._runs = 0

    def count_run(self, key: Hashable) -> bool | None:
        """Count a run like an earlier one with the same key, and return its verdict; None if there was none."""
        verdict = self._verdicts.get(key)
        if verdict is not None:
            self._runs += 1
            self._passed += verdict
        return verdict

    def judge_run(self, key: Hashable, values: Mapping[str, Any]) -> bool:
        """Count a run by its values, and return whether it passes."""
        found = (each.check_value(values[each.target]) for each in self._expect)
        self._verdicts[key] = all(result.status == "passed" for result in found)
        return bool(self.count_run(key))

    @property
    def runs_passed(self) -> int | UnsetType:
        """The runs that passed; left out if there are not several."""
        return self._passed if self._runs > 1 else UNSET

    def compute_values(self, expect: Iterable[Expectation]) -> dict[str, int]:
        """Return the run targets that are asserted, without those that need more runs than there are."""
        words = {each.target: each.target.partition(".")[2] for each in expect}
        values = {
            target: compute_run_target(word, self._passed, self._runs)
            for target, word in words.items()
            if is_run_target(word)
        }
        return {target: value for target, value in values.items() if value is not None}


def choose_run_expectations(
    gate: str, authored: tuple[Expectation, ...], expect: tuple[Expectation, ...], default: tuple[Expectation, ...]
) -> tuple[Expectation, ...]:
    """Return what a single run has to meet: `run_expect`, or what `expect` asks of targets that one run has."""
    return authored or tuple(each for each in expect if each.target in GATES[gate].targets) or default
