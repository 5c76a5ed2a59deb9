"""Letter grades at each of their edges."""

import pytest

from toolgrade.gates.grade import letter_grade


@pytest.mark.parametrize(
    ("f1", "letter"),
    [(0, "F"), (59, "F"), (60, "D"), (69, "D"), (70, "C"), (79, "C"), (80, "B"), (89, "B"), (90, "A"), (100, "A")],
)
def test_a_letter_starts_at_its_edge_and_ends_below_the_next(f1: int, letter: str) -> None:
    assert letter_grade(f1) == letter


def test_every_percent_has_a_letter_and_a_better_one_never_a_worse_letter() -> None:
    letters = [letter_grade(f1) for f1 in range(101)]
    assert letters == sorted(letters, reverse=True)
    assert set(letters) == set("ABCDF")
