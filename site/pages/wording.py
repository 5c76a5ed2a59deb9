"""Values in the words of the pages: matchers, findings, numbers, arguments."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...foundations.canonical_json import encode_compact, to_json
from ...gates.gate_result import AssertionResult, GateResult
from ...gates.registry import describe_target

_SIGNS = {">=": "≥", "<=": "≤", ">": ">", "<": "<", "==": "=", "!=": "≠"}
_LONGEST = 4000
_SHORT = 120


def format_target_name(target: str) -> str:
    """Return a gate's own words for its target; a target of the trace is shown as it is written."""
    described = describe_target(target)
    return described.label if described else target


def format_matcher(matcher: dict[str, Any]) -> str:
    """Return a matcher such as `≥ 80`; several operators are joined with commas."""
    return ", ".join(f"{_SIGNS.get(name, name)} {format_value(value, _SHORT)}" for name, value in matcher.items())


def format_value(value: Any, longest: int = _LONGEST) -> str:
    """Return a value as JSON, or a text as it is, cut if it is long."""
    text = value if isinstance(value, str) else encode_compact(value).decode()
    return cut_page_text(text, longest)


def format_arguments(value: Any) -> str:
    """Return arguments as JSON over several lines."""
    return cut_page_text(to_json(value).decode().rstrip("\n"), _LONGEST)


def cut_page_text(text: str, longest: int = _LONGEST) -> str:
    """Return a text, cut if it is longer than a page shows."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def describe_gates(gates: tuple[GateResult, ...]) -> str:
    """Return in a few words the first assertion that failed, the only one, or how many gates passed."""
    ran = [gate for gate in gates if gate.status != "skipped"]
    assertions = [found for gate in ran for found in gate.assertions or ()]
    broken = next((found for found in assertions if found.status == "failed"), None)
    if broken is not None or len(assertions) == 1:
        found: AssertionResult = broken or assertions[0]
        return f"{format_target_name(found.target)} {format_matcher(found.matcher)}"
    if not ran:
        return "skipped" if gates else "none"
    passed = sum(gate.status == "passed" for gate in ran)
    return f"{passed} of {len(ran)}" if len(ran) > 1 else f"{len(assertions)} checks"


def format_number(value: int | Fraction | Decimal | None) -> str | None:
    """Return a number with thousands separated, and with one decimal if it is a small fraction; None for None."""
    if value is None:
        return None
    if isinstance(value, Decimal):
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    if isinstance(value, Fraction) and value < 100 and value.denominator != 1:
        # In integers: a float could round up what the exact value does not.
        tenths = value * 10 // 1
        return f"{tenths // 10}.{tenths % 10}"
    return f"{value.__floor__():,}"
