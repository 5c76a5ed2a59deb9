"""Permissions over ACP: answered by the kind of the options, and never for the program's own tools."""

from typing import Any

import pytest

from toolgrade.compiler.driver_plan import Permissions
from toolgrade.runners.drivers.acp_session import choose_permission

ALWAYS_FIRST = [
    {"optionId": "all", "kind": "allow_always"},
    {"optionId": "no", "kind": "reject_once"},
    {"optionId": "once", "kind": "allow_once"},
]


@pytest.mark.parametrize(
    ("kind", "permissions", "options", "outcome"),
    [
        ("other", "allow_tools", ALWAYS_FIRST, "once"),
        (None, "allow_tools", ALWAYS_FIRST, "once"),
        ("other", "allow_tools", ALWAYS_FIRST[:2], "all"),
        ("other", "deny", ALWAYS_FIRST, "no"),
        ("execute", "allow_tools", ALWAYS_FIRST, "no"),
        ("edit", "allow_tools", ALWAYS_FIRST, "no"),
        ("other", "allow_tools", [], None),
        ("other", "deny", [{"optionId": "yes", "kind": "allow_once"}, "odd"], None),
    ],
)
def test_a_request_is_answered_by_kind(
    kind: str | None, permissions: Permissions, options: Any, outcome: str | None
) -> None:
    answer = choose_permission({"toolCall": {"kind": kind}, "options": options}, permissions)
    assert answer.get("optionId") == outcome
    assert answer["outcome"] == ("cancelled" if outcome is None else "selected")


@pytest.mark.parametrize("request_", [{}, {"toolCall": [], "options": {}}])
def test_a_request_of_any_shape_is_answered(request_: dict[str, Any]) -> None:
    assert choose_permission(request_, "allow_tools") == {"outcome": "cancelled"}
