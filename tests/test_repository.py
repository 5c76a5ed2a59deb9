"""What the repository says of itself is so: links lead somewhere, and every benchmark has its target."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    links = LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_benchmark_has_a_target_of_make() -> None:
    wanted = [file.stem for file in sorted((ROOT / "benchmarks").glob("*.py")) if "__main__" in file.read_text("utf-8")]
    recipes = make("--dry-run", "--always-make", "bench", "bench-rivals", "bench-install")
    assert [name for name in wanted if not re.search(rf"\b{name}\b", recipes)] == []


def test_make_alone_lists_the_targets() -> None:
    listed = re.findall(r"^  make (\S+) +\S", make(), re.MULTILINE)
    assert {"suite", "test", "check", "golden", "bench", "clean", "help"} <= set(listed)


def make(*arguments: str) -> str:
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
