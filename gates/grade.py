"""Letter grades by F1."""

LETTERS = ((90, "A"), (80, "B"), (70, "C"), (60, "D"))


def letter_grade(f1: int) -> str:
    """Return the letter for a selection F1 in percent."""
    return next((letter for floor, letter in LETTERS if f1 >= floor), "F")
