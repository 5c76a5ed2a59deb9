"""Builds `.playground/`, the data that the shipped suites ask about: the same bytes on every machine."""

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

SEED = Path(__file__).with_name("seed")
PLACE = Path(".playground")
COMMITS = (
    ("Ada Keeper", "2024-03-01T09:00:00+00:00", "Start the diary", ("monday.md",)),
    ("Ada Keeper", "2024-03-02T09:00:00+00:00", "Note the storm warning", ("tuesday.md",)),
    ("Bo Pilot", "2024-03-03T09:00:00+00:00", "Log the ferry's delay", ("wednesday.md",)),
)


def build(place: Path = PLACE) -> None:
    """Make everything anew, so that nothing remains that an agent wrote the last time."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(SEED / "files", place)
    shutil.copytree(SEED / "page", place / "page")
    for name in ("diary", "scratch"):  # the second is for agents to change
        build_diary(place / name)
    build_database(place / "library.db")
    (place / ".gitignore").write_text("*\n")


def build_diary(repository: Path) -> None:
    """Make a git repository with three commits, a second branch, an edited file and an untracked one."""
    repository.mkdir()
    run_git(repository, "init", "--quiet", "--initial-branch", "main")
    for author, date, subject, files in COMMITS:
        for name in files:
            shutil.copy(SEED / "diary" / name, repository)
        run_git(repository, "add", ".")
        run_git(repository, "commit", "--quiet", "--message", subject, author=author, date=date)
    run_git(repository, "branch", "winter", "main~1")
    with (repository / "monday.md").open("a") as monday:
        monday.write("The gulls were back before noon.\n")
    shutil.copy(SEED / "diary" / "thursday.md", repository)


def run_git(repository: Path, *args: str, author: str = "Ada Keeper", date: str = "2024-03-01T09:00:00+00:00") -> None:
    """Run git with this author and date, and without the user's settings."""
    email = f"{author.split()[0].lower()}@harbour.example"
    who = {"NAME": author, "EMAIL": email, "DATE": date}
    env = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    argv = ["git", "-C", str(repository), *args]
    subprocess.run(argv, env={"PATH": os.environ["PATH"], **settings, **env}, check=True)  # noqa: S603 - our own argv


def build_database(file: Path) -> None:
    """Make the harbour library: books, members and loans."""
    with sqlite3.connect(file) as database:
        database.executescript((SEED / "library.sql").read_text())
    # The context manager of sqlite3 ends the transaction and leaves the file open.
    database.close()


if __name__ == "__main__":
    build()
