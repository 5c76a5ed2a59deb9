"""What `toolgrade run` writes besides its table: annotations, one line for agents, Markdown, and silence."""

import os
import re
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

import toolgrade
from tests.conftest import RunToolgrade
from tests.hostile import DANGEROUS, NAMES, make_hostile
from tests.recordings import CALLS, SHOP, make_shop, record_all, write_suite
from toolgrade.commands import outputs
from toolgrade.commands.outputs import FileOutput, OutputOptions, ReportContext, add_output_options
from toolgrade.compiler.suite_locations import SuiteLocations
from toolgrade.runners.suite_files import compile_suites

FAILING = SHOP.replace('">=": 40', '">=": 80')
FETCHING = [*CALLS, {"server": "docs", "name": "fetch"}]
COMMAND = "toolgrade run --test='reads the revenue back' --models=m1 suites/shop.yml"
GIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def test_annotations_stand_at_the_gate_that_failed(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path, FAILING)
    done = run_toolgrade("run", "--format", "github")
    first, second, table = done.stdout.splitlines()[:3]
    assert first == (
        "::error file=suites/shop.yml,line=10,col=5,title=shop · reads the revenue back · m1::failed: "
        "shop · reads the revenue back · m1%0Amissed fetch in 2 of 2 runs%0Aunexpected docs.list x2%0A"
        "tool_selection.f1: 50 is not >= 80%0Atoken_efficiency skipped: replay has no live tool surface"
    )
    assert second.startswith("::error file=suites/shop.yml,line=10,col=5,title=shop · reads the revenue back · m2::")
    assert table.startswith("grade")
    assert (tmp_path / "suites/shop.yml").read_text().splitlines()[9] == "    equal_function_sets:"


def test_annotations_name_files_from_the_root_of_the_checkout(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path / "evals", FAILING)
    env = {"GITHUB_WORKSPACE": str(tmp_path)}
    done = run_toolgrade("run", "--format", "github", cwd=tmp_path / "evals", env=env)
    assert done.stdout.startswith("::error file=evals/suites/shop.yml,line=10,")
    absolute = run_toolgrade("run", tmp_path / "evals/suites", "--format", "github", cwd=tmp_path / "evals", env=env)
    assert absolute.stdout.startswith("::error file=evals/suites/shop.yml,line=10,")


def test_more_failures_than_github_shows_are_counted(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_hostile(tmp_path)
    done = run_toolgrade("run", "--format", "github", "--quiet")
    commands = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert len(commands) == 10
    assert commands[-1] == "::error title=toolgrade::and 31 more tests that did not pass"


@pytest.mark.parametrize("style", ["text", "github", "agent"])
def test_no_name_steers_a_terminal_or_a_log(run_toolgrade: RunToolgrade, tmp_path: Path, style: str) -> None:
    make_hostile(tmp_path)
    for arguments in ([], ["--cassettes", "nowhere"]):
        done = run_toolgrade("run", "--format", style, *arguments)
        printed = done.stdout + done.stderr
        assert not [character for character in DANGEROUS if character in printed]
        assert "##[" not in printed
        commands = [line for line in printed.splitlines() if line.lstrip().startswith("::")]
        assert all(line.startswith("::error ") and style == "github" for line in commands)
        assert not re.search(r"^\s*::(?!error (file|title)=)", printed, re.MULTILINE)


def test_an_agent_gets_one_line_with_the_commands(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path, FAILING)
    done = run_toolgrade("run", "--format", "agent", "--quiet")
    assert (done.code, done.stderr, done.stdout.count("\n")) == (1, "", 1)
    assert done.stdout.startswith("FAIL 2 of 3 tests, grade F, F1 50 | shop/reads the revenue back@m1: missed fetch")
    assert f" => {COMMAND} | shop/reads" in done.stdout


def test_an_agent_gets_one_line_when_all_is_well(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path)
    assert run_toolgrade("run", "--format", "agent").stdout == "PASS 3 of 3 tests, grade F, F1 50\n"


def test_quiet_says_nothing_when_all_is_well(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path)
    done = run_toolgrade("run", "--quiet")
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "reports/replay/report.json").exists()


def test_quiet_shows_what_did_not_pass(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path, FAILING)
    done = run_toolgrade("run", "-q")
    assert (done.code, done.stderr) == (1, "")
    assert "answers in words" not in done.stdout
    assert "3 tests: 1 passed, 2 failed" in done.stdout


def commit(folder: Path) -> None:
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **GIT}, check=True, capture_output=True)


def markdown(run_toolgrade: RunToolgrade, folder: Path, *arguments: str) -> str:
    run_toolgrade("run", "--markdown", "summary.md", *arguments)
    return (folder / "summary.md").read_text(encoding="utf-8")


def test_the_summary_has_three_lines_when_nothing_changed(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path)
    run_toolgrade("run")
    commit(tmp_path)
    expected = "### toolgrade: passed\n\ngrade `F`, F1 50; 3 tests: 3 passed; nothing changed against `main`\n"
    assert markdown(run_toolgrade, tmp_path, "--base", "main") == expected
    assert markdown(run_toolgrade, tmp_path, "--base", "reports/replay/report.json").count("\n") == 3
    assert markdown(run_toolgrade, tmp_path, "--base", "main", "-k", "answers").count("\n") == 3


def test_the_summary_shows_what_changed_and_what_is_missed(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    record_all(tmp_path, write_suite(tmp_path, FAILING), tool_calls=FETCHING)
    run_toolgrade("run")
    commit(tmp_path)
    record_all(tmp_path, write_suite(tmp_path, FAILING))
    summary = markdown(run_toolgrade, tmp_path, "--base", "main")
    assert summary.startswith("### toolgrade: failed\n\ngrade `F`, F1 50; 3 tests: 1 passed, 2 failed\n")
    assert "**Against `main`:** grade `B` → `F`, F1 80 → 50; 3 tests: 2 within noise, 1 unchanged" in summary
    (row,) = [
        line for line in summary.splitlines() if line.startswith("| noise | `shop` · `reads the revenue back` · `m1`")
    ]
    assert "passed → failed | 80 → 50 | p 0.17; no fall counts with so few runs<br>misses `fetch`" in row
    assert "| `shop` · `reads the revenue back` · `m1` | failed | 50 | missed `fetch` in 2 of 2 runs<br>" in summary


def test_what_still_fails_is_named_in_the_three_lines(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path, FAILING)
    run_toolgrade("run")
    summary = markdown(run_toolgrade, tmp_path, "--base", "reports/replay")
    assert summary.count("\n") == 3
    assert "nothing changed against `reports/replay`; not passed, as before: `shop` · `reads the revenue" in summary


def test_a_base_without_a_report_is_no_failure(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path)
    commit(tmp_path)
    done = run_toolgrade("run", "--base", "main", "--markdown", "summary.md")
    assert (done.code, "nothing to compare with: main: no report is committed" in done.stderr) == (0, True)
    assert "No report is committed at `main`" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_a_base_that_is_nowhere_stops_before_anything_runs(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path)
    done = run_toolgrade("run", "--base", "mian")
    assert (done.code, done.stdout) == (2, "")
    assert "mian: no such file, folder or git revision" in done.stderr


def test_only_suites_that_were_meant_are_compared(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    other = tmp_path / "suites/other.yml"
    other.parent.mkdir()
    other.write_text(SHOP.replace("reads the", "finds the").replace("answers in", "speaks in"), encoding="utf-8")
    make_shop(tmp_path)
    run_toolgrade("run", "--out", "before")
    assert markdown(run_toolgrade, tmp_path, "--base", "before", "suites/shop.yml").count("\n") == 3
    other.unlink()
    assert "| removed | `other` · `speaks in words` · `m1` |" in markdown(run_toolgrade, tmp_path, "--base", "before")


def test_the_table_is_followed_by_what_changed(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path)
    run_toolgrade("run")
    done = run_toolgrade("run", "--base", "reports/replay")
    assert done.stdout.endswith("\n\nnothing changed\ngrade F, F1 50\n3 tests: 3 unchanged\n")


def test_a_summary_of_hostile_names_is_inert_and_fits_a_comment(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_hostile(tmp_path)
    summary = markdown(run_toolgrade, tmp_path)
    assert len(summary) < 65_536
    assert not [character for character in DANGEROUS if character in summary]
    blocks = MarkdownIt("gfm-like", {"linkify": False}).parse(summary)
    tokens = [token for block in blocks for token in (block.children or [block])]
    assert {token.content for token in tokens if "html" in token.type} <= {"<br>", "<code>", "</code>"}
    assert not [token for token in tokens if token.type == "text" and "@" in token.content]
    assert any(token.type == "code_inline" and token.content == NAMES[2] for token in tokens)
    rows = [token for token in tokens if token.type == "tr_open"]
    assert len([token for token in tokens if token.type == "td_open"]) == 4 * (len(rows) - 1)


def test_a_new_output_is_a_row_and_its_renderer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_shop(tmp_path, FAILING)
    monkeypatch.chdir(tmp_path)
    row = FileOutput("tap", "Write TAP too.", lambda run: f"not ok {run.report.summary.failed}\n".encode())
    monkeypatch.setattr(outputs, "FILE_OUTPUTS", [*outputs.FILE_OUTPUTS, row])

    @click.command()
    @add_output_options
    def score(outputs: OutputOptions) -> None:
        compilation = compile_suites(["suites"])
        assert compilation.plan is not None
        report = toolgrade.replay(compilation.plan, "cassettes")
        outputs.write_all(ReportContext(report, None, SuiteLocations(compilation), {}))

    assert "--tap FILE" in CliRunner().invoke(score, ["--help"]).output
    done = CliRunner().invoke(score, ["--tap", "run.tap", "--junit", "junit.xml"])
    assert (done.exit_code, done.exception) == (0, None)
    assert (tmp_path / "run.tap").read_text() == "not ok 2\n"
    assert (tmp_path / "junit.xml").exists()
