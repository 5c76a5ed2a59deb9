"""The one serializer: the same values give the same bytes, and nothing that JSON cannot say gets into them."""

import json
from decimal import Decimal
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from toolgrade.foundations.canonical_json import digest_json, to_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


class Row(msgspec.Struct, omit_defaults=True):
    b: int
    a: Decimal
    c: int | msgspec.UnsetType = msgspec.UNSET


def test_keys_are_sorted_lines_indented_by_two_and_the_last_one_ended() -> None:
    assert to_json({"b": [1, {"é": "\n"}], "a": {}}) == (
        b'{\n  "a": {},\n  "b": [\n    1,\n    {\n      "\xc3\xa9": "\\n"\n    }\n  ]\n}\n'
    )


def test_dollars_are_text_and_what_is_absent_is_left_out() -> None:
    assert json.loads(to_json(Row(1, Decimal("0.10")))) == {"a": "0.10", "b": 1}


@given(VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert json.loads(to_json(value)) == value


@given(st.dictionaries(st.text(), VALUES))
def test_the_order_of_keys_moves_neither_bytes_nor_digest(value: dict[str, Any]) -> None:
    turned = dict(reversed(value.items()))
    assert to_json(turned) == to_json(value)
    assert digest_json(turned) == digest_json(value)


def test_what_is_no_number_never_reaches_a_file() -> None:
    assert b"NaN" not in to_json([float("nan"), float("inf")])
