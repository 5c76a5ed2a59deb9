"""The gates there are: one row each."""

from typing import Protocol

from . import equal_function_sets, expect, token_efficiency, tool_correctness
from .equal_function_sets import EqualFunctionSets, EqualFunctionSetsBlock
from .expect import Expect
from .token_efficiency import TokenEfficiency, TokenEfficiencyBlock
from .tool_correctness import ToolCorrectness, ToolCorrectnessBlock

AnyGate = EqualFunctionSets | TokenEfficiency | ToolCorrectness | Expect
"""A resolved gate, told apart by its `gate` tag."""


class GateBlock(Protocol):
    """An authored gate."""

    def resolve(self) -> AnyGate: ...


BLOCKS: dict[str, type[EqualFunctionSetsBlock] | type[TokenEfficiencyBlock] | type[ToolCorrectnessBlock]] = {
    equal_function_sets.NAME: EqualFunctionSetsBlock,
    token_efficiency.NAME: TokenEfficiencyBlock,
    tool_correctness.NAME: ToolCorrectnessBlock,
}
"""The gate blocks of a test by their key, in the order in which they are scored and reported."""

CHECKS = (*BLOCKS, expect.NAME)
"""Every key that makes an entry a test."""
