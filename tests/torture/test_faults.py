"""The table of faults names tests that exist, and the page has the table of now."""

import ast

import pytest

from tests.torture.faults import PAGE, ROOT, ROWS, update_page


@pytest.mark.parametrize("row", ROWS)
def test_every_named_test_exists(row: str) -> None:
    for name in ROWS[row][1]:
        file, _, function = name.partition("::")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_page_has_the_table_of_now() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert update_page(page) == page
