"""The report site inside a documentation of one's own, built by a real `mkdocs build`."""

import subprocess
import sys
from pathlib import Path

from tests.site.links import broken_links
from tests.site.stories import write_atlas

CONFIG = """\
site_name: mine
strict: true
use_directory_urls: {urls}
plugins:
  - search
  - toolgrade: {{folder: quality/report, title: atlas}}
nav:
  - Home: index.md
  - Report: quality/report/index.html
"""


def mkdocs(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", "out"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def write_docs(folder: Path, urls: str = "true") -> None:
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    (folder / "docs/index.md").write_text("# Mine\n\n[The report](quality/report/index.html)\n", encoding="utf-8")
    (folder / "mkdocs.yml").write_text(CONFIG.format(urls=urls), encoding="utf-8")


def test_the_report_lives_in_a_documentation_that_links_to_it(tmp_path: Path) -> None:
    shas = write_atlas(tmp_path, commits=2)
    write_docs(tmp_path)
    done = mkdocs(tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (tmp_path / f"out/quality/report/c/{shas[-1]}/research-agent/answer-from-pdf.html").is_file()
    assert broken_links(tmp_path / "out/quality/report") == []
    assert 'href="quality/report/' in (tmp_path / "out/index.html").read_text(encoding="utf-8")


def test_without_a_report_the_build_ends_with_the_next_step(tmp_path: Path) -> None:
    write_docs(tmp_path)
    done = mkdocs(tmp_path)
    assert done.returncode == 1
    assert "toolgrade: no report is committed here, and none is on disk; `toolgrade run` writes one" in done.stderr
    assert "Traceback" not in done.stderr
